import type { CallResult } from './call.ts'
import type { Failure } from './failure.ts'
import { createRefreshCall, send } from './send.ts'

/** The refusals that end all sessions of a person, by their error codes. */
export type AccountRefusal = 'deactivated' | 'account_erased'

/** Undefined for any other refusal. */
export function accountRefusalOf({ code }: Pick<Failure, 'code'>): AccountRefusal | undefined {
  return code === 'deactivated' || code === 'account_erased' ? code : undefined
}

/** The address of the page that shows the refusal. */
export function accountRefusalAddress(refusal: AccountRefusal): string {
  return `/profile?error=${refusal}`
}

/** Pages wait for the answer, so this is short. */
const answerTimeoutMs = 5_000

/**
 * Asks why this browser's session has ended. Only the person's own browsers may learn an account
 * refusal. The server gives it only for their refresh token, which outlives the session.
 */
export function requestEndReason(): Promise<CallResult> {
  return send({ ...createRefreshCall(), timeoutMs: answerTimeoutMs })
}
