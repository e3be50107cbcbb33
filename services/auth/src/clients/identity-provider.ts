import type { Clock } from '@watchline/kit/core/clock'
import type { Logger } from '@watchline/kit/observability/log'
import * as oidc from 'openid-client'
import type { SignInState } from '../routes/cookies/sign-in-cookies.ts'
import { type Account, accountOf, type ProviderClaims } from '../rules/account.ts'
import type { Identity } from '../store/people.ts'

/** Why a sign-in failed, as the sign-in page is told: a code, and words where there are any. */
export class SignInFailure extends Error {
  readonly code: string
  readonly description: string | undefined

  constructor(code: string, description?: string, cause?: unknown) {
    super(`${code}${description ? `: ${description}` : ''}`, { cause })
    this.code = code
    this.description = description
  }
}

export interface IdentityProviderOptions {
  issuer: string
  /** What its accounts are filed under, when that is not the issuer itself. */
  accounts?: string | undefined
  clientId: string
  clientSecret: string | undefined
  redirectUri: string
  clock: Clock
  log: Logger
  /** How the provider is reached; the development provider is called directly, not through the gateway. */
  fetch?: oidc.CustomFetch
  /** How long one of its answers is waited for; a whole step takes at most twice that. */
  timeoutS?: number
}

export interface IdentityProvider {
  /** Where the browser is sent, and what it must bring back. Rejects with {@link SignInFailure}. */
  begin(loginHint: string | undefined): Promise<{ url: string; remember: SignInState }>
  /** Who came back. Rejects with {@link SignInFailure}. */
  complete(answer: URLSearchParams, remembered: SignInState): Promise<{ identity: Identity; account: Account }>
}

const scope = 'openid email profile'
const rediscoverMs = 60 * 60_000
const unavailable = 'The sign-in provider does not answer'

/** OpenID Connect's authorisation code flow with PKCE, state and nonce. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { issuer, accounts, clientId, clientSecret, redirectUri, clock, log, timeoutS = 5 } = options
  let known: { configuration: oidc.Configuration; at: number } | undefined
  let asking: Promise<oidc.Configuration> | undefined

  function discover(): Promise<oidc.Configuration> {
    return oidc.discovery(new URL(issuer), clientId, undefined, authentication(clientSecret), {
      timeout: timeoutS,
      ...(issuer.startsWith('http:') && { execute: [oidc.allowInsecureRequests] }),
      ...(options.fetch && { [oidc.customFetch]: options.fetch }),
    })
  }

  /** The provider's addresses: asked for once an hour, and kept when it does not answer then. */
  async function configuration(): Promise<oidc.Configuration> {
    if (known && clock.now() - known.at < rediscoverMs) return known.configuration
    asking ??= discover().finally(() => {
      asking = undefined
    })
    try {
      const found = await asking
      known = { configuration: found, at: clock.now() }
      return found
    } catch (error) {
      log.warn({ err: error, issuer }, 'the sign-in provider could not be discovered')
      if (known) return known.configuration
      throw new SignInFailure('provider_unavailable', unavailable, error)
    }
  }

  /** Several requests may be needed: together they must end while the gateway still waits. */
  async function inTime<T>(work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new SignInFailure('provider_unavailable', unavailable)), 2_000 * timeoutS)
    })
    return Promise.race([work, late]).finally(() => clearTimeout(timer))
  }

  async function complete(answer: URLSearchParams, remembered: SignInState) {
    const config = await configuration()
    try {
      const url = new URL(redirectUri)
      url.search = answer.toString()
      const tokens = await oidc.authorizationCodeGrant(config, url, {
        expectedState: remembered.state,
        expectedNonce: remembered.nonce,
        pkceCodeVerifier: remembered.verifier,
      })
      const claims = tokens.claims()!
      const account = accountOf(await withUserInfo(config, tokens.access_token, claims))
      if (!account) throw new SignInFailure('sign_in_failed', 'The sign-in provider told no e-mail address')
      return { identity: { issuer: accounts ?? claims.iss, subject: claims.sub }, account }
    } catch (error) {
      throw asFailure(error)
    }
  }

  return {
    begin: async loginHint => {
      const config = await configuration()
      const remember = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        startedAt: clock.now(),
      }
      const url = oidc.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: remember.state,
        nonce: remember.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(remember.verifier),
        code_challenge_method: 'S256',
        ...(loginHint && { login_hint: loginHint }),
      })
      return { url: url.href, remember }
    },

    complete: (answer, remembered) => inTime(complete(answer, remembered)),
  }
}

/** HTTP basic where the provider offers it (the standard's default), else the secret in the body. */
function authentication(clientSecret: string | undefined): oidc.ClientAuth {
  if (!clientSecret) return oidc.None()
  const basic = oidc.ClientSecretBasic(clientSecret)
  const post = oidc.ClientSecretPost(clientSecret)
  return (server, ...rest) => {
    const offered = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    return (offered.includes('client_secret_basic') ? basic : post)(server, ...rest)
  }
}

/**
 * Some providers tell name and address, or that they have verified it, only when asked. What one answer says of an address is never
 * said of another's.
 */
async function withUserInfo(
  config: oidc.Configuration,
  accessToken: string,
  claims: oidc.IDToken,
): Promise<ProviderClaims> {
  if (claims.email && claims.name && claims.email_verified !== undefined) return claims
  if (!config.serverMetadata().userinfo_endpoint) return claims
  const told = await oidc.fetchUserInfo(config, accessToken, claims.sub)
  const isOther = told.email !== undefined && told.email !== claims.email
  return { ...claims, ...told, ...(isOther && { email_verified: told.email_verified }) }
}

function asFailure(error: unknown): SignInFailure {
  if (error instanceof SignInFailure) return error
  if (error instanceof oidc.AuthorizationResponseError)
    return new SignInFailure(error.error, error.error_description, error)
  if (error instanceof oidc.ResponseBodyError)
    return new SignInFailure('sign_in_failed', error.error_description ?? error.error, error)
  if (causes(error).some(each => each.claim === 'nonce')) return new SignInFailure('invalid_state', undefined, error)
  if (causes(error).some(isNetworkProblem)) return new SignInFailure('provider_unavailable', unavailable, error)
  return new SignInFailure('sign_in_failed', 'The sign-in provider’s answer could not be accepted', error)
}

interface Cause {
  name?: string
  message?: string
  cause?: unknown
  claim?: string
}

/** An error and what is behind it: the library wraps what went wrong once or twice. */
function causes(error: unknown): Cause[] {
  const chain: Cause[] = []
  for (let each = error; each && chain.length < 5; each = (each as Cause).cause) chain.push(Object(each))
  return chain
}

/** What `fetch` throws when nobody answers, or not in time. */
function isNetworkProblem({ name, message }: Cause): boolean {
  return name === 'TimeoutError' || name === 'AbortError' || (name === 'TypeError' && message === 'fetch failed')
}
