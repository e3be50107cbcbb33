import type { Failure } from '../../../api/failure.ts'
import { formatCount } from '../../../ui/format.ts'

/** Why a password was not taken: the server's words, or when to try again if there were too many tries. */
export function describePasswordFailure({ status, detail, retryAfter }: Failure, otherwise: string): string {
  if (status === 429 && retryAfter !== undefined)
    return `Too many attempts. Please try again in ${waitingTime(retryAfter)}.`
  return detail ?? otherwise
}

/** Rounded up, so that who waits as long is let in. */
function waitingTime(seconds: number): string {
  if (seconds < 60) return formatCount(Math.max(1, Math.ceil(seconds)), 'second')
  return formatCount(Math.ceil(seconds / 60), 'minute')
}
