/** Seconds of a video (or instants of time), the end not included. */
export type Interval = readonly [from: number, to: number]

/** Sorted, disjoint, none touching the next; plain JSON. */
export type Intervals = readonly Interval[]

/** Closer than this is the same place; shorter than this is nothing. Far below a frame, far above a rounding error. */
export const same = 1e-6

/**
 * How many pieces are kept of one video. Only seeking makes new ones and watching on closes them, so that a person does not come
 * near it; somebody who does loses the shortest piece for each new one. Merging the nearest instead would credit a gap.
 */
export const maxIntervals = 500

/** The set with one more interval in it: what it touches or covers becomes one with it. Empty and impossible ones change nothing. */
export function insert(intervals: Intervals, [from, to]: Interval, max = maxIntervals): Intervals {
  if (!(to - from > same)) return intervals
  let first = 0
  while (first < intervals.length && intervals[first]![1] < from - same) first += 1
  let after = first
  while (after < intervals.length && intervals[after]![0] <= to + same) after += 1
  const merged: Interval =
    after > first ? [Math.min(from, intervals[first]![0]), Math.max(to, intervals[after - 1]![1])] : [from, to]
  return bounded([...intervals.slice(0, first), merged, ...intervals.slice(after)], max)
}

export function union(one: Intervals, other: Iterable<Interval>): Intervals {
  let all = one
  for (const each of other) all = insert(all, each)
  return all
}

export function length(intervals: Intervals): number {
  return intervals.reduce((sum, [from, to]) => sum + (to - from), 0)
}

/** What lies within [from, to]. */
export function clip(intervals: Intervals, from: number, to: number): Intervals {
  return intervals
    .map(([start, end]): Interval => [Math.max(start, from), Math.min(end, to)])
    .filter(([start, end]) => end - start > same)
}

/** What is missing within [from, to]. */
export function gaps(intervals: Intervals, from: number, to: number): Intervals {
  const missing: Interval[] = []
  let open = from
  for (const [start, end] of clip(intervals, from, to)) {
    if (start - open > same) missing.push([open, start])
    open = end
  }
  if (to - open > same) missing.push([open, to])
  return missing
}

function bounded(intervals: Intervals, max: number): Intervals {
  if (intervals.length <= max) return intervals
  let shortest = 0
  intervals.forEach(([from, to], index) => {
    const [start, end] = intervals[shortest]!
    if (to - from < end - start) shortest = index
  })
  return intervals.filter((_, index) => index !== shortest)
}
