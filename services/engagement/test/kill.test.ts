import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { systemClock } from '@watchline/kit/core/clock'
import { eventually } from '@watchline/testing/harness'
import { type ServiceProcess, startServiceProcess } from '@watchline/testing/processes'
import { as, aTrainee, createEngagementWorld, type EngagementWorld, iso, rows } from './_util.ts'

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

/** A viewer with unsent reports. Each report is repeated until it is acknowledged. */
async function aViewer() {
  const { person, playlistId, watched } = await aTrainee(world, replica.url, [seconds])
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
      const answer = await as(world, replica.url, person, sid).post('/engagement/track', body)
      expect(answer.status).toBe(200)
    }, 60_000)
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

test('credits everything exactly once although replicas are killed under load and clients repeat reports', async () => {
  const viewers = await Promise.all(Array.from({ length: 40 }, aViewer))
  const watching = Promise.all(viewers.map(each => each.watch()))
  let done = false
  void watching.finally(() => {
    done = true
  })
  let killed = 0
  while (!done && killed < kills) {
    const before = viewers.reduce((sum, each) => sum + each.sent(), 0)
    // Kills while reports arrive: after a good part of them has come since the last kill.
    await eventually(() => done || viewers.reduce((sum, each) => sum + each.sent(), 0) > before + 100, 60_000)
    await replica.kill()
    killed += 1
    await replica.start()
  }
  await watching
  expect(killed).toBe(kills)
  const repeats = viewers.reduce((sum, each) => sum + each.sent(), 0) - viewers.length * (seconds / 5 + 1)
  expect(repeats).toBeGreaterThan(0)

  for (const { watched, person } of viewers) {
    const video = await watched()
    expect(video).toMatchObject({ completion_rate: 100, completed: true, missing: [], notes: [] })
    expect(video.watch_time).toBeCloseTo(seconds, 3)
    const filter = { 'event.type': 'video.completed', 'event.data.person_id': person.id }
    expect(await rows(world, 'outbox').countDocuments(filter)).toBe(1)
  }
  await eventually(async () => (await rows(world, 'outbox').countDocuments({ pending: true })) === 0)
}, 240_000)
