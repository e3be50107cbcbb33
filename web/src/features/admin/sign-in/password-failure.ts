import type { Failure } from '../../../api/failure.ts'
import { formatCount } from '../../../ui/dates/format.ts'

/**
 * The reason why a password was rejected: the server's text, or the time of the next attempt after
 * too many.
 */
export function describePasswordFailure({ status, detail, retryAfter }: Failure, fallback: string): string {
  if (status === 429 && retryAfter !== undefined)
    return `Too many attempts. Please try again in ${waitingTime(retryAfter)}.`
  return detail ?? fallback
}

/** Rounds up, so that an attempt after this time is admitted. */
function waitingTime(seconds: number): string {
  if (seconds < 60) return formatCount(Math.max(1, Math.ceil(seconds)), 'second')
  return formatCount(Math.ceil(seconds / 60), 'minute')
}
