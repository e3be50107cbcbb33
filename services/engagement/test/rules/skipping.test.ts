import assert from 'node:assert/strict'
import { describe, expect, test } from '@jest/globals'
import { defaultConditions } from '@watchline/contracts/conditions'
import fc from 'fast-check'
import { applyReports, type ReportSubmission } from '../../src/rules/apply-reports.ts'
import type { Report } from '../../src/rules/crediting.ts'
import { gaps, totalLength } from '../../src/rules/intervals.ts'
import type { Playlist } from '../../src/rules/playlist.ts'
import { findOrder, findPlayed, findReach, findReachableEnd } from '../../src/rules/skipping.ts'
import { emptyState, readVideoKey, type WatchState } from '../../src/rules/watch-state.ts'
import { applyInput } from './_apply-input.ts'
import { durations, histories, playHistory } from './_histories.ts'
import { tickS } from './_oracle.ts'

const forbidden = { ...defaultConditions, allow_skipping: false }

function makePlaylist(lengths: Record<string, number>, unavailable: readonly string[] = []): Playlist {
  return {
    ...{ id: 'p', title: 'Safety', createdBy: 'somebody', sharedWith: [], revision: 1 },
    videos: Object.entries(lengths).map(([id, duration]) => ({
      ...{ id, title: id, duration, unavailable: unavailable.includes(id), lostAt: null },
    })),
    ...{ removedVideos: [], deletedAt: null },
  }
}

/** The videos of the generated histories, in this order. */
const playlist = makePlaylist(
  Object.fromEntries(Object.entries(durations).map(([key, ticks]) => [readVideoKey(key).videoId, ticks * tickS])),
)
const orderOf = (key: string, conditions = forbidden) => findOrder(playlist, readVideoKey(key).videoId, conditions)

test('what is reachable ends at the first gap that is longer than a joint', () => {
  expect(findReachableEnd([])).toBe(0)
  expect(findReachableEnd([[2, 10]])).toBe(0)
  expect(findReachableEnd([[0.9, 10]])).toBe(10)
  const withJoint = [
    [0, 10],
    [11, 20],
    [21.5, 30],
  ] as const
  expect(findReachableEnd(withJoint)).toBe(20)
})

test('a task that allows skipping has no order', () => {
  expect(orderOf('p:long', defaultConditions)).toBeUndefined()
})

describe('without skipping ahead, whatever a player reports', () => {
  test('only seconds in order are credited: no gaps, and no later video before the earlier ones', () => {
    let credited = 0
    let refused = 0
    let later = 0
    fc.assert(
      fc.property(histories(60), fc.constantFrom(1, 2), fc.constantFrom(10, 50, 90), (steps, maxRate, percent) => {
        let state = emptyState
        let free = emptyState
        for (const input of playHistory(steps)) {
          const order =
            input.kind === 'report' ? orderOf(input.key, { ...forbidden, required_percent: percent }) : undefined
          const effect = applyInput(state, input, maxRate, order)
          state = effect.state
          credited += effect.credited
          free = applyInput(free, input, maxRate).state
          let areEarlierPassed = true
          for (const video of playlist.videos) {
            const played = findPlayed(state, `p:${video.id}`)
            const end = played.at(-1)?.[1] ?? 0
            for (const [from, to] of gaps(played, 0, end)) assert.ok(to - from <= 1)
            assert.ok(areEarlierPassed || played.length === 0)
            if (video !== playlist.videos[0] && played.length > 0) later += 1
            areEarlierPassed &&= findReach(state, playlist, video, percent).passed
          }
        }
        refused += sumOf(free) - sumOf(state)
      }),
      { numRuns: 40_000 },
    )
    // The histories reach credit, refusals and later videos, so the test is meaningful.
    expect(credited).toBeGreaterThan(5_000)
    expect(refused).toBeGreaterThan(5_000)
    expect(later).toBeGreaterThan(50)
  })

  test('a later video opens at the required percentage, at most at 90', () => {
    const passes = (watchedS: number, percent: number) =>
      findReach(
        { videos: {}, candidates: [{ key: 'p:a', from: 0, to: watchedS }] },
        makePlaylist({ a: 100, b: 100 }),
        { id: 'a', title: 'a', duration: 100, unavailable: false, lostAt: null },
        percent,
      ).passed
    expect([passes(49, 50), passes(50, 50)]).toEqual([false, true])
    expect([passes(89, 90), passes(90, 90)]).toEqual([false, true])
    expect([passes(89, 100), passes(90, 100)]).toEqual([false, true])
  })

  test('videos that cannot play, or have no known length, open the next one', () => {
    const withGaps = makePlaylist({ lost: 100, endless: 0, last: 100 }, ['lost'])
    expect(findOrder(withGaps, 'last', forbidden)?.earlierVideos).toEqual([{ key: 'p:endless', duration: 0 }])
    for (const video of withGaps.videos.slice(0, 2))
      expect(findReach(emptyState, withGaps, video, 90)).toEqual({ until: 0, passed: true })
  })
})

/** Parts of two videos, played in order: how far each goes back, and how long it is. */
const parts = (maxLength: number) =>
  fc.array(fc.record({ back: fc.constantFrom(0, 0, 0, 0.8, 5, 30), length: fc.integer({ min: 1, max: 40 }) }), {
    minLength: 1,
    maxLength,
  })
const pair = makePlaylist({ a: 100, b: 100 })

/** The reports of these parts, in order, each with the time of its arrival. */
function makeReports(viewing: { back: number; length: number }[], jointS: number): ReportSubmission[] {
  const submissions: ReportSubmission[] = []
  let at = 0
  let videoIndex = 0
  let furthest = 0
  const send = (type: Report['type'], position: number) => {
    const videoId = pair.videos[videoIndex]!.id
    const report: Report = {
      ...{ eventId: `${submissions.length}`, sid: 's', key: `p:${videoId}`, type, position },
      ...{ rate: 1, clientTime: at * 1_000 },
    }
    const lock = { sid: 's', fence: 1, acquiredAt: 0 }
    submissions.push({
      personId: 'person',
      report,
      facts: { now: at * 1_000, lock, duration: 100, order: findOrder(pair, videoId, forbidden) },
    })
  }
  for (const { back, length } of viewing) {
    const joint = furthest > 0 ? jointS : 0
    const from = Math.min(100, Math.max(0, back === 0 ? furthest + joint : furthest - back))
    const to = Math.min(100, from + length)
    send('play', from)
    at = Math.round(1_000 * (at + to - from)) / 1_000
    send('pause', to)
    at += 2
    furthest = Math.max(furthest, to)
    if (furthest < 100 || videoIndex > 0) continue
    videoIndex = 1
    furthest = 0
  }
  return submissions
}

const watcher = { personId: 'person', version: 0, state: emptyState, completedPlaylists: [], unpublishedKeys: [] }
const applyAll = (submissions: readonly ReportSubmission[]) =>
  applyReports(watcher, submissions, { maxPlaybackRate: 1 }, 0).state
const withoutOrder = (submissions: readonly ReportSubmission[]) =>
  submissions.map(submission => ({ ...submission, facts: { ...submission.facts, order: undefined } }))

test('a person who skips nothing gets the same credit as in a task that allows skipping', () => {
  fc.assert(
    fc.property(parts(20), fc.constantFrom(0, 0.4, 1), (viewing, jointS) => {
      const submissions = makeReports(viewing, jointS)
      assert.deepEqual(applyAll(submissions), applyAll(withoutOrder(submissions)))
    }),
    { numRuns: 2_000 },
  )
})

test('reports of one batch open what later ones report, in whatever order they arrive', () => {
  fc.assert(
    fc.property(
      // As much as the bank can hold.
      parts(7).chain(viewing => {
        const submissions = makeReports(viewing, 0)
        const keys = fc.array(fc.double({ noNaN: true }), {
          minLength: submissions.length,
          maxLength: submissions.length,
        })
        return fc.tuple(fc.constant(submissions), keys)
      }),
      ([submissions, keys]) => {
        const shuffled = submissions
          .map((submission, at) => ({ submission, key: keys[at]! }))
          .sort((a, b) => a.key - b.key)
        const arrived = shuffled.map(({ submission: { facts, ...submission } }) => ({
          ...submission,
          facts: { ...facts, now: 10_000_000 },
        }))
        const credited = ({ videos }: WatchState) =>
          Object.entries(videos).map(([key, { intervals }]) => [key, intervals])
        assert.deepEqual(
          Object.fromEntries(credited(applyAll(arrived))),
          Object.fromEntries(credited(applyAll(submissions))),
        )
      },
    ),
    { numRuns: 1_000 },
  )
})

test('what plays after a jump is added to its note, and earns nothing', () => {
  const order = findOrder(pair, 'a', forbidden)
  const report = (type: Report['type'], position: number, at: number): ReportSubmission => ({
    personId: 'person',
    report: { eventId: `${at}`, sid: 's', key: 'p:a', type, position, rate: 1, clientTime: at * 1_000 },
    facts: { now: at * 1_000, lock: { sid: 's', fence: 1, acquiredAt: 0 }, duration: 100, order },
  })
  const jump = [report('play', 0, 0), report('pause', 10, 10), report('play', 50, 11), report('playing', 60, 21)]
  const state = applyAll([...jump, report('playing', 70, 31)])
  expect(state.videos['p:a']).toMatchObject({ intervals: [[0, 10]], notes: { skipped: { times: 1, seconds: 60 } } })
})

test('a finished playlist may be played in any order', () => {
  const submissions = makeReports([{ back: 0, length: 10 }], 0).map(submission => ({
    ...submission,
    report: { ...submission.report, key: 'p:b' },
    facts: { ...submission.facts, order: findOrder(pair, 'b', forbidden) },
  }))
  expect(sumOf(applyAll(submissions))).toBe(0)
  const finished = { ...watcher, completedPlaylists: ['p'] }
  expect(sumOf(applyReports(finished, submissions, { maxPlaybackRate: 1 }, 0).state)).toBe(10)
})

function sumOf({ videos }: WatchState): number {
  return Object.values(videos).reduce((sum, { intervals }) => sum + totalLength(intervals), 0)
}
