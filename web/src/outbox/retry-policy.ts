import type { Failure } from '../api/failure.ts'

export const longestWaitMs = 60_000
const firstWaitMs = 1_000
const mostDoublings = 6

/** The call is not at fault, or signing in again cures it: another attempt can succeed. */
export function isTemporary({ status }: Failure): boolean {
  return status === 0 || status >= 500 || [401, 408, 425, 429].includes(status)
}

/** Exponential back-off with jitter, never shorter than Retry-After. */
export function backOffMs(failures: number, failure: Failure, random: number): number {
  const growing = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, mostDoublings))
  return Math.max(growing * (0.5 + random / 2), retryAfterMs(failure))
}

export function retryAfterMs({ retryAfter = 0 }: Failure): number {
  return retryAfter * 1_000
}
