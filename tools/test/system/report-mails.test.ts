import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { apiClient } from '@watchline/testing/api-client'
import { createEventPublisher } from '@watchline/testing/events'
import { createTestWorld, eventually, type TestWorld, testRecordKey } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { type OwnerServices, startOwnerServices } from '@watchline/testing/owners'
import { createEngagementService, type EngagementService } from '../../../services/engagement/src/service.ts'
import { createNotificationService } from '../../../services/notification/src/service.ts'
import { startMailServer, type TestMailServer } from '../../../services/notification/test/_mail-server.ts'

const dayMs = 24 * 3600_000
const clock = createManualClock(Date.UTC(2027, 2, 24, 12))
let world: TestWorld
let owners: OwnerServices
let server: TestMailServer
let engagement: EngagementService
let notification: ReturnType<typeof createNotificationService>
let url: string

/** Engagement and notification on one bus; stand-ins for the other services. */
beforeAll(async () => {
  world = await createTestWorld({ clock })
  owners = await startOwnerServices()
  server = await startMailServer()
  const config = { ...world.config, authUrl: owners.url, playbackUrl: owners.url, timeZone: 'UTC' }
  engagement = createEngagementService(
    { ...config, maxPlaybackRate: 1, publicUrl: undefined, recordPrivateKey: testRecordKey() },
    world.ports,
  )
  url = (await engagement.start()).url
  notification = createNotificationService(
    { ...config, engagementUrl: url, publicUrl: 'http://watchline.example', mail: server.config },
    world.ports,
  )
  await notification.start()
})
afterAll(async () => {
  await notification?.stop()
  await engagement?.stop()
  await server?.close()
  await owners?.close()
  await world?.close()
})

const receivedBy = ({ email }: PersonSnapshot) => server.received.filter(({ address }) => address === email)

test('a saved report reaches those who may see it at that moment, each with their own people, once for each time', async () => {
  const addStaff = (role: 'manager' | 'supervisor', fields = {}) =>
    owners.addPerson(role, { email_verified: true, ...fields })
  const manager = addStaff('manager')
  const addSupervisor = () => addStaff('supervisor', { manager_id: manager.id })
  const [stays, leaves, colleague] = [addSupervisor(), addSupervisor(), addSupervisor()]
  const supervisors = [stays, colleague, leaves]
  const trainees = supervisors.map(({ id }) => owners.addPerson('user', { supervisor_id: id }))
  const publish = createEventPublisher(world.ports.bus, clock)
  for (const person of [manager, ...supervisors, ...trainees]) await publish('user.created', { person, by: null })
  const playlist = {
    ...{ playlist_id: 'list', title: 'Safety', created_by: stays.id, shared_with: [], revision: 1 },
    videos: [{ id: 'film', title: 'Film', duration: 60, unavailable: false }],
  }
  owners.playlists.set('list', playlist)
  await publish('playlist.created', playlist)
  await publish('playlist.assigned', {
    ...{ playlist_id: 'list', title: 'Safety', by: stays.id, assigned: trainees.map(({ id }) => id) },
    assigned_date: new Date(clock.now()).toISOString(),
  })
  const as = (person: PersonSnapshot) => apiClient(url, world.token(owners.people.get(person.id)!))
  await eventually(async () =>
    expect((await as(manager).get('/engagement/report?by=person')).json.total).toMatchObject({ people: 3, tasks: 3 }),
  )
  const schedule = { every: 'day', time: '08:00', time_zone: 'Europe/Berlin' }
  const saved = await as(manager).post('/engagement/saved-reports', {
    ...{ name: 'People', by: 'person', period: 'all', schedule },
    recipient_ids: [manager.id, stays.id, leaves.id],
  })
  expect(saved.status).toBe(201)

  // The event about the change is still on its way.
  owners.changePerson(leaves, { manager_id: null })
  clock.advance(dayMs)
  await Promise.all([engagement.publishDueReportsOnce(), engagement.publishDueReportsOnce()])
  const mails = world.database('notification').collection('mails')
  const statesOf = async () => (await mails.find().toArray()).map(({ state }) => state).sort()
  await eventually(async () => expect(await statesOf()).toEqual(['cancelled', 'sent', 'sent']))
  expect([manager, stays, leaves].map(person => receivedBy(person).length)).toEqual([1, 1, 0])
  const fileOf = (person: PersonSnapshot) => {
    const encoded = /filename=report-by-person-[\d-]+\.csv\r\n\r\n([\w+/=\r\n]+)/.exec(
      receivedBy(person)[0]!.content,
    )![1]!
    return Buffer.from(encoded, 'base64').toString()
  }
  // The manager's file may hold the team of the supervisor who leaves, because its event is late.
  const stayingTrainees = trainees.slice(0, 2)
  expect(stayingTrainees.map(({ id }) => fileOf(manager).includes(id))).toEqual([true, true])
  expect(trainees.map(({ id }) => fileOf(stays).includes(id))).toEqual([true, false, false])

  clock.advance(dayMs)
  await engagement.publishDueReportsOnce()
  await eventually(async () => expect(await statesOf()).toHaveLength(6))
  await eventually(() => expect([manager, stays].map(person => receivedBy(person).length)).toEqual([2, 2]))

  const send = () =>
    as(manager).post(`/engagement/saved-reports/${saved.json.report.id}/send`, {
      client_id: 'c0ffee00-0000-4000-8000-000000000001',
    })
  const answers = await Promise.all([send(), send()])
  for (const answer of answers) expect(answer.json).toEqual({ success: true, recipients: 3 })
  await eventually(async () => expect(await statesOf()).toHaveLength(9))
  await eventually(() => expect([manager, stays].map(person => receivedBy(person).length)).toEqual([3, 3]))
  expect(receivedBy(leaves)).toEqual([])
})
