import { limits } from '@watchline/contracts/limits'

export type CompletionBand = 'green' | 'yellow' | 'red'

/** The band of a completion rate (percent) as it is shown, rounded: colour and figure never disagree. */
export function bandOf(rate: number): CompletionBand {
  const shown = Math.round(rate)
  if (shown >= limits.completionGreen) return 'green'
  return shown >= limits.completionYellow ? 'yellow' : 'red'
}

/** What the colour says, in a word. */
export const bandWords: Record<CompletionBand, string> = { green: 'High', yellow: 'Medium', red: 'Low' }
