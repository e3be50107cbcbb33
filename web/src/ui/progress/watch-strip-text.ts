import { formatPosition } from '../dates/format.ts'

/** A range of a video in seconds. */
export interface Range {
  from: number
  to: number
}

/** Shorter gaps (s) are not mentioned in the text. */
const minGapS = 1
const maxNamedGaps = 3

/** Sorted, clipped to 0…length, overlaps joined. */
export function normaliseRanges(ranges: readonly Range[], length: number): Range[] {
  const clippedRanges = ranges
    .map(({ from, to }) => ({ from: Math.max(0, from), to: Math.min(length, to) }))
    .filter(({ from, to }) => to > from)
    .sort((a, b) => a.from - b.from)
  const joinedRanges: Range[] = []
  for (const range of clippedRanges) {
    const last = joinedRanges.at(-1)
    if (last && range.from <= last.to) last.to = Math.max(last.to, range.to)
    else joinedRanges.push({ ...range })
  }
  return joinedRanges
}

export function missingRanges(ranges: readonly Range[], length: number): Range[] {
  const gaps: Range[] = []
  let gapStart = 0
  for (const { from, to } of normaliseRanges(ranges, length)) {
    if (from - gapStart >= minGapS) gaps.push({ from: gapStart, to: from })
    gapStart = to
  }
  if (length - gapStart >= minGapS) gaps.push({ from: gapStart, to: length })
  return gaps
}

/** The share of the length that the ranges cover, in percent; 100 only without a noticeable gap. */
export function coveredPercent(ranges: readonly Range[], length: number): number {
  if (length <= 0) return 0
  const coveredSeconds = normaliseRanges(ranges, length).reduce((sum, { from, to }) => sum + to - from, 0)
  if (coveredSeconds > 0 && missingRanges(ranges, length).length === 0) return 100
  return Math.min(99, Math.round((coveredSeconds / length) * 100))
}

/** The text alternative of a strip: `78% watched; missing 2:10 to 3:05`. */
export function describeStrip(
  ranges: readonly Range[],
  length: number,
  percent = coveredPercent(ranges, length),
): string {
  const watchedText = `${percent}% watched`
  const gaps = missingRanges(ranges, length)
  if (gaps.length === 0 || percent >= 100) return watchedText
  if (gaps.length === 1 && gaps[0]?.from === 0 && gaps[0].to === length) return watchedText
  const gapTexts = gaps.slice(0, maxNamedGaps).map(({ from, to }) => `${formatPosition(from)} to ${formatPosition(to)}`)
  const unnamedCount = gaps.length - gapTexts.length
  return `${watchedText}; missing ${gapTexts.join(', ')}${unnamedCount > 0 ? ` and ${unnamedCount} more` : ''}`
}
