import { expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import fc from 'fast-check'
import type { Playlist } from '../../src/rules/playlist.ts'
import { findRisks, type OpenTask } from '../../src/rules/risk.ts'
import { type VideoWatch, videoKey } from '../../src/rules/watch-state.ts'

const hour = 3_600_000
const playlist: Playlist = {
  ...{ id: 'playlist', title: 'Safety', createdBy: 'somebody', sharedWith: [], revision: 1, deletedAt: null },
  videos: [{ id: 'video', title: 'Video', duration: 100, unavailable: false, lostAt: null }],
  removedVideos: [],
}
const makeTask = (lengthMs: number, fields: Partial<OpenTask> = {}): OpenTask => ({
  ...{
    playlist,
    assignedAt: 0,
    resetAt: null,
    dueSetAt: null,
    dueAt: lengthMs,
    overdueAt: lengthMs,
    requiredPercent: limits.completedRate,
  },
  ...fields,
})
const watchUpTo = (seconds: number) => {
  const watch: VideoWatch = {
    intervals: seconds > 0 ? [[0, seconds]] : [],
    ...{ watchTime: seconds, duration: 100, notes: {}, completedAt: null, lastReportAt: 0 },
  }
  return { [videoKey(playlist.id, 'video')]: watch }
}
const isBehind = (task: OpenTask, seconds: number, now: number) =>
  findRisks(task, watchUpTo(seconds), now)?.reasons.includes('behind') === true

/** From an hour to five weeks. */
const length = fc.integer({ min: 1, max: 5 * 7 * 24 }).map(hours => hours * hour)
/** A share of the time until the due date. */
const share = fc.double({ min: 0, max: 1, noNaN: true })
const watched = fc.integer({ min: 0, max: 100 })

test('a task is never behind at the beginning of its time, nor before it is due within days', () => {
  fc.assert(
    fc.property(length, share, watched, (lengthMs, passed, seconds) => {
      const now = passed * lengthMs
      if (now / lengthMs < limits.paceFromShare || lengthMs - now > limits.atRiskWithinMs)
        expect(isBehind(makeTask(lengthMs), seconds, now)).toBe(false)
    }),
  )
})

test('a task with at least the credited share of the passed time is not behind, and one with less is', () => {
  fc.assert(
    fc.property(length, share, watched, (lengthMs, passed, seconds) => {
      const now = passed * lengthMs
      const isDecided = now / lengthMs >= limits.paceFromShare && lengthMs - now <= limits.atRiskWithinMs
      const missing = (100 * now) / lengthMs - seconds
      // At the due date it is overdue. Equal shares may differ by the last bit.
      if (isDecided && now < lengthMs && Math.abs(missing) > 1e-6)
        expect(isBehind(makeTask(lengthMs), seconds, now)).toBe(missing > 0)
    }),
  )
})

test('a task that is behind stays it until it is overdue, unless something is credited', () => {
  fc.assert(
    fc.property(length, share, share, watched, (lengthMs, first, second, seconds) => {
      const [earlier, later] = [first, second].sort((a, b) => a - b).map(passed => passed * lengthMs)
      const task = makeTask(lengthMs)
      if (!isBehind(task, seconds, earlier!)) return
      const reasons = findRisks(task, watchUpTo(seconds), later!)?.reasons
      expect(reasons?.some(reason => reason === 'behind' || reason === 'overdue')).toBe(true)
    }),
  )
})

test.each([
  ['minutes after its assignment', 5 * 60_000, 0, false],
  ['after a quarter of its time', 24 * hour, 0, true],
  ['half watched after a quarter of its time', 24 * hour, 50, false],
  ['half watched after three quarters of its time', 72 * hour, 50, true],
])('a task of four days is behind %s: %d ms, %d%% watched: %p', (_case, now, seconds, expected) => {
  expect(isBehind(makeTask(4 * 24 * hour), seconds, now)).toBe(expected)
})

test('a reset starts the time again, and one before the assignment does not count', () => {
  const day = 24 * hour
  const resetAt = 36 * day
  const reasonsAt = (now: number, seconds: number, fields: Partial<OpenTask> = { resetAt }) =>
    findRisks(makeTask(40 * day, fields), watchUpTo(seconds), now)?.reasons ?? []
  expect(reasonsAt(resetAt + hour, 0, {})).toEqual(['behind', 'not_started'])
  expect(reasonsAt(resetAt + hour, 0)).toEqual([])
  expect(reasonsAt(resetAt + day, 0)).toEqual(['behind', 'not_started'])
  expect(reasonsAt(resetAt + 2 * day, 50)).toEqual([])
  expect(reasonsAt(resetAt + hour, 0, { assignedAt: resetAt, resetAt: day })).toEqual([])
  expect(reasonsAt(resetAt + hour, 0, { assignedAt: null, resetAt })).toEqual([])
})

test('the pace counts from the last change of the due date; a task that was never started stays at risk', () => {
  const day = 24 * hour
  // Assigned on the first day, with a due date since day 36.
  const reasonsAt = (now: number, seconds: number, fields: Partial<OpenTask> = {}) =>
    findRisks(makeTask(40 * day, { dueSetAt: 36 * day, ...fields }), watchUpTo(seconds), now)?.reasons ?? []
  expect(reasonsAt(36 * day + hour, 1, { dueSetAt: null })).toEqual(['behind'])
  expect(reasonsAt(36 * day + hour, 1)).toEqual([])
  expect(reasonsAt(36 * day + hour, 0)).toEqual(['not_started'])
  expect(reasonsAt(38 * day + hour, 40)).toEqual(['behind'])
  expect(reasonsAt(38 * day - hour, 50)).toEqual([])
  // The later one of a reset and a change counts.
  expect(reasonsAt(38 * day, 1, { resetAt: 37.5 * day })).toEqual([])
  expect(reasonsAt(37 * day + hour, 1, { resetAt: 35 * day })).toEqual(['behind'])
})

test('a task in its grace period is behind, even if it was assigned after its due date', () => {
  const inGrace = { overdueAt: 100 * hour }
  expect(isBehind(makeTask(hour, inGrace), 80, 2 * hour)).toBe(true)
  expect(isBehind(makeTask(hour, { ...inGrace, assignedAt: 2 * hour }), 0, 3 * hour)).toBe(true)
  expect(isBehind(makeTask(hour, { ...inGrace, assignedAt: null }), 0, 2 * hour)).toBe(false)
})
