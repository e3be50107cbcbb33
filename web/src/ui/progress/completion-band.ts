import { limits } from '@watchline/contracts/limits'
import { formatPercent } from '../dates/format.ts'

export type CompletionBand = 'green' | 'yellow' | 'red'

/**
 * The colour band of a completion rate (percent), by the truncated figure, so that colour and
 * figure agree.
 */
export function bandOf(rate: number): CompletionBand {
  const shownRate = Math.floor(rate)
  if (shownRate >= limits.completionGreen) return 'green'
  return shownRate >= limits.completionYellow ? 'yellow' : 'red'
}

/** The word for each colour. */
export const bandWords: Record<CompletionBand, string> = { green: 'High', yellow: 'Medium', red: 'Low' }

interface TeamAverage {
  team_count: number
  average_completion: number
}

/** The average of a team; a dash if it has no members. */
export function formatAverage({ team_count, average_completion }: TeamAverage): string {
  return team_count > 0 ? formatPercent(average_completion) : '–'
}

/** The band of a team's average, and whom the average counts. */
export const describeAverage = (rate: number) => `${bandWords[bandOf(rate)]} · people without tasks count as 0%`
