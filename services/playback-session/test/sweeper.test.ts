import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
import { as, aTeamWatching, createPlaybackWorld, type PlaybackWorld, rows } from './_util.ts'

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
  services = started.map(each => each.service)
})
afterEach(() => world.close())

const sweepEverywhere = async () => {
  const ended = await Promise.all(services.map(each => each.sweepOnce()))
  return ended.reduce((sum, each) => sum + each, 0)
}
const expired = () => world.of('monitoring.stopped')

async function watching(size = 1) {
  const { team, playlist } = await aTeamWatching(world, url, size)
  for (const each of team) {
    const answer = await as(world, url, each).post('/session/monitoring', {
      is_monitoring: true,
      playlist_id: playlist.id,
    })
    expect(answer.status).toBe(200)
  }
  const save = (progress: number) =>
    as(world, url, team[0]!).post('/session/save-progress', {
      playlist_id: playlist.id,
      video_id: 'v0',
      video_index: 0,
      progress,
    })
  const beat = () => as(world, url, team[0]!).post('/session/heartbeat')
  return { team, trainee: team[0]!, playlist, save, beat, started: clock.now() }
}

describe('the sweeper', () => {
  test('ends what was silent for five minutes, once, however many sweep', async () => {
    const { team, started } = await watching(8)
    clock.advance(5 * minute - 1)
    expect(await sweepEverywhere()).toBe(0)
    clock.advance(2)
    expect(await sweepEverywhere()).toBe(8)
    expect(await sweepEverywhere()).toBe(0)
    await eventually(() => expect(expired()).toHaveLength(8))
    expect(new Set(expired().map(each => each.person_id))).toEqual(new Set(team.map(each => each.id)))
    for (const each of expired())
      expect(each).toMatchObject({ reason: 'expired', stopped_at: new Date(started).toISOString() })
    expect(await rows(world, 'monitoring_sessions').countDocuments({ open: true })).toBe(0)
  })

  test('ends at the last saved position or the last heartbeat, whichever was later', async () => {
    const { save, beat } = await watching()
    clock.advance(minute)
    await save(3)
    clock.advance(minute)
    await beat()
    const heard = clock.now()
    clock.advance(4 * minute)
    expect(await sweepEverywhere()).toBe(0)
    clock.advance(minute + 1)
    expect(await sweepEverywhere()).toBe(1)
    await eventually(() => expect(expired()).toMatchObject([{ stopped_at: new Date(heard).toISOString() }]))
  })

  test('leaves a session whose lock was forgotten, while its positions are new', async () => {
    const { trainee, save, beat } = await watching()
    clock.advance(4 * minute)
    await save(3)
    await world.ports.live.locks.release(trainee.id, `sid-${trainee.id}`)
    clock.advance(2 * minute)
    expect(await sweepEverywhere()).toBe(0)
    expect((await beat()).status).toBe(200)
  })

  test('the lock of somebody else is no evidence', async () => {
    const { trainee, playlist } = await watching()
    clock.advance(6 * minute)
    const lock = { personId: trainee.id, sid: 'other', fence: 9, playlistId: playlist.id }
    await world.ports.live.locks.acquire({ ...lock, now: clock.now(), ttlMs: minute, takeOver: false })
    expect(await sweepEverywhere()).toBe(1)
  })

  test('what the holder ended is left as it is', async () => {
    const { trainee } = await watching()
    await as(world, url, trainee).post('/session/monitoring', { is_monitoring: false })
    clock.advance(10 * minute)
    expect(await sweepEverywhere()).toBe(0)
    await eventually(() => expect(expired()).toMatchObject([{ reason: 'released' }]))
  })

  test('a session that ends otherwise between the look and the write ends once, and not by the sweeper', async () => {
    const { trainee } = await watching()
    clock.advance(6 * minute)
    const { live } = world.ports
    const meanwhile: LiveStore = {
      ...live,
      locks: {
        ...live.locks,
        of: async (...asked) => {
          await world.tell('session.revoked', { sid: `sid-${trainee.id}`, person_id: trainee.id, reason: 'signed_out' })
          return live.locks.of(...asked)
        },
      },
    }
    const { service } = await world.start({ ports: { live: meanwhile } })
    expect(await service.sweepOnce()).toBe(0)
    await eventually(() => expect(expired()).toMatchObject([{ reason: 'signed_out' }]))
    expect(await rows(world, 'monitoring_sessions').findOne({ person_id: trainee.id })).toMatchObject({
      reason: 'signed_out',
    })
  })

  test('decides nothing while the live store is away', async () => {
    await watching()
    clock.advance(10 * minute)
    const away = {
      ...world.ports.live,
      locks: {
        of: async () => {
          throw new LiveStoreUnavailable('away')
        },
      },
    } as unknown as LiveStore
    const { service } = await world.start({ ports: { live: away } })
    await expect(service.sweepOnce()).rejects.toThrow(LiveStoreUnavailable)
    expect(await rows(world, 'monitoring_sessions').countDocuments({ open: true })).toBe(1)
  })
})
