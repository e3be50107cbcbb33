import { roundToTenth } from './summary.ts'

/*
 * The one definition of completion beyond a single video, for every answer, the export and the
 * history: docs/decisions/0015-completion.md.
 */

/** A playable video's completion rate (percent) and its length (seconds). */
export interface WeightedRate {
  rate: number
  duration: number
}

/**
 * Credited seconds ÷ total seconds, in percent, to one decimal. Reads 100 only if every video is at
 * 100; 0 without a known length.
 */
export function weighRates(videos: readonly WeightedRate[]): number {
  const measured = videos.filter(({ duration }) => duration > 0)
  const total = measured.reduce((sum, { duration }) => sum + duration, 0)
  if (total === 0) return 0
  if (measured.every(({ rate }) => rate >= 100)) return 100
  const covered = measured.reduce((sum, { rate, duration }) => sum + rate * duration, 0)
  return Math.min(roundToTenth(covered / total), 99.9)
}

/**
 * A person's completion over all assigned videos, in whole percent. Truncated as screens truncate a
 * playlist's completion, so one playlist and its only person show the same figure.
 */
export function ratePerson(videos: readonly WeightedRate[]): number {
  return Math.floor(weighRates(videos))
}

/** A team's average: the rounded mean of its members' completion; 0 for an empty team. */
export function averageRate(sumOfRates: number, members: number): number {
  return members === 0 ? 0 : Math.round(sumOfRates / members)
}
