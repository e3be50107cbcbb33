/** Seconds of a video, or instants of time. The end is not included. */
export type Interval = readonly [from: number, to: number]

/** Sorted and disjoint; no interval touches the next. Plain JSON. */
export type Intervals = readonly Interval[]

/**
 * Positions closer than this are equal, and shorter intervals are empty. Far below one frame, far
 * above a rounding error.
 */
export const tolerance = 1e-6

/**
 * Maximum number of intervals of one video. Only seeking adds intervals and continued watching
 * merges them, so normal use stays far below. Beyond it the shortest interval is lost. Merging the
 * nearest two instead would credit the gap between them.
 */
export const maxIntervals = 500

/**
 * Merges the interval with all it touches or covers. Empty and inverted intervals change nothing.
 */
export function insert(intervals: Intervals, [from, to]: Interval, max = maxIntervals): Intervals {
  if (!(to - from > tolerance)) return intervals
  let first = 0
  while (first < intervals.length && intervals[first]![1] < from - tolerance) first += 1
  let after = first
  while (after < intervals.length && intervals[after]![0] <= to + tolerance) after += 1
  const merged: Interval =
    after > first ? [Math.min(from, intervals[first]![0]), Math.max(to, intervals[after - 1]![1])] : [from, to]
  return dropShortest([...intervals.slice(0, first), merged, ...intervals.slice(after)], max)
}

export function union(intervals: Intervals, added: Iterable<Interval>): Intervals {
  let all = intervals
  for (const interval of added) all = insert(all, interval)
  return all
}

export function totalLength(intervals: Intervals): number {
  return intervals.reduce((sum, [from, to]) => sum + (to - from), 0)
}

/** The parts within [from, to]. */
export function clip(intervals: Intervals, from: number, to: number): Intervals {
  return intervals
    .map(([start, end]): Interval => [Math.max(start, from), Math.min(end, to)])
    .filter(([start, end]) => end - start > tolerance)
}

/** The missing parts within [from, to]. */
export function gaps(intervals: Intervals, from: number, to: number): Intervals {
  const missing: Interval[] = []
  let open = from
  for (const [start, end] of clip(intervals, from, to)) {
    if (start - open > tolerance) missing.push([open, start])
    open = end
  }
  if (to - open > tolerance) missing.push([open, to])
  return missing
}

function dropShortest(intervals: Intervals, max: number): Intervals {
  if (intervals.length <= max) return intervals
  let shortest = 0
  intervals.forEach(([from, to], index) => {
    const [start, end] = intervals[shortest]!
    if (to - from < end - start) shortest = index
  })
  return intervals.filter((_, index) => index !== shortest)
}
