import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { LiveStoreAdapter } from '@watchline/kit/live/live-store-adapter'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import { eventually, serverUrl } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import {
  assignPlaylist,
  type Caller,
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
} from './_util.ts'

const minute = 60_000

describe.each([
  ['in one process', { bus: 'in-process', live: 'memory' }],
  ['on RabbitMQ and Redis', { bus: 'rabbitmq', live: 'redis' }],
] as const)('monitoring, %s', (_name, adapters) => {
  const clock = createManualClock()
  let world: PlaybackWorld
  let url: string
  /** The base URL of a second replica. */
  let secondUrl: string
  let live: ResettableLiveStore
  beforeAll(async () => {
    world = await createPlaybackWorld({ ...adapters, clock })
    live = createResettableLiveStore(adapters.live, world.name)
    url = (await world.start({ ports: { live: live.store } })).url
    secondUrl = (await world.start({ ports: { ...(await world.otherPorts()), live: live.store } })).url
  })
  afterAll(async () => {
    await world.close()
    await live.store.close()
  })

  const start = (caller: Caller, playlistId: string, fields: Record<string, unknown> = {}) =>
    caller.post('/session/monitoring', { is_monitoring: true, playlist_id: playlistId, ...fields })
  const stop = (caller: Caller, fields: Record<string, unknown> = {}) =>
    caller.post('/session/monitoring', { is_monitoring: false, ...fields })
  const save = (caller: Caller, playlistId: string, progress: number, index = 0) => {
    clock.advance(10)
    const body = { playlist_id: playlistId, video_id: `v${index}`, video_index: index, progress }
    return caller.post('/session/save-progress', body)
  }
  const sessionsOf = (person: PersonSnapshot) =>
    collectionOf(world, 'monitoring_sessions').find({ person_id: person.id }).sort({ _id: 1 }).toArray()
  const positionOf = async (person: PersonSnapshot, playlistId: string) =>
    (await collectionOf(world, 'progress').findOne({ _id: `${person.id}:${playlistId}` }))?.position
  // The sessions use two replicas, whose events may arrive in any order.
  const bySession = (events: string[]) => events.sort((a, b) => a.split('-')[0]!.localeCompare(b.split('-')[0]!))
  const eventsOf = (person: PersonSnapshot) =>
    bySession(
      world.published
        .filter(event => event.type.startsWith('monitoring.') && event.subject === person.id)
        .map(event => {
          const data = event.data as { sid: string; reason?: string }
          return `${data.sid.split(' ')[0]} ${data.reason ?? 'started'}`
        }),
    )

  /** A trainee in two login sessions at two replicas. */
  async function createTwoSessions() {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    return {
      boss,
      trainee,
      playlist,
      first: callAs(world, url, trainee, `first-${trainee.id}`),
      second: callAs(world, secondUrl, trainee, `second-${trainee.id}`),
    }
  }
  const expectedEvents = (person: PersonSnapshot, ...names: string[]) =>
    bySession(names.map(name => name.replace(/^(\w+)/, `$1-${person.id}`)))

  test('acquiring, renewing and releasing the lock is stored and published', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    const answer = await start(first, playlist.id)
    expect(answer.json).toEqual({ success: true, is_monitoring: true, expires_in: 300 })
    expect((await start(first, playlist.id)).status).toBe(200)
    expect((await first.post('/session/heartbeat')).status).toBe(200)
    expect((await first.get('/session/status')).json.is_monitoring).toBe(true)
    expect((await second.get('/session/status')).json.is_monitoring).toBe(true)
    expect((await stop(first)).json).toEqual({ success: true, is_monitoring: false, expires_in: 0 })
    expect((await second.get('/session/status')).json.is_monitoring).toBe(false)
    await eventually(() =>
      expect(eventsOf(trainee)).toEqual(expectedEvents(trainee, 'first started', 'first released')),
    )
    expect(await sessionsOf(trainee)).toEqual([expect.objectContaining({ reason: 'released', fence: 1 })])
    expect(world.of('monitoring.started').find(event => event.person_id === trainee.id)).toMatchObject({
      playlist_id: playlist.id,
      fence: 1,
      sid: `first-${trainee.id}`,
    })
  })

  test('another session gets 409 on every call, and the lock owner continues', async () => {
    const { playlist, first, second } = await createTwoSessions()
    await start(first, playlist.id)
    for (const answer of [
      await start(second, playlist.id),
      await save(second, playlist.id, 3),
      await second.post('/session/heartbeat'),
      await stop(second),
    ])
      expect([answer.status, answer.json.code]).toEqual([409, 'monitoring_elsewhere'])
    const refused = await start(second, playlist.id)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(290)
    expect((await save(first, playlist.id, 4)).status).toBe(200)
  })

  test('without a lock, saving answers 409 and stopping succeeds', async () => {
    const { trainee, playlist, first } = await createTwoSessions()
    expect((await save(first, playlist.id, 3)).status).toBe(409)
    expect((await first.post('/session/heartbeat')).status).toBe(409)
    expect((await stop(first, { playlist_id: playlist.id })).status).toBe(200)
    expect((await stop(first, { playlist_id: 'unknown' })).status).toBe(200)
    expect(await sessionsOf(trainee)).toEqual([])
  })

  test('a late stop of one playlist leaves the lock on another', async () => {
    const { boss, trainee, playlist, first, second } = await createTwoSessions()
    const secondPlaylist = await createPlaylist(boss)
    await assignPlaylist(boss, secondPlaylist.id, trainee)
    await start(first, playlist.id)
    await start(first, secondPlaylist.id)
    expect((await stop(first, { playlist_id: playlist.id })).json).toMatchObject({ is_monitoring: false })
    expect((await first.post('/session/heartbeat')).status).toBe(200)
    expect((await start(second, playlist.id)).status).toBe(409)

    for (let repeat = 0; repeat < 2; repeat += 1)
      expect((await stop(first, { playlist_id: secondPlaylist.id })).status).toBe(200)
    expect((await start(second, playlist.id)).status).toBe(200)
    expect((await stop(first, { playlist_id: playlist.id })).status).toBe(409)
    expect((await second.post('/session/heartbeat')).status).toBe(200)
    await eventually(() =>
      expect(eventsOf(trainee)).toEqual(
        expectedEvents(trainee, 'first started', 'first released', 'first started', 'first released', 'second started'),
      ),
    )
  })

  test('the stopping call also saves the position', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    await start(first, playlist.id, { current_video_id: 'v1', current_video_index: 1, video_progress: 2 })
    expect(await positionOf(trainee, playlist.id)).toBe(2)
    clock.advance(5_000)
    await stop(first, {
      playlist_id: playlist.id,
      current_video_id: 'v1',
      current_video_index: 1,
      video_progress: 7,
    })
    expect((await second.get('/session/status')).json).toMatchObject({
      can_resume: true,
      is_monitoring: false,
      current_video_index: 1,
      video_progress: 7,
    })
  })

  test('the status says which login session owned the lock last', async () => {
    const { playlist, first, second } = await createTwoSessions()
    const ownersOf = async () =>
      Promise.all([first, second].map(async caller => (await caller.get('/session/status')).json.owned_lock_last))
    expect(await ownersOf()).toEqual([false, false])
    await start(first, playlist.id)
    expect(await ownersOf()).toEqual([true, false])
    await stop(first)
    expect(await ownersOf()).toEqual([true, false])
    await start(second, playlist.id)
    await stop(second)
    expect(await ownersOf()).toEqual([false, true])
  })

  test('the position of a paused player is saved, unless another session has watched since', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    const positionAt = (seconds: number) => ({
      playlist_id: playlist.id,
      current_video_id: 'v1',
      current_video_index: 1,
      video_progress: seconds,
    })
    expect((await stop(first, positionAt(3))).status).toBe(200)
    expect(await positionOf(trainee, playlist.id)).toBeUndefined()
    await start(first, playlist.id)
    await stop(first)
    expect((await stop(first, positionAt(12))).status).toBe(200)
    expect(await positionOf(trainee, playlist.id)).toBe(12)
    await start(second, playlist.id)
    await save(second, playlist.id, 15, 1)
    await stop(second)
    expect((await stop(first, positionAt(4))).status).toBe(200)
    expect(await positionOf(trainee, playlist.id)).toBe(15)
  })

  test('of concurrent starts one login session wins, with one monitored session', async () => {
    for (let round = 0; round < 3; round += 1) {
      const { trainee, playlist, first, second } = await createTwoSessions()
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => start(index % 2 ? first : second, playlist.id)),
      )
      expect(answers.every(answer => answer.status === 200 || answer.status === 409)).toBe(true)
      const winners = new Set(answers.flatMap((answer, index) => (answer.status === 200 ? [index % 2] : [])))
      expect(winners.size).toBe(1)
      expect(await sessionsOf(trainee)).toHaveLength(1)
      const winner = winners.has(1) ? first : second
      expect((await save(winner, playlist.id, 1)).status).toBe(200)
      await eventually(() => expect(eventsOf(trainee)).toHaveLength(1))
    }
  })

  test('concurrent takeovers leave one open session, whose owner can save', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => start(index % 2 ? first : second, playlist.id, { take_over: true })),
    )
    expect(answers.some(answer => answer.status === 200)).toBe(true)
    expect(answers.every(answer => answer.status === 200 || answer.status === 409)).toBe(true)
    const saves = [await save(first, playlist.id, 1), await save(second, playlist.id, 2)].map(answer => answer.status)
    expect(saves.sort()).toEqual([200, 409])
    const openSessions = (await sessionsOf(trainee)).filter(session => session.open)
    expect(openSessions).toHaveLength(1)
  })

  test('a waiting start is dropped when its client disconnects', async () => {
    const { trainee, playlist, boss } = await createTeamWithPlaylist(world, url)
    const firstMayAcquire = Promise.withResolvers<void>()
    const acquiring: string[] = []
    const present: string[] = []
    const locks: LiveStoreAdapter['locks'] = {
      ...live.store.locks,
      acquire: async input => {
        acquiring.push(input.sid)
        await firstMayAcquire.promise
        return live.store.locks.acquire(input)
      },
    }
    const presence: LiveStoreAdapter['presence'] = {
      ...live.store.presence,
      report: async reports => {
        present.push(...reports.map(report => report.sid))
        await live.store.presence.report(reports)
      },
    }
    const replaced = { locks, presence }
    const slow = new Proxy(live.store, { get: (store, key) => Reflect.get(key in replaced ? replaced : store, key) })
    const { url: slowUrl, service } = await world.start({ ports: { live: slow } })
    const callerOf = (sid: string) => callAs(world, slowUrl, trainee, sid)
    const first = start(callerOf('first'), playlist.id)
    await eventually(() => expect(acquiring).toEqual(['first']))
    const body = { is_monitoring: true, playlist_id: playlist.id, take_over: true }
    const second = sendWithoutWaiting(slowUrl, '/api/session/monitoring', world.token(trainee, 'second'), body)
    // Reported when the call begins, and written later.
    await eventually(() => expect(present).toContain('second'))
    await second.disconnect()
    // Answered after the server has noticed that the client is gone.
    expect((await boss.get('/users/online')).status).toBe(200)
    const third = start(callerOf('third'), playlist.id, { take_over: true })
    firstMayAcquire.resolve()
    expect((await first).status).toBe(200)
    expect((await third).status).toBe(200)
    expect(acquiring).toEqual(['first', 'third'])
    await service.stop()
  })

  test('a session that ends during a start does not refuse it', async () => {
    const { trainee, playlist, first } = await createTwoSessions()
    expect((await start(first, playlist.id)).status).toBe(200)
    let stopStatus: number | undefined
    const locks: LiveStoreAdapter['locks'] = {
      ...live.store.locks,
      get: async (...args) => {
        stopStatus ??= (await stop(first)).status
        return live.store.locks.get(...args)
      },
    }
    const stopping = new Proxy(live.store, {
      get: (store, key) => Reflect.get(key === 'locks' ? { locks } : store, key),
    })
    const { url: stoppingUrl, service } = await world.start({ ports: { live: stopping } })
    expect((await start(callAs(world, stoppingUrl, trainee, 'other'), playlist.id)).status).toBe(200)
    expect(stopStatus).toBe(200)
    await service.stop()
  })

  test('a takeover ends the other session and rejects its calls', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    await start(first, playlist.id)
    await save(first, playlist.id, 3)
    expect((await start(second, playlist.id, { take_over: true })).status).toBe(200)
    expect((await save(first, playlist.id, 4)).status).toBe(409)
    expect((await first.post('/session/heartbeat')).status).toBe(409)
    expect((await save(second, playlist.id, 5)).status).toBe(200)
    expect(await positionOf(trainee, playlist.id)).toBe(5)
    await eventually(() =>
      expect(eventsOf(trainee)).toEqual(expectedEvents(trainee, 'first started', 'first taken_over', 'second started')),
    )
  })

  test('a takeover keeps the position of the session that it ends, also with a position of its own', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    await start(first, playlist.id)
    await save(first, playlist.id, 8)
    const earlier = { current_video_id: 'v0', current_video_index: 0, video_progress: 3 }
    const gone = { current_video_id: 'removed', current_video_index: 0, video_progress: 3 }
    for (const position of [earlier, earlier, gone]) {
      expect((await start(second, playlist.id, { take_over: true, ...position })).status).toBe(200)
      expect(await positionOf(trainee, playlist.id)).toBe(8)
    }
    const { json } = await second.get(`/session/status?playlist_id=${playlist.id}`)
    expect(json).toMatchObject({ current_video_id: 'v0', video_progress: 8 })
  })

  test('a stale owner writes nothing, even if the live store has its old lock again', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    await start(first, playlist.id)
    await start(second, playlist.id, { take_over: true })
    await save(second, playlist.id, 5)
    await live.reset()
    // Simulates a live store restored from an old copy.
    const stale = { personId: trainee.id, sid: `first-${trainee.id}`, fence: 1, playlistId: playlist.id }
    await live.store.locks.acquire({ ...stale, now: clock.now(), ttlMs: 5 * minute, takeOver: false })
    expect((await save(first, playlist.id, 9)).status).toBe(409)
    expect(await positionOf(trainee, playlist.id)).toBe(5)
    // The current owner continues without help.
    expect((await save(second, playlist.id, 6)).status).toBe(200)
    expect(await positionOf(trainee, playlist.id)).toBe(6)
  })

  test('a write in progress during a takeover is rejected', async () => {
    // A batch is written when the colleague's save fills it.
    const saving = { windowMs: 600_000, quietMs: 600_000, maxBatch: 2 }
    const slowUrl = (await world.start({ ports: { live: live.store }, saving })).url
    const { trainee, playlist, second } = await createTwoSessions()
    const first = callAs(world, slowUrl, trainee, `first-${trainee.id}`)
    const colleague = await createTwoSessions()
    const slowColleague = callAs(world, slowUrl, colleague.trainee)
    await start(slowColleague, colleague.playlist.id)
    await start(first, playlist.id)
    const slowSave = save(first, playlist.id, 9)
    // The waiting call has renewed the lock, so the takeover comes after the check.
    await eventually(async () => {
      const lock = await live.store.locks.get(trainee.id, clock.now())
      expect(lock!.heardAt).toBe(clock.now())
    })
    await start(second, playlist.id, { take_over: true })
    await save(second, playlist.id, 5)
    expect((await save(slowColleague, colleague.playlist.id, 1)).status).toBe(200)
    expect((await slowSave).status).toBe(409)
    expect(await positionOf(trainee, playlist.id)).toBe(5)
  })

  test('a lost lock is restored from the open session', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    await start(first, playlist.id)
    await save(first, playlist.id, 3)
    await live.reset()
    expect((await start(second, playlist.id)).status).toBe(409)
    expect((await save(second, playlist.id, 9)).status).toBe(409)
    expect((await first.post('/session/heartbeat')).status).toBe(200)
    expect((await live.store.locks.get(trainee.id, clock.now()))?.fence).toBe(1)
    await live.reset()
    expect((await save(first, playlist.id, 4)).status).toBe(200)
    await live.reset()
    expect((await stop(first)).status).toBe(200)
    await eventually(() =>
      expect(eventsOf(trainee)).toEqual(expectedEvents(trainee, 'first started', 'first released')),
    )
    expect((await start(second, playlist.id)).status).toBe(200)
  })

  test('a lost lock can be taken over at once, and is free after a lock duration without evidence', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    await start(first, playlist.id)
    await live.reset()
    expect((await start(second, playlist.id, { take_over: true })).status).toBe(200)
    expect((await save(first, playlist.id, 4)).status).toBe(409)
    await live.reset()
    clock.advance(5 * minute)
    const [firstAgain, secondAgain] = [
      callAs(world, url, trainee, `first-${trainee.id}`),
      callAs(world, secondUrl, trainee, `second-${trainee.id}`),
    ]
    expect((await save(secondAgain, playlist.id, 5)).status).toBe(409)
    expect((await start(firstAgain, playlist.id)).status).toBe(200)
    await eventually(() =>
      expect(eventsOf(trainee)).toEqual(
        expectedEvents(
          trainee,
          'first started',
          'first taken_over',
          'second started',
          'second expired',
          'first started',
        ),
      ),
    )
  })

  test('an expired lock is free, and its session ends at its last evidence', async () => {
    const { trainee, playlist, first } = await createTwoSessions()
    await start(first, playlist.id)
    clock.advance(minute)
    await save(first, playlist.id, 3)
    const evidence = clock.now()
    clock.advance(5 * minute + 1)
    const second = callAs(world, secondUrl, trainee, `second-${trainee.id}`)
    expect((await start(second, playlist.id)).status).toBe(200)
    const [ended] = await sessionsOf(trainee)
    expect(ended).toMatchObject({ reason: 'expired', ended_at: new Date(evidence) })
  })

  test('heartbeats and saves keep the lock', async () => {
    const { trainee, playlist, first } = await createTwoSessions()
    await start(first, playlist.id)
    for (let beat = 0; beat < 4; beat += 1) {
      clock.advance(4 * minute)
      const owner = callAs(world, url, trainee, `first-${trainee.id}`)
      expect((await owner.post('/session/heartbeat')).status).toBe(200)
      const second = callAs(world, secondUrl, trainee, `second-${trainee.id}`)
      expect((await start(second, playlist.id)).status).toBe(409)
    }
  })

  test('another playlist in the same login session keeps the lock and its fencing token', async () => {
    const { boss, trainee, playlist, first } = await createTwoSessions()
    const secondPlaylist = await createPlaylist(boss)
    await assignPlaylist(boss, secondPlaylist.id, trainee)
    await start(first, playlist.id)
    expect((await start(first, secondPlaylist.id)).status).toBe(200)
    expect((await save(first, secondPlaylist.id, 3)).status).toBe(200)
    const sessions = await sessionsOf(trainee)
    expect(sessions).toMatchObject([
      { playlist_id: playlist.id, fence: 1, reason: 'released' },
      { playlist_id: secondPlaylist.id, fence: 1, open: true },
    ])
    await eventually(() =>
      expect(eventsOf(trainee)).toEqual(expectedEvents(trainee, 'first started', 'first released', 'first started')),
    )
  })

  test('signing out ends the session and releases the lock; repeated or late events change nothing', async () => {
    const { trainee, playlist, first, second } = await createTwoSessions()
    await start(first, playlist.id)
    const revoked = { sid: `first-${trainee.id}`, person_id: trainee.id, reason: 'signed_out' as const }
    await live.store.revocations.add(revoked.sid, clock.now() + 10 * minute)
    // The revoked session blocks nobody before its event arrives.
    expect((await start(second, playlist.id)).status).toBe(200)
    expect((await start(first, playlist.id)).status).toBe(401)
    await world.publish('session.revoked', revoked)
    await world.publish('session.revoked', revoked)
    expect((await save(second, playlist.id, 5)).status).toBe(200)
    await eventually(() =>
      expect(eventsOf(trainee)).toEqual(expectedEvents(trainee, 'first started', 'first taken_over', 'second started')),
    )
    const ended = { ...revoked, sid: `second-${trainee.id}` }
    await live.store.revocations.add(ended.sid, clock.now() + 10 * minute)
    await world.publish('session.revoked', ended, { id: `revoked-${trainee.id}` })
    await world.publish('session.revoked', ended, { id: `revoked-${trainee.id}` })
    await eventually(() => expect(eventsOf(trainee).at(-1)).toBe(expectedEvents(trainee, 'second signed_out')[0]))
    expect((await save(second, playlist.id, 6)).status).toBe(409)
    expect(await live.store.locks.get(trainee.id, clock.now())).toBeUndefined()
    expect(eventsOf(trainee).filter(event => event.endsWith('signed_out'))).toHaveLength(1)
  })
})

interface ResettableLiveStore {
  store: LiveStoreAdapter
  /** Simulates FLUSHALL, or a restart of Redis without persistence. */
  reset(): Promise<void>
}

/**
 * Sends a call on a connection of its own, which `disconnect` closes without reading the answer.
 */
function sendWithoutWaiting(url: string, path: string, token: string, json: object) {
  const { hostname, port } = new URL(url)
  const body = JSON.stringify(json)
  const socket = connect(Number(port), hostname)
  const closed = once(socket, 'close')
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Bearer ${token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.resume()
  return {
    /** Resolves when the server has closed its side. */
    disconnect: () => {
      socket.end()
      return closed
    },
  }
}

function createResettableLiveStore(kind: 'memory' | 'redis', name: string): ResettableLiveStore {
  let resetCount = 0
  const createStore = () =>
    kind === 'redis'
      ? createRedisLiveStore({ url: serverUrl('REDIS_URL'), prefix: `${name}-${resetCount}:` })
      : createMemoryLiveStore()
  let current = createStore()
  const store = new Proxy({} as LiveStoreAdapter, { get: (_target, key) => Reflect.get(current, key) })
  return {
    store,
    reset: async () => {
      resetCount += 1
      await current.close()
      current = createStore()
    },
  }
}
