import { formatPosition } from './format.ts'

/** A range of a video in seconds. */
export interface Range {
  from: number
  to: number
}

/** Shorter gaps (s) are not mentioned in the text. */
const noticedS = 1
const namedGaps = 3

/** Sorted, clipped to 0…length, overlaps joined. */
export function normaliseRanges(ranges: readonly Range[], length: number): Range[] {
  const clipped = ranges
    .map(({ from, to }) => ({ from: Math.max(0, from), to: Math.min(length, to) }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from)
  const joined: Range[] = []
  for (const range of clipped) {
    const last = joined.at(-1)
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to)
    else joined.push({ ...range })
  }
  return joined
}

export function missingRanges(ranges: readonly Range[], length: number): Range[] {
  const missing: Range[] = []
  let at = 0
  for (const { from, to } of normaliseRanges(ranges, length)) {
    if (from - at >= noticedS) missing.push({ from: at, to: from })
    at = to
  }
  if (length - at >= noticedS) missing.push({ from: at, to: length })
  return missing
}

/** The share of the length that the ranges cover, in percent; 100 only without a noticeable gap. */
export function coveredPercent(ranges: readonly Range[], length: number): number {
  if (length <= 0) return 0
  const covered = normaliseRanges(ranges, length).reduce((sum, { from, to }) => sum + to - from, 0)
  if (covered > 0 && missingRanges(ranges, length).length === 0) return 100
  return Math.min(99, Math.round((covered / length) * 100))
}

/** The text alternative of a strip: `78% watched; missing 2:10 to 3:05`. */
export function describeStrip(
  ranges: readonly Range[],
  length: number,
  percent = coveredPercent(ranges, length),
): string {
  const watched = `${percent}% watched`
  const missing = missingRanges(ranges, length)
  if (missing.length === 0 || percent >= 100) return watched
  if (missing.length === 1 && missing[0]?.from === 0 && missing[0].to === length) return watched
  const named = missing.slice(0, namedGaps).map(({ from, to }) => `${formatPosition(from)} to ${formatPosition(to)}`)
  const rest = missing.length - named.length
  return `${watched}; missing ${named.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
