import type { getSignInFailure } from '@watchline/contracts/auth'
import type { ResponseOf } from '@watchline/contracts/operation'
import { type AccountRefusal, accountRefusalOf } from '../../api/account-refusal.ts'
import type { CallResult } from '../../api/call.ts'
import { send } from '../../api/send.ts'
import { homeOf, loadSession } from '../../api/signed-in-person.ts'
import { createTimeFormat } from '../../ui/dates/time-format.ts'

/** The provider's result in the address of /profile: from the hash, else from the query. */
export type Callback =
  | SignInAnswer
  | { accountRefusal: AccountRefusal }
  | { message: string }
  /** The provider may have explained the error. The server knows whether it did. */
  | { unexplainedError: string }

/** A sign-in at the provider, to exchange for a login session. */
export interface SignInAnswer {
  sessionId: string
  /** The provider's id. */
  provider?: string | undefined
  /** The person signed in again to end their other sessions. */
  endsOtherSessions: boolean
}

/** Complete sentences, where another attempt does not help or nothing is wrong. */
const messages: Record<string, string> = {
  invalid_state: 'Authentication session expired. Please try logging in again.',
  email_unverified:
    'Your sign-in provider has not confirmed that your email address is yours. Confirm it there, then sign in again.',
  email_domain:
    'Your email address does not belong to this organisation. Sign in with your work account, or ask your administrator.',
}

const providerProblem = 'The sign-in provider reported a problem'
const wrongSetup =
  'The sign-in provider does not accept Watchline’s request, so your administrator must check its settings'
const repeatSignIn = 'The sign-in provider needs you to sign in there again'

/** Our words for the error codes of OAuth 2.0 and OpenID Connect, and for our own. */
const descriptions: Record<string, string> = {
  access_denied: 'The sign-in was cancelled or is not permitted',
  login_required: repeatSignIn,
  interaction_required: repeatSignIn,
  account_selection_required: repeatSignIn,
  unmet_authentication_requirements: 'This sign-in was not strong enough, so use your second factor there',
  consent_required: 'The sign-in provider needs your consent',
  temporarily_unavailable: 'The sign-in provider is busy',
  server_error: providerProblem,
  invalid_request: wrongSetup,
  invalid_scope: wrongSetup,
  unauthorized_client: wrongSetup,
  unsupported_response_type: wrongSetup,
  provider_unavailable: 'The sign-in provider does not answer',
  unknown_provider: 'There is no such sign-in provider',
  sign_in_failed: 'The sign-in provider’s answer could not be accepted',
}

export function readCallback({ hash, search }: { hash: string; search: string }): Callback {
  const inHash = new URLSearchParams(hash.replace(/^#/, ''))
  const inQuery = new URLSearchParams(search)
  const read = (name: string) => inHash.get(name) || inQuery.get(name) || undefined
  const error = read('error')
  const accountRefusal = error === undefined ? undefined : accountRefusalOf({ code: error })
  if (accountRefusal) return { accountRefusal }
  if (error !== undefined && Object.hasOwn(messages, error)) return { message: messages[error]! }
  if (error && (read('error_description') ?? read('description'))) return { unexplainedError: error }
  if (error) return { message: errorMessage(error, undefined) }
  const sessionId = read('session_id')
  const endsOtherSessions = read('end_other_sessions') === 'true'
  return sessionId
    ? { sessionId, provider: read('provider'), endsOtherSessions }
    : { message: 'No valid authentication session found. Please log in again.' }
}

/** The provider's words if there are any, otherwise ours. */
function errorMessage(error: string, description: string | undefined): string {
  const ownWords = Object.hasOwn(descriptions, error) ? descriptions[error]! : providerProblem
  return `Authentication error: ${(description ?? ownWords).replace(/\.$/, '')}. Please try again.`
}

/**
 * The message of an error whose link contains an explanation. Anybody can write words into a link,
 * so the words come from the server, which knows whether the provider said them.
 */
export async function explainError(error: string): Promise<string> {
  const result = await loadFailure()
  const failure = result.ok ? result.failure : {}
  return errorMessage(error, failure.error === error ? (failure.description ?? undefined) : undefined)
}

/**
 * The page to go on to if the account is not refused any more. Undefined if it is, or if the server
 * does not answer. For a minute after a refused sign-in it is, because this browser may have no
 * session of that account, or that of another one.
 */
export async function findPageAfterRefusal(refusal: AccountRefusal): Promise<string | undefined> {
  const signIn = await loadFailure()
  if (!signIn.ok || signIn.failure.error === refusal) return undefined
  const session = await loadSession()
  if (!session.ok || session.accountRefusal) return undefined
  return session.person ? homeOf(session.person) : '/'
}

type SignInFailure = Partial<ResponseOf<typeof getSignInFailure>>

/** Why this browser's sign-in failed; empty if it did not. */
async function loadFailure(): Promise<{ ok: true; failure: SignInFailure } | { ok: false }> {
  const result = await send({ method: 'GET', path: '/auth/failure' })
  return result.ok ? { ok: true, failure: (result.body ?? {}) as SignInFailure } : { ok: false }
}

const exchanges = new Map<string, Promise<CallResult>>()

/** A session_id is valid once, so repeated requests of a page share one call. */
export function exchangeOnce({ sessionId, endsOtherSessions }: SignInAnswer): Promise<CallResult> {
  let exchange = exchanges.get(sessionId)
  if (!exchange) {
    const body = { session_id: sessionId, ...(endsOtherSessions && { end_other_sessions: true }) }
    exchange = send({ method: 'POST', path: '/auth/login', body })
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
