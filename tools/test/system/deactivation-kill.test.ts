import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Role } from '@watchline/contracts/people'
import { apiClient } from '@watchline/testing/api-client'
import { createTestWorld, eventually, serverUrl, type TestWorld } from '@watchline/testing/harness'
import { holdDocument } from '@watchline/testing/held-document'
import { type ServiceProcess, startServiceProcess } from '@watchline/testing/processes'
import { newPerson, toStoredPerson } from '../../../services/auth/src/store/person-model.ts'
import { authConfig } from '../../../services/auth/test/_config.ts'
import { createBrowser } from '../../../services/auth/test/_util.ts'
import { mediaSecrets, videos } from '../../../services/playback-session/test/_util.ts'
import { openFaultyProxy } from '../../../shared/kit/test/servers.ts'

const publicUrl = 'http://watchline.localhost:8080'

let world: TestWorld
let broker: Awaited<ReturnType<typeof openFaultyProxy>>
let auth: ServiceProcess
let playback: ServiceProcess
beforeAll(async () => {
  world = await createTestWorld({ bus: 'rabbitmq', live: 'redis' })
  broker = await openFaultyProxy(serverUrl('AMQP_URL'))
  const { tokenPrivateKey, refreshSecrets, cookieSecrets } = authConfig(world)
  auth = await startServiceProcess('auth', world, {
    AMQP_URL: broker.url,
    PUBLIC_URL: publicUrl,
    TOKEN_PRIVATE_KEY: tokenPrivateKey,
    REFRESH_SECRET: refreshSecrets[0],
    COOKIE_SECRET: cookieSecrets[0],
  })
  playback = await startServiceProcess('playback-session', world, {
    AUTH_URL: auth.url,
    MEDIA_SECRET: mediaSecrets[0],
  })
})
afterAll(async () => {
  await playback?.stop()
  await auth?.stop()
  await broker?.close()
  await world?.close()
})

// biome-ignore lint/suspicious/noExplicitAny: the test looks into documents of every shape
type StoredRow = { _id: string; [field: string]: any }
const rows = (service: 'auth' | 'playback-session', name: string) => world.database(service).collection<StoredRow>(name)

async function addPerson(role: Role): Promise<{ id: string }> {
  const fields = { name: role, email: `${role}@example.org`, role, createdAt: new Date().toISOString() }
  const person = newPerson(fields)
  await rows('auth', 'people').insertOne(toStoredPerson(person) as never)
  return person
}

test('a deactivation ends the monitored session although auth dies before its event and playback-session at it', async () => {
  const [admin, director] = [await addPerson('admin'), await addPerson('director')]
  const browser = createBrowser(auth.url, publicUrl)
  const trainee: { id: string } = (await browser.signIn('trainee@example.org')).json.user
  const caller = () => apiClient(playback.url, browser.token())
  const boss = apiClient(playback.url, world.token(director))
  const playlist = (await boss.post('/playlists', { title: 'Safety', videos: videos(1) })).json
  const assignment = await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id] })
  expect(assignment.status).toBe(200)
  const start = await caller().post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
  expect(start.status).toBe(200)
  const sessions = rows('playback-session', 'monitoring_sessions')
  const [session] = await sessions.find({ person_id: trainee.id, open: true }).toArray()
  const lock = () => world.ports.live.locks.get(trainee.id, Date.now())
  expect(await lock()).toMatchObject({ sid: session!.sid })

  broker.cut()
  const status = { status: 'deactivated' }
  const answer = await apiClient(auth.url, world.token(admin)).put(`/admin/users/${trainee.id}/status`, status)
  expect(answer.status).toBe(200)
  await auth.kill()
  const revocation = { 'event.type': 'session.revoked', 'event.data.person_id': trainee.id }
  expect(await rows('auth', 'outbox').find(revocation).toArray()).toMatchObject([{ pending: true }])

  const held = await holdDocument(world.database('playback-session'), 'monitoring_sessions', session!._id)
  broker.restore()
  await auth.start()
  await eventually(async () => expect((await rows('auth', 'outbox').findOne(revocation))!.pending).toBeUndefined())
  await playback.kill()
  await held.release()
  expect(await sessions.findOne({ _id: session!._id })).toMatchObject({ open: true })
  await playback.start()

  const revokedAt = (await rows('auth', 'outbox').findOne(revocation))!.event.time
  await eventually(async () =>
    expect(await sessions.find({ person_id: trainee.id }).toArray()).toMatchObject([
      { reason: 'signed_out', ended_at: new Date(revokedAt) },
    ]),
  )
  await eventually(async () => expect(await lock()).toBeUndefined())
  const stops = { 'event.type': 'monitoring.stopped', 'event.data.person_id': trainee.id }
  expect(await rows('playback-session', 'outbox').countDocuments(stops)).toBe(1)
  await eventually(async () => expect((await caller().post('/session/heartbeat')).status).toBe(401))
})
