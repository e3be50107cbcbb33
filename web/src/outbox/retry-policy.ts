import type { Failure } from '../api/failure.ts'

export const longestWaitMs = 60_000
const firstWaitMs = 1_000
const maxDoublings = 6

/** Another attempt can succeed: the call is not at fault, or signing in again helps. */
export function isTemporary({ status }: Failure): boolean {
  return status === 0 || status >= 500 || [401, 408, 425, 429].includes(status)
}

/**
 * Exponential back-off with jitter; Retry-After with jitter if that is longer. An overloaded server
 * sets the pace itself: calls behind a refused report, such as the end of a session, must not wait
 * for a doubled time.
 */
export function backOffMs(failures: number, failure: Failure, random: number): number {
  const pacedMs = retryAfterMs(failure) * (1 + random / 2)
  if (failure.code === 'overloaded' && pacedMs > 0) return pacedMs
  const doubledMs = Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(failures - 1, maxDoublings))
  return Math.max(doubledMs * (0.5 + random / 2), pacedMs)
}

export function retryAfterMs({ retryAfter = 0 }: Failure): number {
  return retryAfter * 1_000
}
