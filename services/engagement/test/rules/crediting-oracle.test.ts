import assert from 'node:assert/strict'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { applyReport, fillBank, type Report, type WatchFacts } from '../../src/rules/crediting.ts'
import { emptyState, stateBounds, type WatchState } from '../../src/rules/watch-state.ts'
import { applyInput, ms } from './_apply-input.ts'
import { histories, playHistory } from './_histories.ts'
import { type Expected, runOracle, tickS } from './_oracle.ts'

function ticksOf(from: number, to: number): number[] {
  return Array.from({ length: Math.round((to - from) / tickS) }, (_, index) => Math.round(from / tickS) + index)
}

function toExpected(state: WatchState, completed: string[]): Expected {
  return {
    balance: state.balance,
    waiting: state.candidates.flatMap(({ key, from, to }) => ticksOf(from, to).map(tick => `${key} ${tick}`)),
    videos: Object.fromEntries(
      Object.entries(state.videos).map(([key, { intervals, watchTime, notes, completedAt }]) => [
        key,
        {
          watched: intervals.flatMap(([from, to]) => ticksOf(from, to)),
          watchTime,
          notes,
          completedAt: completedAt === null ? null : completedAt / ms,
        },
      ]),
    ),
    completed,
  }
}

describe('crediting', () => {
  test('matches the oracle in every history', () => {
    let credited = 0
    let completions = 0
    fc.assert(
      fc.property(histories(), fc.constantFrom(1, 1, 2), (steps, maxRate) => {
        const inputs = playHistory(steps)
        let state = emptyState
        const completed: string[] = []
        for (const input of inputs) {
          const effect = applyInput(state, input, maxRate)
          state = effect.state
          completed.push(...effect.completed)
          credited += effect.credited
        }
        completions += completed.length
        // Millions of comparisons: `expect` costs ten times as much as what it compares.
        assert.deepEqual(toExpected(state, completed), runOracle(inputs, maxRate))
      }),
      { numRuns: 60_000 },
    )
    // The histories reach credit and completions, so the comparison is meaningful.
    expect(credited).toBeGreaterThan(60_000)
    expect(completions).toBeGreaterThan(1_000)
  })

  test('gives nothing, not even the overdraft, without a lock', () => {
    fc.assert(
      fc.property(histories(), steps => {
        let state = emptyState
        for (const input of playHistory(steps.filter(({ act, sid }) => act !== 'acquire' || sid === 'b'))) {
          if (input.sid === 'b' && input.kind === 'report') continue
          const effect = applyInput(state, input, 1)
          state = effect.state
          assert.equal(effect.credited, 0)
        }
        for (const { notes } of Object.values(state.videos)) assert.ok(!('skipped' in notes))
      }),
      { numRuns: 5_000 },
    )
  })

  test('never credits more than the clock allows', () => {
    const instant = fc.oneof(fc.double({ min: 0, max: 4e6, noNaN: true }), fc.integer({ min: 0, max: 60_000 }))
    const fence = fc.integer({ min: 1, max: 5 })
    const sid = fc.constantFrom('a', 'b')
    const lockInterval = fc.record({
      kind: fc.constant('lock_interval' as const),
      fence,
      sid,
      from: instant,
      to: instant,
      now: instant,
    })
    const report = fc.record({
      kind: fc.constant('report' as const),
      eventId: fc.option(fc.string({ maxLength: 2 })),
      sid,
      key: fc.constantFrom('p:x', 'p:y', 'q:x'),
      type: fc.constantFrom('play', 'playing', 'playing', 'pause', 'ended', 'playlist_completed'),
      // The contract refuses larger ones, whose sums are not finite.
      position: fc
        .oneof(fc.double({ min: -1e9, max: 1e9 }), fc.double({ min: 0, max: 900, noNaN: true }), fc.nat(900))
        .map(value => value + 0),
      rate: fc.constantFrom(0.25, 1, 1, 2, 16),
      clientTime: fc.option(fc.oneof(fc.double(), instant).map(value => value + 0)),
      duration: fc.option(fc.constantFrom(0, 10, 600, 900, Number.NaN)),
      now: instant,
      lock: fc.option(fc.record({ sid, fence, acquiredAt: instant }), { nil: undefined }),
    })
    fc.assert(
      fc.property(
        fc.array(fc.oneof({ weight: 1, arbitrary: lockInterval }, { weight: 4, arbitrary: report }), { maxLength: 25 }),
        fc.constantFrom(1, 1.25, 2),
        (inputs, maxPlaybackRate) => {
          let state = emptyState
          let credited = 0
          const lockIntervals: { fence: number; from: number; to: number }[] = []
          for (const input of inputs) {
            const before = JSON.stringify(state)
            const facts: WatchFacts = { now: input.now, lock: undefined, duration: null }
            const effect =
              input.kind === 'lock_interval'
                ? fillBank(state, input, input.now, { maxPlaybackRate })
                : applyReport(
                    state,
                    input as Report,
                    { ...facts, ...(input as Partial<WatchFacts>) },
                    { maxPlaybackRate },
                  )
            assert.equal(JSON.stringify(state), before)
            state = effect.state
            credited += effect.credited
            if (input.kind === 'lock_interval') lockIntervals.push(input)
            else if (input.lock)
              lockIntervals.push({ fence: input.lock.fence, from: input.lock.acquiredAt, to: input.now })
            assert.ok(credited <= (measureLockedMs(lockIntervals) / 1000) * maxPlaybackRate + 3 + 1e-4)
            assert.deepEqual(JSON.parse(JSON.stringify(state)), state)
          }
          assert.ok(state.balance >= -3 - 1e-4 && state.balance <= 300 * maxPlaybackRate)
          assert.ok(state.candidates.reduce((sum, { from, to }) => sum + to - from, 0) <= 300 * maxPlaybackRate + 1e-4)
          const watched = Object.values(state.videos)
          assert.ok(Math.abs(watched.reduce((sum, { watchTime }) => sum + watchTime, 0) - credited) < 0.0005)
          for (const { intervals, watchTime } of watched)
            assert.ok(intervals.reduce((sum, [from, to]) => sum + to - from, 0) <= watchTime + 1e-4)
        },
      ),
      { numRuns: 25_000 },
    )
  })

  test('limits the size of the state', () => {
    let state = emptyState
    let credited = 0
    for (let n = 0; n < 2_000; n += 1) {
      const now = n * 1000
      const lock = { sid: 'a', fence: n, acquiredAt: now - 1000 }
      const reportFields = { sid: `a`, rate: 1, clientTime: now }
      const video = { key: `p:${n % 40}`, duration: 1e5 }
      for (const [type, position] of [
        ['play', n * 10],
        ['playing', n * 10 + 0.9],
      ] as const) {
        const effect = applyReport(
          state,
          { ...reportFields, ...video, eventId: `${n}-${type}`, type, position },
          { now, lock, duration: video.duration },
          { maxPlaybackRate: 1 },
        )
        state = effect.state
        credited += effect.credited
      }
    }
    expect(credited).toBeGreaterThan(1_700)
    expect(state.lockIntervals).toHaveLength(stateBounds.lockIntervals)
    expect(state.seenEventIds).toHaveLength(stateBounds.seenEventIds)
    expect(state.anchors).toHaveLength(stateBounds.anchors)
    expect(state.candidates.length).toBeLessThanOrEqual(stateBounds.candidates)
  })

  test('never fills the bank again with discarded intervals', () => {
    let state = emptyState
    for (let fence = 1; fence <= stateBounds.lockIntervals + 10; fence += 1)
      state = fillBank(state, { fence, sid: 'a', from: fence * 1000, to: fence * 1000 + 500 }, 0, {
        maxPlaybackRate: 1,
      }).state
    const { balance } = state
    for (let fence = 1; fence <= stateBounds.lockIntervals + 10; fence += 1)
      state = fillBank(state, { fence, sid: 'a', from: fence * 1000, to: fence * 1000 + 500 }, 0, {
        maxPlaybackRate: 1,
      }).state
    expect(balance).toBeCloseTo((stateBounds.lockIntervals + 10) / 2)
    expect(state.balance).toBe(balance)
  })
})

/**
 * Each fence counts from its first to its last instant. Overlapping instants count once.
 */
function measureLockedMs(lockIntervals: readonly { fence: number; from: number; to: number }[]): number {
  const fences = new Set(lockIntervals.map(interval => interval.fence))
  const ends = [...fences].flatMap(fence => {
    const own = lockIntervals.filter(interval => interval.fence === fence)
    const first = own.reduce((least, { from }) => Math.min(least, from), Infinity)
    const last = own.reduce((most, { from, to }) => Math.max(most, from, to), -Infinity)
    return [
      [first, 1],
      [last, -1],
    ] as const
  })
  ends.sort((left, right) => left[0] - right[0] || right[1] - left[1])
  let total = 0
  let openCount = 0
  let since = 0
  for (const [at, change] of ends) {
    if (openCount > 0) total += at - since
    openCount += change
    since = at
  }
  return total
}
