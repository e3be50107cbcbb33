import { locks as nodeLocks } from 'node:worker_threads'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { waitFor } from '@testing-library/react'
import { type Schedule, scheduleTimeout } from '../../src/api/schedule.ts'
import { createMessageLocks } from '../../src/features/player/session/message-locks.ts'
import { createSessionRunner, type SessionRunner } from '../../src/features/player/session/session-runner.ts'
import { createWindowLock, type WindowLock } from '../../src/features/player/session/window-lock.ts'
import type { SessionPlaylist } from '../../src/features/player/session-playlist.ts'
import { createServer, createTimers, okAnswer, settleAll } from './_answers.ts'
import { createFakeAdapters } from './_fake-adapter.ts'
import { createBrowser } from './_player-outbox.ts'
import { makeSessionPlaylist, makeSessionStatus } from './_session-driver.ts'

/** Waits not for a time but until all windows have surely answered. */
const afterRoundTrips: Schedule = (_ms, run) => {
  const name = `round-trip-${crypto.randomUUID()}`
  const [here, there] = [new BroadcastChannel(name), new BroadcastChannel(name)]
  const close = () => {
    for (const channel of [here, there]) channel.close()
  }
  let remaining = 5
  there.onmessage = () => there.postMessage('back')
  here.onmessage = () => {
    remaining -= 1
    if (remaining > 0) return here.postMessage('there')
    close()
    run()
  }
  here.postMessage('there')
  return close
}

/** Browsers have locks on pages with HTTPS only; on other pages messages stand in for them. */
const mechanisms = [
  { name: 'Web Locks', locks: nodeLocks as LockManager },
  { name: 'messages', locks: createMessageLocks(afterRoundTrips)! },
]
let locks = mechanisms[0]!.locks
const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** The wait for the lock ends only if the test says so. */
const never: Schedule = () => () => {}
const atOnce: Schedule = (_ms, run) => {
  queueMicrotask(run)
  return () => {}
}
const inHalfASecond: Schedule = (_ms, run) => scheduleTimeout(500, run)

function openWindow(
  personId: string,
  { schedule = never, handOver = async () => {} }: { schedule?: Schedule; handOver?: () => Promise<void> } = {},
) {
  const seen: string[] = []
  const playback = {
    handOver() {
      seen.push('hand over')
      return handOver().then(() => void seen.push('saved'))
    },
    showOtherWindowPlays: () => void seen.push('other window plays'),
  }
  const lock: WindowLock = createWindowLock(playback, { personId, locks, schedule, log: () => {} })
  closers.push(lock.close)
  return { lock, seen }
}

test('a browser that grants a free lock late does not pretend that another window plays', async () => {
  const playback = { handOver: async () => {}, showOtherWindowPlays: () => {} }
  const grant = Promise.withResolvers<void>()
  let queries = 0
  const slowLocks = {
    request: async (_name: string, { signal }: LockOptions, run: () => unknown) => {
      await Promise.race([
        grant.promise,
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      ])
      return run()
    },
    query: async () => {
      queries += 1
      if (queries === 3) grant.resolve()
      return { held: [{ name: 'watchline-playing-somebody-else' }], pending: [{ name: 'watchline-playing-slow' }] }
    },
  } as unknown as LockManager
  const lock = createWindowLock(playback, { personId: 'slow', locks: slowLocks, schedule: atOnce })
  closers.push(lock.close)
  expect(await lock.acquire(false)).toBe(true)
  expect(queries).toBeGreaterThanOrEqual(3)
})

describe.each(mechanisms)('the windows of one browser with $name', mechanism => {
  beforeEach(() => {
    locks = mechanism.locks
  })

  test('play one at a time: a second one is refused, and gets the lock once the first has released it', async () => {
    const first = openWindow('one-at-a-time')
    const second = openWindow('one-at-a-time', { schedule: atOnce })
    expect(await first.lock.acquire(false)).toBe(true)
    expect(await first.lock.acquire(false)).toBe(true)
    expect(await second.lock.acquire(false)).toBe(false)
    expect(first.seen).toEqual([])

    const patient = openWindow('one-at-a-time')
    const granted = patient.lock.acquire(false)
    first.lock.release()
    expect(await granted).toBe(true)
    expect(await second.lock.acquire(false)).toBe(false)
  })

  test('of two people do not know each other', async () => {
    expect(await openWindow('person-a').lock.acquire(false)).toBe(true)
    expect(await openWindow('person-b').lock.acquire(false)).toBe(true)
  })

  test('a takeover waits until the other window has saved, and paused windows learn of it', async () => {
    const saved = Promise.withResolvers<void>()
    const first = openWindow('takeover', { handOver: () => saved.promise })
    const second = openWindow('takeover')
    const paused = openWindow('takeover')
    await first.lock.acquire(false)
    await waitFor(() => expect(paused.seen).toEqual(['other window plays']))
    const events: string[] = []
    const granted = second.lock.acquire(true).then(isGranted => events.push(`granted ${isGranted}`))
    await waitFor(() => expect(first.seen).toEqual(['hand over']))
    events.push('saved')
    saved.resolve()
    await granted
    expect(events).toEqual(['saved', 'granted true'])
    await waitFor(() => expect(paused.seen).toEqual(['other window plays', 'other window plays']))
  })

  test('a window that does not answer loses the lock', async () => {
    const frozen = openWindow('frozen', { handOver: () => new Promise(() => {}) })
    const second = openWindow('frozen', { schedule: atOnce })
    await frozen.lock.acquire(false)
    expect(await second.lock.acquire(true)).toBe(true)
    const third = openWindow('frozen', { schedule: atOnce })
    expect(await third.lock.acquire(false)).toBe(false)
  })

  test('a window without messages shows the other window after the loss of its lock', async () => {
    const first = openWindow('stolen')
    await first.lock.acquire(false)
    await locks.request('watchline-playing-stolen', { steal: true }, () => undefined)
    await waitFor(() => expect(first.seen).toEqual(['other window plays']))
    expect(await first.lock.acquire(false)).toBe(true)
  })

  test('a release ends a wait, and later requests start afresh', async () => {
    const first = openWindow('cancelled')
    const second = openWindow('cancelled')
    await first.lock.acquire(false)
    const granted = second.lock.acquire(false)
    second.lock.release()
    expect(await granted).toBe(false)
    const again = second.lock.acquire(false)
    first.lock.release()
    expect(await again).toBe(true)
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('no position')
      },
    ],
    ['fails', () => Promise.reject(new Error('no network'))],
  ])('a window whose last save %s frees the lock all the same', async (how, handOver) => {
    const first = openWindow(`save-${how}`, { handOver })
    const second = openWindow(`save-${how}`)
    await first.lock.acquire(false)
    expect(await second.lock.acquire(true)).toBe(true)
    expect(first.seen).toContain('hand over')
  })

  test('that ask at the same moment do not both get the lock', async () => {
    const [first, second] = [openWindow('same-moment'), openWindow('same-moment', { schedule: inHalfASecond })]
    const third = openWindow('same-moment', { schedule: inHalfASecond })
    const granted = await Promise.all([second, third].map(({ lock }) => lock.acquire(false)))
    expect(granted.filter(Boolean)).toHaveLength(1)
    for (const { lock } of [second, third]) lock.release()
    expect(await first.lock.acquire(false)).toBe(true)
  })
})

test('windows that get the lock in spite of each other, because messages are late, all lose it', async () => {
  locks = createMessageLocks(atOnce)!
  const windows = [openWindow('late-messages'), openWindow('late-messages')]
  expect(await Promise.all(windows.map(({ lock }) => lock.acquire(false)))).toEqual([true, true])
  for (const { seen } of windows) await waitFor(() => expect(seen).toContain('other window plays'))
})

describe('a browser without usable locks', () => {
  test('that refuses Web Locks lets every window play', async () => {
    const refused: LockManager['request'] = () => Promise.reject(new DOMException('opaque origin', 'SecurityError'))
    const windows = [1, 2].map(() => {
      const seen: string[] = []
      const playback = { handOver: async () => {}, showOtherWindowPlays: () => void seen.push('other window plays') }
      const lock = createWindowLock(playback, {
        personId: 'refused',
        locks: { request: refused },
        schedule: never,
        log: () => {},
      })
      closers.push(lock.close)
      return { lock, seen }
    })
    for (const { lock } of windows) expect(await lock.acquire(false)).toBe(true)
    expect(await windows[0]!.lock.acquire(true)).toBe(true)
    expect(windows.map(({ seen }) => seen)).toEqual([[], []])
  })

  test('and without messages lets every window play', async () => {
    const lock = createWindowLock(
      { handOver: async () => {}, showOtherWindowPlays() {} },
      { personId: 'old', locks: undefined },
    )
    closers.push(lock.close)
    expect(await lock.acquire(false)).toBe(true)
  })
})

const nothingToResume = { ...okAnswer, data: makeSessionStatus({ can_resume: false }) as never }

/** Two windows of a trainee's browser, and all calls of both in order. */
function openTwoWindows(personId: string) {
  const server = createServer()
  server.answerWith(call => (call === 'session-status' ? nothingToResume : okAnswer))
  const browser = createBrowser()
  function open(playlist: SessionPlaylist) {
    const timers = createTimers()
    const adapters = createFakeAdapters()
    const { outbox } = browser.openOutbox({ api: server.api, personId })
    const runner: SessionRunner = createSessionRunner({
      playlist,
      api: server.api,
      outbox,
      createAdapter: adapters.create,
      openWindowLock: playback => createWindowLock(playback, { personId, locks, schedule: timers.schedule }),
      now: timers.now,
      schedule: timers.schedule,
      log: () => {},
    })
    closers.push(() => {
      runner.send({ type: 'leave' })
      outbox.close()
    })
    const phase = () => runner.view.get().phase
    return {
      runner,
      timers,
      adapters,
      phase,
      async play() {
        await waitFor(() => expect(adapters.created).toHaveLength(1))
        adapters.last.emit('cued')
        await waitFor(() => expect(adapters.last.calls).toContain('play'))
        adapters.last.emit('playing')
        expect(phase()).toBe('playing')
      },
    }
  }
  return { server, open }
}

describe.each(mechanisms)('two windows with different playlists and $name', mechanism => {
  beforeEach(() => {
    locks = mechanism.locks
  })

  test('the second one offers to take over; the first one saves what was watched before it stops', async () => {
    const { server, open } = openTwoWindows('two-playlists')
    const first = open(makeSessionPlaylist(1, 'file'))
    first.runner.start()
    await first.play()
    for (let second = 0; second < 7; second += 1) {
      first.adapters.last.currentTime += 1
      await first.timers.pass(1_000)
    }

    const second = open(makeSessionPlaylist(1, 'file', { id: 'p2' }))
    second.runner.start()
    await waitFor(() => expect(second.adapters.created).toHaveLength(1))
    second.adapters.last.emit('cued')
    await second.timers.pass(1_000)
    await waitFor(() => expect(second.phase()).toBe('elsewhere'))
    expect(first.phase()).toBe('playing')
    expect(server.received.filter(({ call }) => call === 'monitoring')).toHaveLength(1)

    const before = server.received.length
    second.runner.send({ type: 'continue-here' })
    await waitFor(() => expect(first.phase()).toBe('elsewhere'))
    await waitFor(() => expect(second.adapters.last.calls).toHaveLength(3))
    second.adapters.last.emit('cued')
    await waitFor(() => expect(second.adapters.last.calls.at(-1)).toBe('play'))
    expect(first.adapters.last.calls.at(-1)).toBe('pause')
    const calls = server.received.slice(before).flatMap(({ call, body }) => {
      const { playlist_id, is_monitoring, take_over, progress, event_type, watch_time } = body as Record<
        string,
        unknown
      >
      if (call === 'save-progress') return [`save ${playlist_id} ${progress}`]
      if (call === 'track') return [`${event_type} ${playlist_id} ${watch_time}`]
      return call === 'monitoring' ? [`monitoring ${playlist_id} ${is_monitoring}${take_over ? ' take over' : ''}`] : []
    })
    expect(calls.slice(0, 3).toSorted()).toEqual(['monitoring p1 false', 'pause p1 7', 'save p1 7'])
    expect(calls[3]).toBe('monitoring p2 true take over')
  })

  test('a window that checks its lock sends its reports before it hands over', async () => {
    const { server, open } = openTwoWindows('checking-lock')
    const first = open(makeSessionPlaylist(1, 'file'))
    first.runner.start()
    await first.play()
    for (let second = 0; second < 7; second += 1) {
      first.adapters.last.currentTime += 1
      await first.timers.pass(1_000)
    }
    const heartbeat = Promise.withResolvers<typeof okAnswer>()
    server.answerWith(call =>
      call === 'session-status' ? nothingToResume : call === 'heartbeat' ? heartbeat.promise : okAnswer,
    )
    first.runner.confirmLock()
    const second = open(makeSessionPlaylist(1, 'file', { id: 'p2' }))
    second.runner.start()
    await waitFor(() => expect(second.adapters.created).toHaveLength(1))
    second.adapters.last.emit('cued')
    await second.timers.pass(1_000)
    await waitFor(() => expect(second.phase()).toBe('elsewhere'))
    const before = server.received.length
    second.runner.send({ type: 'continue-here' })
    await waitFor(() => expect(first.phase()).toBe('elsewhere'))
    await settleAll()
    expect(server.calls().slice(before)).not.toContain('monitoring')
    heartbeat.resolve(okAnswer)
    const callsAfter = () =>
      server.received.slice(before).flatMap(({ call, body }) => {
        const { playlist_id, is_monitoring } = (body ?? {}) as { playlist_id?: string; is_monitoring?: boolean }
        if (call === 'monitoring') return [`monitoring ${playlist_id} ${is_monitoring}`]
        return call === 'track' ? [`track ${playlist_id}`] : []
      })
    await waitFor(() => expect(callsAfter()).toContain('monitoring p2 true'))
    expect(callsAfter().slice(0, 3)).toEqual(['track p1', 'monitoring p1 false', 'monitoring p2 true'])
  })

  test('a paused window shows that the other one plays, and takes over again', async () => {
    const { open } = openTwoWindows('paused-window')
    const first = open(makeSessionPlaylist(1, 'file'))
    first.runner.start()
    await first.play()
    first.runner.send({ type: 'toggle' })
    const second = open(makeSessionPlaylist(1, 'file'))
    second.runner.start()
    await second.play()
    await waitFor(() => expect(first.phase()).toBe('elsewhere'))

    first.runner.send({ type: 'continue-here' })
    await waitFor(() => expect(second.phase()).toBe('elsewhere'))
    await waitFor(() => expect(first.adapters.last.calls.filter(call => call.startsWith('load'))).toHaveLength(2))
    expect(first.phase()).toBe('starting')
    first.adapters.last.emit('cued')
    await waitFor(() => expect(first.adapters.last.calls.at(-1)).toBe('play'))
    expect(second.phase()).toBe('elsewhere')
  })
})
