import { describe, expect, test } from '@jest/globals'
import { applyReport, fillBank, isCreditedSession, type Report, reviseDuration } from '../../src/rules/crediting.ts'
import { summarise } from '../../src/rules/summary.ts'
import type { CreditingEffect } from '../../src/rules/watch-draft.ts'
import { emptyState, readVideoKey, stateBounds, videoKey, type WatchState } from '../../src/rules/watch-state.ts'

const usualRules = { maxPlaybackRate: 1 }

/** A person whose sessions send reports. Times are seconds of the server clock. */
function createViewer(
  duration = 600,
  { rules = usualRules, maxRate }: { rules?: typeof usualRules; maxRate?: number } = {},
) {
  let state: WatchState = emptyState
  let lock: { sid: string; fence: number; acquiredAt: number } | undefined
  let sent = 0
  const applyEffect = (effect: CreditingEffect) => {
    state = effect.state
    return effect
  }
  return {
    get state() {
      return state
    },
    video: (key = 'p:v') => state.videos[key],
    acquire(sid: string, at: number) {
      lock = { sid, fence: (lock?.fence ?? state.lockIntervals.at(-1)?.fence ?? 0) + 1, acquiredAt: at * 1000 }
    },
    /** Returns the lock interval of `monitoring.stopped`. */
    release(at: number) {
      const { acquiredAt: from, sid, fence } = lock!
      lock = undefined
      return { fence, sid, from, to: at * 1000 }
    },
    applyStopped: (interval: Parameters<typeof fillBank>[1], at: number) =>
      applyEffect(fillBank(state, interval, at * 1000, rules)),
    report(sid: string, type: Report['type'], position: number, at: number, fields: Partial<Report> = {}) {
      sent += 1
      const report = { eventId: `${sent}`, key: 'p:v', rate: 1, clientTime: at * 1000, sid, type, position, ...fields }
      return applyEffect(
        applyReport(state, report, { now: at * 1000, lock, duration, ...(maxRate && { maxRate }) }, rules),
      )
    },
  }
}

describe('reports', () => {
  test('of which a thousand arrive in a second earn at most 4 s', () => {
    const viewer = createViewer(3_600)
    viewer.acquire('a', 0)
    let credited = viewer.report('a', 'play', 0, 0).credited
    for (let n = 1; n <= 1_000; n += 1) credited += viewer.report('a', 'playing', n, n / 1000).credited
    expect(credited).toBeGreaterThan(3)
    expect(credited).toBeLessThanOrEqual(4 + 1e-6)
    expect(viewer.video()?.notes.too_fast?.seconds).toBeGreaterThan(695)
  })

  test('of two tabs for a minute earn at most 63 s', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    let credited = 0
    for (let seconds = 0; seconds <= 60; seconds += 10)
      for (const key of ['p:v', 'p:w'])
        credited += viewer.report('a', seconds === 0 ? 'play' : 'playing', seconds, seconds, { key }).credited
    expect(credited).toBeGreaterThan(62)
    expect(credited).toBeLessThanOrEqual(63)
  })

  test.each([
    ['double speed', 2, undefined],
    ['normal speed in a task that credits no more', 1, 1],
  ])('after an outage as long as a lock lasts earn all of it, at %s', (_case, rate, maxRate) => {
    const viewer = createViewer(3_600, { rules: { maxPlaybackRate: 2 }, ...(maxRate && { maxRate }) })
    viewer.acquire('a', 0)
    for (const at of [0, 10, 290, 300]) viewer.report('a', at ? 'playing' : 'play', at * rate, at, { rate })
    expect(viewer.video()).toMatchObject({ watchTime: 300 * rate, notes: {} })
  })

  test('at double speed earn all of an outage although the end of the lock is known only afterwards', () => {
    const viewer = createViewer(3_600, { rules: { maxPlaybackRate: 2 } })
    viewer.acquire('a', 0)
    for (const at of [0, 10]) viewer.report('a', at ? 'playing' : 'play', at * 2, at, { rate: 2 })
    const expired = viewer.release(310)
    viewer.acquire('a', 3_600)
    viewer.report('a', 'pause', 500, 3_601, { rate: 2, clientTime: 250_000 })
    viewer.applyStopped(expired, 3_602)
    expect(viewer.video()).toMatchObject({ watchTime: 500, notes: {} })
  })

  describe('of a task with a lower credited speed than the installation', () => {
    const doubleSpeed = { rules: { maxPlaybackRate: 2 }, maxRate: 1 }
    const watch = (viewer: ReturnType<typeof createViewer>, rate: number, key = 'p:v') => {
      viewer.acquire('a', 0)
      for (let at = 0; at <= 60; at += 10) viewer.report('a', at ? 'playing' : 'play', at * rate, at, { rate, key })
      return viewer.video(key)?.watchTime ?? 0
    }

    test('earn all that is watched at that speed, and no more at a higher one', () => {
      expect(watch(createViewer(600, doubleSpeed), 1)).toBe(60)
      expect(watch(createViewer(600, doubleSpeed), 2)).toBeLessThanOrEqual(63)
      expect(watch(createViewer(600, { rules: doubleSpeed.rules }), 2)).toBe(120)
    })

    test('earn no more if their rate is said to be normal', () => {
      const viewer = createViewer(600, doubleSpeed)
      viewer.acquire('a', 0)
      for (let at = 0; at <= 60; at += 10)
        viewer.report('a', at ? 'playing' : 'play', at * 2, at, { clientTime: at * 2_000 })
      expect(viewer.video()?.watchTime).toBeLessThanOrEqual(63)
    })
  })

  test('in a new session get no second overdraft', () => {
    const viewer = createViewer()
    let credited = 0
    for (let n = 0; n < 50; n += 1) {
      viewer.acquire(`sid${n}`, n)
      credited += viewer.report(`sid${n}`, 'play', n * 5, n).credited
      credited += viewer.report(`sid${n}`, 'playing', n * 5 + 5, n, { clientTime: n * 1000 + 5000 }).credited
      viewer.applyStopped(viewer.release(n), n)
    }
    expect(credited).toBe(3)
  })

  test('without the lock earn nothing and are noted', () => {
    const viewer = createViewer()
    for (const seconds of [0, 10, 20])
      expect(viewer.report('a', seconds ? 'playing' : 'play', seconds, seconds).credited).toBe(0)
    expect(viewer.video()).toMatchObject({
      watchTime: 0,
      intervals: [],
      notes: { elsewhere: { times: 3, seconds: 20 } },
    })
    expect(viewer.state.candidates).toEqual([])
  })

  test('that end a play after the lock went to another device earn nothing, and are noted only if they come late', () => {
    const viewer = createViewer()
    const end = (sid: string, at: number) => viewer.report(sid, 'pause', at, at)
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 10, 10)
    viewer.acquire('b', 18)
    end('a', 19)
    expect(viewer.video()).toMatchObject({ watchTime: 10, notes: {} })
    viewer.report('a', 'play', 19, 20)
    expect(viewer.video()).toMatchObject({ notes: { elsewhere: { times: 1, seconds: 0 } } })
    end('a', 90)
    expect(viewer.video()).toMatchObject({ watchTime: 10, notes: { elsewhere: { times: 2, seconds: 71 } } })
  })

  test('of a session that lost the lock earn nothing, also after the next session ends', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.acquire('b', 10)
    viewer.report('a', 'playing', 10, 10)
    const interval = viewer.release(20)
    viewer.applyStopped(interval, 20)
    viewer.report('a', 'playing', 20, 21)
    expect(viewer.video()).toMatchObject({ watchTime: 0, notes: { elsewhere: { times: 2, seconds: 20 } } })
    expect(isCreditedSession(viewer.state, 'b', undefined)).toBe(true)
  })

  test('of a session without the lock do not disturb the lock owner’s play', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    for (let seconds = 0; seconds <= 60; seconds += 10) {
      viewer.report('a', seconds ? 'playing' : 'play', seconds, seconds)
      viewer.report('b', 'playing', 300 + seconds, seconds + 1)
    }
    expect(viewer.video()?.intervals).toEqual([[0, 60]])
  })

  test('repeated change nothing', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 10, 10, { eventId: 'once' })
    const before = viewer.state
    const repeated = viewer.report('a', 'playing', 10, 30, { eventId: 'once' })
    expect(repeated).toMatchObject({ repeated: true, credited: 0, touched: [] })
    expect(repeated.state).toBe(before)
  })

  test('of a position outside the video are refused and change nothing', () => {
    const viewer = createViewer(600)
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 590, 0)
    const before = viewer.state
    for (const position of [602.1, -1, Number.NaN, Number.POSITIVE_INFINITY])
      expect(viewer.report('a', 'playing', position, 10)).toMatchObject({ refused: true, state: before })
    viewer.report('a', 'ended', 602, 10)
    expect(viewer.video()?.intervals).toEqual([[590, 600]])
  })

  test('across a jump earn nothing and are noted; a jump back is not noted', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 10, 10)
    viewer.report('a', 'playing', 400, 20)
    viewer.report('a', 'playing', 410, 30)
    viewer.report('a', 'playing', 50, 40)
    viewer.report('a', 'playing', 60, 50)
    expect(viewer.video()).toMatchObject({
      intervals: [
        [0, 10],
        [50, 60],
        [400, 410],
      ],
      watchTime: 30,
      notes: { skipped: { times: 1, seconds: 390 } },
    })
  })

  test('that begin beyond the last position note the never watched seconds once', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'pause', 5, 5)
    viewer.report('a', 'play', 5, 100)
    viewer.report('a', 'pause', 10, 105)
    expect(viewer.video()?.notes).toEqual({})
    viewer.report('a', 'play', 60, 106)
    viewer.report('a', 'pause', 70, 116)
    expect(viewer.video()?.notes).toEqual({ skipped: { times: 1, seconds: 50 } })
    // Back into the gap, then across watched seconds: only the remaining gap is noted.
    viewer.report('a', 'play', 10, 120)
    viewer.report('a', 'pause', 40, 150)
    viewer.report('a', 'play', 70, 151)
    viewer.report('a', 'pause', 75, 156)
    expect(viewer.video()?.notes).toEqual({ skipped: { times: 2, seconds: 70 } })
  })

  test('a seek to the very end, which ends at once, is a jump like any other', () => {
    const viewer = createViewer(60)
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'pause', 5, 5)
    viewer.report('a', 'ended', 60, 6)
    expect(viewer.video()).toMatchObject({ intervals: [[0, 5]], notes: { skipped: { times: 1, seconds: 55 } } })
  })

  test('that begin shortly after an open play are no jump, because its last seconds were never reported', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 10, 10)
    viewer.report('a', 'play', 19, 600)
    expect(viewer.video()?.notes).toEqual({})
    viewer.report('a', 'play', 40, 700)
    expect(viewer.video()?.notes).toEqual({ skipped: { times: 1, seconds: 21 } })
  })

  test('after a pause, or of the type play, continue no earlier report', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'pause', 5, 5)
    viewer.report('a', 'playing', 100, 100)
    viewer.report('a', 'play', 105, 105)
    viewer.report('a', 'ended', 110, 110)
    viewer.report('a', 'playing', 115, 115)
    expect(viewer.video()).toMatchObject({
      intervals: [
        [0, 5],
        [105, 110],
      ],
      notes: { skipped: { times: 2, seconds: 100 } },
    })
  })

  test('by a client clock that ran backwards or leapt earn nothing', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 10, 10, { clientTime: -3_600_000 })
    viewer.report('a', 'playing', 590, 20, { clientTime: 3_600_000 })
    expect(viewer.video()).toMatchObject({ watchTime: 0, notes: { skipped: { times: 2, seconds: 590 } } })
  })

  test('by a client clock that ran backwards a little earn not even the tolerance', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 0.3, 1, { clientTime: -500 })
    expect(viewer.video()).toMatchObject({ watchTime: 0, notes: { skipped: { times: 1, seconds: 0.3 } } })
  })

  test('count for the lock owner, else for the last lock owner', () => {
    const intervals = [
      { fence: 1, sid: 'a', from: 0, to: 1 },
      { fence: 2, sid: 'b', from: 1, to: 2 },
    ]
    const lock = { sid: 'a', fence: 3, acquiredAt: 2 }
    expect(['a', 'b'].map(sid => isCreditedSession({ lockIntervals: intervals }, sid, lock))).toEqual([true, false])
    expect(['a', 'b'].map(sid => isCreditedSession({ lockIntervals: intervals }, sid, undefined))).toEqual([
      false,
      true,
    ])
    expect(isCreditedSession({ lockIntervals: [] }, 'a', undefined)).toBe(false)
  })

  test('without client_time are measured by the server', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 10, 10, { clientTime: null })
    viewer.report('a', 'playing', 25, 20, { clientTime: null })
    expect(viewer.video()).toMatchObject({ intervals: [[0, 10]], notes: { skipped: { times: 1, seconds: 15 } } })
  })

  test('overtaken by later reports of a closing page reduce no credit', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 20, 21, { clientTime: 20_000 })
    viewer.report('a', 'playing', 10, 21, { clientTime: 10_000 })
    viewer.report('a', 'playing', 30, 30)
    expect(viewer.video()).toMatchObject({ intervals: [[0, 30]], watchTime: 30 })
    expect(viewer.state.candidates).toEqual([])
  })

  test('of hidden playback are noted and not credited', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 10, 10, { hidden: true })
    expect(viewer.video()).toMatchObject({ watchTime: 0, notes: { hidden: { times: 1, seconds: 10 } } })
  })

  test('of a completed playlist earn nothing', () => {
    const viewer = createViewer()
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playlist_completed', 1e6, 5)
    viewer.report('a', 'playing', 10, 10)
    expect(viewer.video()).toMatchObject({ intervals: [[0, 10]], completedAt: null })
  })
})

describe('the bank', () => {
  test('pays candidates when the end of the lock interval arrives, also late and repeated', () => {
    const viewer = createViewer(20)
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    const interval = viewer.release(20)
    viewer.report('a', 'ended', 20, 45, { clientTime: 20_000 })
    expect(viewer.video()?.watchTime).toBe(3)
    const effect = viewer.applyStopped(interval, 3_600)
    expect(effect).toMatchObject({ credited: 17, completed: ['p:v'], touched: ['p:v'] })
    expect(viewer.applyStopped(interval, 3_601)).toMatchObject({ credited: 0, completed: [], touched: [] })
    expect(viewer.state.balance).toBe(0)
  })

  test('counts no instant twice although the live store lost the start of the lock', () => {
    const fullInterval = { fence: 1, sid: 'a', from: 0, to: 60_000 }
    const knownPart = { fence: 1, sid: 'a', from: 40_000, to: 50_000 }
    const nextInterval = { fence: 2, sid: 'b', from: 55_000, to: 70_000 }
    const orders = [
      [fullInterval, knownPart, nextInterval],
      [nextInterval, knownPart, fullInterval],
      [knownPart, nextInterval, fullInterval, knownPart],
    ]
    for (const order of orders) {
      const state = order.reduce((before, interval) => fillBank(before, interval, 0, usualRules).state, emptyState)
      expect(state.balance).toBe(70)
    }
  })

  test('has at most five minutes, but pays candidates before the cap applies', () => {
    const full = fillBank(emptyState, { fence: 1, sid: 'a', from: 0, to: 3_600_000 }, 0, usualRules).state
    expect(full.balance).toBe(300)
    const waiting = [{ key: 'p:v', from: 0, to: 250 }]
    const paid = fillBank(
      { ...emptyState, candidates: waiting },
      { fence: 1, sid: 'a', from: 0, to: 600_000 },
      0,
      usualRules,
    )
    expect(paid.credited).toBe(250)
    expect(paid.state.balance).toBe(300)
  })

  test('fills at the allowed rate', () => {
    const twice = { maxPlaybackRate: 2 }
    expect(fillBank(emptyState, { fence: 1, sid: 'a', from: 0, to: 10_000 }, 0, twice).state.balance).toBe(20)
  })

  test('has at most five minutes of candidates and drops the newest excess', () => {
    const viewer = createViewer(3_600)
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 200, 0, { clientTime: 200_000 })
    viewer.report('a', 'playing', 400, 0, { clientTime: 400_000 })
    expect(viewer.state.candidates).toEqual([{ key: 'p:v', from: 3, to: 303 }])
    expect(viewer.video()?.notes).toEqual({ too_fast: { times: 1, seconds: 97 } })
  })
  test('has a limited number of candidates, however small', () => {
    const viewer = createViewer(3_600)
    viewer.acquire('a', 0)
    for (let n = 0; n < 500; n += 1) {
      viewer.report('a', 'play', n * 2, 0)
      viewer.report('a', 'pause', n * 2 + 0.5, 0)
    }
    expect(viewer.state.candidates).toHaveLength(stateBounds.candidates)
    expect(viewer.video()?.notes.too_fast?.times).toBe(500 - stateBounds.candidates - 6)
  })

  test('pays candidates exactly, across a pause and another video', () => {
    const viewer = createViewer(3_600)
    viewer.acquire('a', 0)
    for (const [key, from] of [
      ['p:v', 0],
      ['p:w', 50],
      ['p:v', 100],
      ['p:v', 200],
    ] as const) {
      viewer.report('a', 'play', from, 0, { key })
      viewer.report('a', 'pause', from + 10, 0, { key, clientTime: 10_000 })
    }
    viewer.applyStopped(viewer.release(60), 60)
    expect(viewer.video('p:w')?.intervals).toEqual([[50, 60]])
    expect(viewer.video('p:v')?.intervals).toEqual([
      [0, 10],
      [100, 110],
      [200, 210],
    ])
  })
})

describe('completion', () => {
  test('is reached once at nine tenths and stays', () => {
    const viewer = createViewer(100)
    viewer.acquire('a', 0)
    const completions = [0, 10, 20, 30, 40, 50, 60, 70, 80, 89.9, 90, 95, 100].map(
      seconds => viewer.report('a', seconds ? 'playing' : 'play', seconds, seconds).completed.length,
    )
    expect(completions).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0])
    expect(viewer.video()?.completedAt).toBe(90_000)
    const longer = reviseDuration(viewer.state, 'p:v', 1_000, 200_000)
    expect(longer.completed).toEqual([])
    expect(summarise(longer.state.videos['p:v'], 1_000)).toMatchObject({ completionRate: 90, completed: true })
  })

  test('is reached when the duration is corrected to a shorter one', () => {
    const viewer = createViewer(100)
    viewer.acquire('a', 0)
    viewer.report('a', 'play', 0, 0)
    viewer.report('a', 'playing', 50, 50)
    expect(reviseDuration(viewer.state, 'p:v', 55, 60_000)).toMatchObject({ completed: ['p:v'], credited: 0 })
    expect(reviseDuration(viewer.state, 'p:other', 55, 60_000).state).toBe(viewer.state)
  })

  test('is not reached by watching the same part repeatedly', () => {
    const viewer = createViewer(100)
    viewer.acquire('a', 0)
    for (let round = 0; round < 5; round += 1) {
      viewer.report('a', 'play', 0, round * 30)
      viewer.report('a', 'pause', 30, round * 30 + 30)
    }
    expect(viewer.video()).toMatchObject({ intervals: [[0, 30]], watchTime: 150, completedAt: null })
  })
})

test('a video key has no dot and reads back unchanged', () => {
  const video = { playlistId: '66f0-a_b', videoId: 'a.b:c~.d-_' }
  expect(readVideoKey(videoKey(video.playlistId, video.videoId))).toEqual({ ...video, endedAt: null })
  expect(videoKey(video.playlistId, video.videoId)).not.toContain('.')
})
