import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { systemClock } from '@watchline/kit/core/clock'
import { eventually } from '@watchline/testing/harness'
import { type ServiceProcess, startServiceProcess } from '@watchline/testing/processes'
import { callAs, collectionOf, createEngagementWorld, createTrainee, type EngagementWorld, iso } from './_util.ts'

const seconds = 100
const kills = 4

let world: EngagementWorld
let replica: ServiceProcess

beforeAll(async () => {
  world = await createEngagementWorld({ bus: 'rabbitmq', live: 'redis', clock: systemClock })
  const { url } = world.owners
  replica = await startServiceProcess('engagement', world, { AUTH_URL: url, PLAYBACK_SESSION_URL: url })
})
afterAll(async () => {
  await replica.stop()
  await world.close()
})

/** Creates a viewer who repeats each report until it is acknowledged. */
async function createViewer() {
  const { person, playlistId, watched } = await createTrainee(world, replica.url, [seconds])
  const now = Date.now()
  const started = now - (seconds + 20) * 1_000
  const sid = `sid-${person.id}`
  const lock = { personId: person.id, sid, fence: 1, playlistId, ttlMs: limits.monitoringLockMs, takeOver: false }
  await world.ports.live.locks.acquire({ ...lock, now: started })
  let sent = 0

  async function report(type: string, position: number) {
    const body = {
      playlist_id: playlistId,
      video_id: 'v0',
      event_type: type,
      watch_time: position,
      client_time: iso(started + position * 1_000),
      event_id: randomUUID(),
    }
    await eventually(async () => {
      sent += 1
      const answer = await callAs(world, replica.url, person, sid).post('/engagement/track', body)
      expect(answer.status).toBe(200)
    })
  }

  return {
    person,
    watched,
    sent: () => sent,
    watch: async () => {
      await report('play', 0)
      for (let position = 5; position < seconds; position += 5) await report('playing', position)
      await report('ended', seconds)
    },
  }
}

test('every second is credited once although replicas are killed under load and clients repeat reports', async () => {
  const viewers = await Promise.all(Array.from({ length: 40 }, createViewer))
  const watching = Promise.all(viewers.map(viewer => viewer.watch()))
  let isDone = false
  void watching.finally(() => {
    isDone = true
  })
  let killCount = 0
  while (!isDone && killCount < kills) {
    const before = viewers.reduce((sum, viewer) => sum + viewer.sent(), 0)
    // Kills a replica in the middle: after 60 more reports.
    await eventually(() => isDone || viewers.reduce((sum, viewer) => sum + viewer.sent(), 0) > before + 60)
    await replica.kill()
    killCount += 1
    await replica.start()
  }
  await watching
  expect(killCount).toBe(kills)
  const repeats = viewers.reduce((sum, viewer) => sum + viewer.sent(), 0) - viewers.length * (seconds / 5 + 1)
  expect(repeats).toBeGreaterThan(0)

  for (const { watched, person } of viewers) {
    const video = await watched()
    expect(video).toMatchObject({ completion_rate: 100, completed: true, missing: [], notes: [] })
    expect(video.watch_time).toBeCloseTo(seconds, 3)
    const filter = { 'event.type': 'video.completed', 'event.data.person_id': person.id }
    expect(await collectionOf(world, 'outbox').countDocuments(filter)).toBe(1)
  }
  await eventually(async () => (await collectionOf(world, 'outbox').countDocuments({ pending: true })) === 0)
})
