import * as oidc from 'openid-client'

/**
 * The reason why a sign-in failed, for the sign-in page: a code, and a description if there is one.
 */
export class SignInFailure extends Error {
  readonly code: string
  readonly description: string | undefined

  constructor(code: string, description?: string, cause?: unknown) {
    super(`${code}${description ? `: ${description}` : ''}`, { cause })
    this.code = code
    this.description = description
  }
}

export function providerUnavailable(cause?: unknown): SignInFailure {
  return new SignInFailure('provider_unavailable', 'The sign-in provider does not answer', cause)
}

export function toSignInFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error
  if (error instanceof oidc.AuthorizationResponseError)
    return new SignInFailure(error.error, error.error_description, error)
  if (error instanceof oidc.ResponseBodyError)
    return new SignInFailure('sign_in_failed', error.error_description ?? error.error, error)
  const causes = causeChain(error)
  if (causes.some(cause => cause.claim === 'nonce')) return new SignInFailure('invalid_state', undefined, error)
  if (causes.some(isNetworkError)) return providerUnavailable(error)
  return new SignInFailure('sign_in_failed', 'The sign-in provider’s answer could not be accepted', error)
}

interface Cause {
  name?: string
  message?: string
  cause?: unknown
  claim?: string
}

const maxCauses = 5

/** An error and its causes: the library wraps the original error once or twice. */
function causeChain(error: unknown): Cause[] {
  const chain: Cause[] = []
  for (let cause = error; cause && chain.length < maxCauses; cause = (cause as Cause).cause) chain.push(Object(cause))
  return chain
}

/** Errors of `fetch` without an answer, or with a late one. */
function isNetworkError({ name, message }: Cause): boolean {
  return name === 'TimeoutError' || name === 'AbortError' || (name === 'TypeError' && message === 'fetch failed')
}
