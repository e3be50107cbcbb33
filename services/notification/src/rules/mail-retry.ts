import { limits } from '@watchline/contracts/limits'

const minute = 60_000
const retryDelaysMs = [1, 5, 15, 30, 60, 2 * 60, 4 * 60, 8 * 60, 12 * 60].map(minutes => minutes * minute)

/** The delay after this number of attempts, before the next one; undefined after the last one. */
export function retryDelayAfter(attempts: number): number | undefined {
  if (attempts >= limits.mailAttempts) return undefined
  return retryDelaysMs[Math.min(Math.max(attempts, 1), retryDelaysMs.length) - 1]
}
