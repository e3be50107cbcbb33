import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
import { callAs, collectionOf, createPlaybackWorld, createTeamWithPlaylist, type PlaybackWorld } from './_util.ts'

const minute = 60_000
let clock: ReturnType<typeof createManualClock>
let world: PlaybackWorld
let url: string
let services: PlaybackSessionService[]
beforeEach(async () => {
  clock = createManualClock()
  world = await createPlaybackWorld({ clock })
  const started = [await world.start(), await world.start()]
  url = started[0]!.url
  services = started.map(replica => replica.service)
})
afterEach(() => world.close())

/** Returns how many sessions expired so far, also by the job that each replica repeats. */
const sweepEverywhere = async () => {
  await Promise.all(services.map(service => service.sweepOnce()))
  return collectionOf(world, 'monitoring_sessions').countDocuments({ reason: 'expired' })
}
const stoppedEvents = () => world.of('monitoring.stopped')

async function startSessions(size = 1) {
  const { team, playlist } = await createTeamWithPlaylist(world, url, size)
  for (const person of team) {
    const answer = await callAs(world, url, person).post('/session/monitoring', {
      is_monitoring: true,
      playlist_id: playlist.id,
    })
    expect(answer.status).toBe(200)
  }
  const save = (progress: number) =>
    callAs(world, url, team[0]!).post('/session/save-progress', {
      playlist_id: playlist.id,
      video_id: 'v0',
      video_index: 0,
      progress,
    })
  const beat = () => callAs(world, url, team[0]!).post('/session/heartbeat')
  return { team, trainee: team[0]!, playlist, save, beat, started: clock.now() }
}

describe('the sweeper', () => {
  test('ends sessions without evidence for five minutes once, even with many sweepers', async () => {
    const { team, started } = await startSessions(8)
    clock.advance(5 * minute - 1)
    expect(await sweepEverywhere()).toBe(0)
    clock.advance(2)
    expect(await sweepEverywhere()).toBe(8)
    expect(await sweepEverywhere()).toBe(8)
    await eventually(() => expect(stoppedEvents()).toHaveLength(8))
    expect(new Set(stoppedEvents().map(event => event.person_id))).toEqual(new Set(team.map(person => person.id)))
    for (const event of stoppedEvents())
      expect(event).toMatchObject({ reason: 'expired', stopped_at: new Date(started).toISOString() })
    expect(await collectionOf(world, 'monitoring_sessions').countDocuments({ open: true })).toBe(0)
  })

  test('dates the end at the last saved position or heartbeat, whichever is later', async () => {
    const { save, beat } = await startSessions()
    clock.advance(minute)
    await save(3)
    clock.advance(minute)
    await beat()
    const lastHeartbeat = clock.now()
    clock.advance(4 * minute)
    expect(await sweepEverywhere()).toBe(0)
    clock.advance(minute + 1)
    expect(await sweepEverywhere()).toBe(1)
    await eventually(() =>
      expect(stoppedEvents()).toMatchObject([{ stopped_at: new Date(lastHeartbeat).toISOString() }]),
    )
  })

  test('keeps a session with a lost lock while it saves positions', async () => {
    const { trainee, save, beat } = await startSessions()
    clock.advance(4 * minute)
    await save(3)
    await world.ports.live.locks.release(trainee.id, `sid-${trainee.id}`)
    clock.advance(2 * minute)
    expect(await sweepEverywhere()).toBe(0)
    expect((await beat()).status).toBe(200)
  })

  test('the lock of another session is no evidence', async () => {
    const { trainee, playlist } = await startSessions()
    clock.advance(6 * minute)
    const lock = { personId: trainee.id, sid: 'other', fence: 9, playlistId: playlist.id }
    await world.ports.live.locks.acquire({ ...lock, now: clock.now(), ttlMs: minute, takeOver: false })
    expect(await sweepEverywhere()).toBe(1)
  })

  test('changes no session that its owner ended', async () => {
    const { trainee } = await startSessions()
    await callAs(world, url, trainee).post('/session/monitoring', { is_monitoring: false })
    clock.advance(10 * minute)
    expect(await sweepEverywhere()).toBe(0)
    await eventually(() => expect(stoppedEvents()).toMatchObject([{ reason: 'released' }]))
  })

  test('a session that ends between the sweeper’s read and write is not ended again', async () => {
    const { trainee } = await startSessions()
    // Only the service below sweeps.
    for (const service of services) await service.stop()
    const { live } = world.ports
    const racingLive: LiveStore = {
      ...live,
      locks: {
        ...live.locks,
        of: async (...args) => {
          await world.publish('session.revoked', {
            sid: `sid-${trainee.id}`,
            person_id: trainee.id,
            reason: 'signed_out',
          })
          return live.locks.of(...args)
        },
      },
    }
    const { service } = await world.start({ ports: { live: racingLive } })
    clock.advance(6 * minute)
    expect(await service.sweepOnce()).toBe(0)
    await eventually(() => expect(stoppedEvents()).toMatchObject([{ reason: 'signed_out' }]))
    expect(await collectionOf(world, 'monitoring_sessions').findOne({ person_id: trainee.id })).toMatchObject({
      reason: 'signed_out',
    })
  })

  test('ends nothing while the live store is unavailable', async () => {
    await startSessions()
    // Only the service below sweeps.
    for (const service of services) await service.stop()
    const unavailableLive = {
      ...world.ports.live,
      locks: {
        of: async () => {
          throw new LiveStoreUnavailable('away')
        },
      },
    } as unknown as LiveStore
    const { service } = await world.start({ ports: { live: unavailableLive } })
    clock.advance(10 * minute)
    await expect(service.sweepOnce()).rejects.toThrow(LiveStoreUnavailable)
    expect(await collectionOf(world, 'monitoring_sessions').countDocuments({ open: true })).toBe(1)
  })
})
