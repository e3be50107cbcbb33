import { type Intervals, totalLength } from './intervals.ts'
import type { CreditPoint, VideoWatch } from './watch-state.ts'

/** Credit of the same quarter of an hour is one point. Every time zone's midnight begins one. */
const pointMs = 15 * 60_000
/** A longer history loses its oldest points: their credit then counts from the next one. */
const maxPoints = 64

type Credited = Pick<VideoWatch, 'creditHistory' | 'completedAt' | 'lastReportAt' | 'intervals'>

/**
 * The credited seconds of a video over time, oldest first. Watching stored without a history counts
 * in full from its completion, or from the last report of a video that is not completed.
 */
export function readCreditHistory(watch: Credited): readonly CreditPoint[] {
  if (watch.creditHistory) return watch.creditHistory
  return watch.intervals.length === 0 ? [] : [[watch.completedAt ?? watch.lastReportAt, totalLength(watch.intervals)]]
}

/** The history after a change of the intervals. `now` is in ms. */
export function extendCreditHistory(before: Credited, intervals: Intervals, now: number): readonly CreditPoint[] {
  const history = readCreditHistory(before)
  if (intervals === before.intervals) return history
  const newest = history.at(-1)
  const at = Math.max(now, newest?.[0] ?? now)
  const sharesPoint = newest !== undefined && Math.floor(newest[0] / pointMs) === Math.floor(at / pointMs)
  const older = sharesPoint ? history.slice(0, -1) : history
  const seconds = Math.round(totalLength(intervals) * 100) / 100
  return [...older, [sharesPoint ? newest[0] : at, seconds] as const].slice(-maxPoints)
}
