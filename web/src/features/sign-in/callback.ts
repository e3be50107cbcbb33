import type { CallResult } from '../../api/call.ts'
import { send } from '../../api/send.ts'
import { createTimeFormat } from '../../ui/time-format.ts'

/** The provider's result in the address of /profile: from the hash, else from the query. */
export type Callback = { sessionId: string } | { message: string }

export function readCallback({ hash, search }: { hash: string; search: string }): Callback {
  const inHash = new URLSearchParams(hash.replace(/^#/, ''))
  const inQuery = new URLSearchParams(search)
  const read = (name: string) => inHash.get(name) || inQuery.get(name) || undefined
  const error = read('error')
  if (error === 'invalid_state') return { message: 'Authentication session expired. Please try logging in again.' }
  if (error === 'deactivated') return { message: 'Your account is deactivated. Ask your administrator.' }
  if (error) {
    const description = (read('error_description') ?? read('description') ?? error).replace(/\.$/, '')
    return { message: `Authentication error: ${description}. Please try again.` }
  }
  const sessionId = read('session_id')
  return sessionId ? { sessionId } : { message: 'No valid authentication session found. Please log in again.' }
}

const exchanges = new Map<string, Promise<CallResult>>()

/** A session_id is valid once, so repeated requests of a page share one call. */
export function exchangeOnce(sessionId: string): Promise<CallResult> {
  let exchange = exchanges.get(sessionId)
  if (!exchange) {
    exchange = send({ method: 'POST', path: '/auth/login', body: { session_id: sessionId } })
    exchanges.set(sessionId, exchange)
  }
  return exchange
}

const clockTime = createTimeFormat({ timeStyle: 'short' })

/** Only the conflict shows the server's text, because it says what to do, and until when. */
export function exchangeMessage(failedCall: Extract<CallResult, { ok: false }>, now = Date.now()): string {
  const { status, detail, retryAfter } = failedCall.failure
  if (status !== 409 || !detail) return 'Authentication failed. Please try again.'
  if (!retryAfter) return detail
  const time = clockTime(now + retryAfter * 1_000)
  return `${detail} The other session ends at ${time} unless it continues.`
}
