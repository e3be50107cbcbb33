import { apiUrl } from '../../api/api-url.ts'
import type { CallResult } from '../../api/call.ts'
import { exchangeMessage, type SignInAnswer } from './callback.ts'

/** A sign-in that failed, as the pages show it. */
export interface FailedSignIn {
  message: string
  /** Where the person signs in again to end their other session; only if that one is in the way. */
  endOtherSessionUrl?: string | undefined
}

/**
 * The reason why the exchange failed, and the way out if another session of the person monitors.
 */
export function failedExchange(answer: SignInAnswer, result: Extract<CallResult, { ok: false }>): FailedSignIn {
  const message = exchangeMessage(result)
  if (result.failure.code !== 'monitoring_conflict') return { message }
  if (answer.endsOtherSessions)
    return {
      message: `${message} The other session was not ended, because the sign-in provider did not confirm that you signed in again.`,
    }
  const query = new URLSearchParams({
    end_other_sessions: 'true',
    ...(answer.provider !== undefined && { provider: answer.provider }),
  })
  return { message, endOtherSessionUrl: apiUrl(`/auth/signin?${query}`) }
}

/** The number of ended sessions in the answer of a login; undefined if none were to end. */
export function endedSessionsIn(body: unknown): number | undefined {
  const { ended_sessions: count } = (body ?? {}) as { ended_sessions?: unknown }
  return typeof count === 'number' ? count : undefined
}
