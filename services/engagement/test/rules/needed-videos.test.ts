import assert from 'node:assert/strict'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { applyReports, type ReportSubmission } from '../../src/rules/apply-reports.ts'
import { fillBank } from '../../src/rules/crediting.ts'
import { isCompleteWith, mergeKeys } from '../../src/rules/needed-videos.ts'
import { emptyState, type VideoWatch, videoKey, type Watches } from '../../src/rules/watch-state.ts'
import { prepareUpdate, type Watcher, type WatcherUpdate } from '../../src/rules/watcher-update.ts'
import { ms } from './_apply-input.ts'
import { histories, playHistory } from './_histories.ts'
import type { Input } from './_oracle.ts'

const rules = { maxPlaybackRate: 1 }
const earlierWatch: VideoWatch = {
  ...{ intervals: [[0, 600]], watchTime: 600, duration: 600, notes: {}, completedAt: 1, lastReportAt: 1 },
  creditHistory: [[1, 600]],
}
/** Of other playlists, and of an earlier attempt at the present one. */
const earlierVideos: Watches = Object.fromEntries([
  ...Array.from({ length: 100 }, (_, index) => [videoKey(`q${index % 10}`, `v${index}`), earlierWatch]),
  ['p~1:middle', earlierWatch],
])

function toSubmission(
  input: Extract<Input, { kind: 'report' }>,
  { hasChecks, resetAt }: { hasChecks: boolean; resetAt: number },
): ReportSubmission {
  const { eventId, sid, key, type, position, rate, clientTime, hidden, duration, now, lock } = input
  return {
    personId: 'person',
    report: {
      ...{ eventId, sid, key, type, rate, hidden },
      position: position * 0.5,
      clientTime: clientTime === null ? null : clientTime * ms,
    },
    facts: {
      now: now * ms,
      lock: lock && { ...lock, acquiredAt: lock.acquiredAt * ms },
      duration: duration * 0.5,
      ...(lock && now * ms > resetAt && { resetAt }),
    },
    // Each video as a playlist of its own, so that reports often pay for another playlist.
    videoKeys: [key],
    ...(hasChecks && { attention: { checkId: eventId, random: 0 } }),
  }
}

/** The watcher after the write: only the touched videos travel. */
function store(stored: Watcher, { state, touched, unpublishedKeys }: WatcherUpdate): Watcher {
  const videos = { ...stored.state.videos }
  for (const key of touched) {
    if (state.videos[key]) videos[key] = state.videos[key]
    else delete videos[key]
  }
  return { ...stored, version: stored.version + 1, state: { ...state, videos }, unpublishedKeys }
}

function restrict(watcher: Watcher, keys: ReadonlySet<string>): Watcher {
  const videos = Object.fromEntries(Object.entries(watcher.state.videos).filter(([key]) => keys.has(key)))
  return { ...watcher, state: { ...watcher.state, videos } }
}

test('reports earn the same whether the whole state is loaded or only the videos of their playlist', () => {
  const counts = { decided: 0, undecided: 0, credited: 0 }
  fc.assert(
    fc.property(histories(), fc.boolean(), fc.integer({ min: 0, max: 600_000 }), (steps, hasChecks, resetAt) => {
      const first = { state: { ...emptyState, videos: earlierVideos }, completedPlaylists: [], unpublishedKeys: [] }
      let whole: Watcher = { personId: 'person', version: 0, ...first }
      let partial = whole
      for (const input of playHistory(steps)) {
        const now = input.now * ms
        if (input.kind === 'lock_interval') {
          const { fence, sid, from, to } = input
          const interval = { fence, sid, from: from * ms, to: to * ms }
          const fill = (before: Watcher) => {
            const effect = fillBank(before.state, interval, now, rules)
            return store(before, prepareUpdate({ ...effect, before, touched: new Set(effect.touched) }, now))
          }
          whole = fill(whole)
          partial = fill(partial)
          continue
        }
        const submission = toSubmission(input, { hasChecks, resetAt })
        const expected = applyReports(whole, [submission], rules, now)
        const keys = mergeKeys([submission])!
        const part = applyReports(restrict(partial, keys), [submission], rules, now)
        const isDecided = isCompleteWith(part, keys)
        const update = isDecided ? part : applyReports(partial, [submission], rules, now)
        const resultOf = ({ credited, completed, notesToPublish, touched, outcomes }: typeof update) => ({
          credited,
          completed,
          notesToPublish,
          touched,
          outcomes: [...outcomes.values()],
        })
        assert.deepEqual(resultOf(update), resultOf(expected))
        whole = store(whole, expected)
        partial = store(partial, update)
        counts[isDecided ? 'decided' : 'undecided'] += 1
        counts.credited += update.credited
      }
      assert.deepEqual(partial, whole)
      for (const [key, watch] of Object.entries(earlierVideos)) assert.deepEqual(partial.state.videos[key], watch)
    }),
    { numRuns: 4_000 },
  )
  // Both ways are taken, and credit is given.
  expect(counts.decided).toBeGreaterThan(10_000)
  expect(counts.undecided).toBeGreaterThan(100)
  expect(counts.credited).toBeGreaterThan(10_000)
})

test('a report without a list of videos, or with too many, needs everything', () => {
  expect(mergeKeys([{ videoKeys: ['p:a', 'p:b'] }, { videoKeys: ['p:a', 'q:a'] }])).toEqual(
    new Set(['p:a', 'p:b', 'q:a']),
  )
  expect(mergeKeys([{ videoKeys: ['p:a'] }, {}])).toBeUndefined()
  expect(mergeKeys([{ videoKeys: Array.from({ length: 501 }, (_, index) => `p:${index}`) }])).toBeUndefined()
})
