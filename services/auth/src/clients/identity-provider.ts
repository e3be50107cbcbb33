import type { Clock } from '@watchline/kit/core/clock'
import type { Logger } from '@watchline/kit/observability/log'
import * as oidc from 'openid-client'
import type { DailyCheck, ProviderTrust } from '../config.ts'
import { type Account, accountOf, type ProviderClaims } from '../rules/account.ts'
import { readClaims } from '../rules/claim-rules.ts'
import type { LogoutToken } from '../rules/logout-token.ts'
import type { Identity } from '../store/person-model.ts'
import { providerCheckMs } from '../store/sessions.ts'
import { createProviderDiscovery } from './provider-discovery.ts'
import { providerUnavailable, SignInFailure, toSignInFailure } from './sign-in-failure.ts'
import { createLogoutTokenVerifier, type LogoutTokenVerifier } from './verify-logout-token.ts'

/** One sign-in, which the browser keeps until the provider sends it back. `startedAt` in ms. */
export interface SignInState {
  /** The id of the provider. Absent in a cookie of an earlier version, which had one provider. */
  provider?: string | undefined
  state: string
  nonce: string
  verifier: string
  startedAt: number
  /** The provider was asked for a new sign-in, so that the login may end other sessions. */
  endOtherSessions?: boolean | undefined
}

export interface SignInRequest {
  loginHint?: string | undefined
  /**
   * Somebody signed out in this browser, so the provider must not sign the same person in silently.
   */
  askWho?: boolean
  endOtherSessions?: boolean
}

/** `ProviderSettings` describes the fields without a comment. */
export interface IdentityProviderOptions {
  /** See `OfferedProvider`. */
  id: string
  issuer: string
  /** The stored issuer of its accounts, if it differs from `issuer`. */
  accountIssuer?: string | undefined
  clientId: string
  clientSecret: string | undefined
  acceptsUntypedLogoutTokens?: boolean
  acrValues?: readonly string[]
  maxAgeS?: number | undefined
  dailyCheck?: DailyCheck
  trustedFor?: readonly ProviderTrust[]
  allowedDomains?: readonly string[] | undefined
  claimsFromUserInfo?: boolean
  redirectUri: string
  clock: Clock
  log: Logger
  /** Sends the requests; the development provider is called directly, not through the gateway. */
  fetch?: oidc.CustomFetch
  /** Timeout of one request; a whole step takes at most twice as long. */
  timeoutS?: number
}

export interface SignedIn {
  identity: Identity
  account: Account
  /** All claims, not validated. */
  claims: ProviderClaims
  /** The provider's id of its own session, if it sends one. */
  sid: string | undefined
  /** The person signed in after this sign-in had begun, and was not signed in already. */
  isFresh: boolean
  /** For {@link IdentityProvider.renewAccount}; undefined without a daily check. */
  refreshToken: string | undefined
  /** For {@link IdentityProvider.findSignOutUrl}. */
  idToken: string | undefined
}

/** All calls reject with {@link SignInFailure}. */
export interface IdentityProvider {
  /** The address of the provider's sign-in page, and the state to present on return. */
  beginSignIn(request: SignInRequest): Promise<{ url: string; signIn: SignInState }>
  /**
   * The account that signed in, from the query of the provider's redirect. If the token lacks one
   * of the `neededClaims`, the provider is asked for more, where the settings permit it.
   */
  completeSignIn(answer: URLSearchParams, signIn: SignInState, neededClaims?: readonly string[]): Promise<SignedIn>
  /**
   * Whether the account may still sign in, and the refresh token for the next time. `unavailable`
   * if the provider does not say. Never rejects.
   */
  renewAccount(refreshToken: string): Promise<{ refreshToken: string } | 'refused' | 'unavailable'>
  /** The issuer in its tokens. */
  readonly issuer: string
  isTrustedFor(trust: ProviderTrust): boolean
  readonly allowedDomains: readonly string[] | undefined
  /** The issuer under which its accounts are stored. */
  readonly accountIssuer: string
  /** Undefined for an invalid logout token. */
  verifyLogoutToken(token: string): Promise<LogoutToken | undefined>
  /**
   * The address at which a person signs out of the provider; undefined if it has none or does not
   * answer at once. By the ID token the provider knows whom to sign out, without asking. Never
   * rejects.
   */
  findSignOutUrl(idToken: string | undefined): Promise<string | undefined>
  /** Ends the use of a refresh token, where the provider offers that. Never rejects. */
  revokeRefreshToken(refreshToken: string): Promise<void>
}

/** Characters. Servers and proxies refuse long addresses; a token with many groups is too long. */
const maxIdTokenHint = 2_000
const scope = 'openid email profile'
/** Two clocks may differ by this much, ms. */
const clockToleranceMs = 60_000
/** A sign-out does not wait longer for the provider's address, ms. */
const signOutUrlTimeoutMs = 2_000
/** A page waits for the answer, ms. */
const renewalTimeoutMs = 5_000
/** The state with which the provider comes back after a sign-out. */
export const signedOutState = 'signed_out'

/** OpenID Connect authorisation code flow with PKCE, state and nonce. */
export function createIdentityProvider(options: IdentityProviderOptions): IdentityProvider {
  const { id, issuer, accountIssuer, clientId, redirectUri, clock, log, timeoutS = 5 } = options
  const { acrValues = [], maxAgeS, dailyCheck = 'auto', claimsFromUserInfo = false } = options
  const getConfiguration = createProviderDiscovery({ ...options, timeoutS })

  /** A step may send several requests; all must end before the gateway's own timeout. */
  async function limitTime<T>(work: Promise<T>, limitMs = 2_000 * timeoutS): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(providerUnavailable()), limitMs)
    })
    return Promise.race([work, timeout]).finally(() => clearTimeout(timer))
  }

  /**
   * A provider may ignore what was asked for. Throws if it does not say that the sign-in was strong
   * and recent enough: one that says nothing may have used the weakest way.
   */
  function requireStrength({ acr, auth_time: authTime }: oidc.IDToken, { startedAt }: SignInState): void {
    if (acrValues.length > 0 && !(typeof acr === 'string' && acrValues.includes(acr)))
      throw new SignInFailure('unmet_authentication_requirements')
    if (maxAgeS === undefined) return
    const oldest = startedAt - maxAgeS * 1_000 - clockToleranceMs
    if (typeof authTime !== 'number' || authTime * 1_000 < oldest) throw new SignInFailure('login_required')
  }

  async function completeSignIn(
    answer: URLSearchParams,
    signIn: SignInState,
    neededClaims: readonly string[],
  ): Promise<SignedIn> {
    const configuration = await getConfiguration()
    try {
      const url = new URL(redirectUri)
      url.search = answer.toString()
      const tokens = await oidc.authorizationCodeGrant(configuration, url, {
        expectedState: signIn.state,
        expectedNonce: signIn.nonce,
        pkceCodeVerifier: signIn.verifier,
      })
      const idToken = tokens.claims()!
      requireStrength(idToken, signIn)
      const claims = await addUserInfo(
        configuration,
        tokens.access_token,
        idToken,
        claimsFromUserInfo ? neededClaims : [],
      )
      const account = accountOf(claims)
      if (!account) throw new SignInFailure('sign_in_failed', 'The sign-in provider sent no email address')
      return {
        identity: { issuer: accountIssuer ?? idToken.iss, subject: idToken.sub },
        account,
        claims,
        // Only of the signed token: they decide about sessions.
        sid: typeof idToken.sid === 'string' && idToken.sid ? idToken.sid : undefined,
        refreshToken: dailyCheck === 'off' ? undefined : lastingRefreshToken(tokens),
        idToken: tokens.id_token,
        isFresh: idToken.auth_time !== undefined && idToken.auth_time * 1_000 >= signIn.startedAt - clockToleranceMs,
      }
    } catch (error) {
      throw toSignInFailure(error)
    }
  }

  async function renewAccount(refreshToken: string): ReturnType<IdentityProvider['renewAccount']> {
    try {
      const configuration = await getConfiguration()
      const tokens = await oidc.refreshTokenGrant(configuration, refreshToken)
      return { refreshToken: tokens.refresh_token ?? refreshToken }
    } catch (error) {
      // Only this code is about the account (RFC 6749, 5.2). Any other may be a wrong setting.
      if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return 'refused'
      log.warn({ err: error, issuer }, 'daily check of an account at the provider failed, retrying in an hour')
      return 'unavailable'
    }
  }

  let verifier: { jwksUri: string; tokens: LogoutTokenVerifier } | undefined

  async function verifyLogoutToken(token: string): Promise<LogoutToken | undefined> {
    const { jwks_uri: jwksUri } = (await getConfiguration()).serverMetadata()
    if (!jwksUri) return undefined
    if (verifier?.jwksUri !== jwksUri)
      verifier = {
        jwksUri,
        tokens: createLogoutTokenVerifier({
          ...{ issuer, jwksUri, clientId, clock, fetch: options.fetch as never },
          acceptsUntypedLogoutTokens: options.acceptsUntypedLogoutTokens ?? false,
        }),
      }
    return verifier.tokens.verify(token)
  }

  async function findSignOutUrl(idToken: string | undefined): Promise<string | undefined> {
    try {
      const configuration = await limitTime(getConfiguration(), signOutUrlTimeoutMs)
      if (!configuration.serverMetadata().end_session_endpoint) return undefined
      // The same address as after a sign-in, because providers know it already.
      const parameters = {
        post_logout_redirect_uri: redirectUri,
        state: signedOutState,
        ...(idToken !== undefined && idToken.length <= maxIdTokenHint && { id_token_hint: idToken }),
      }
      return oidc.buildEndSessionUrl(configuration, parameters).href
    } catch (error) {
      log.info({ err: error, issuer }, 'sign-out address of the provider not found, sign-out is local')
      return undefined
    }
  }

  async function revokeRefreshToken(refreshToken: string): Promise<void> {
    try {
      const configuration = await getConfiguration()
      if (!configuration.serverMetadata().revocation_endpoint) return
      await oidc.tokenRevocation(configuration, refreshToken, { token_type_hint: 'refresh_token' })
    } catch (error) {
      log.info({ err: error, issuer }, 'refresh token not revoked at the provider, it expires there')
    }
  }

  return {
    issuer,
    accountIssuer: accountIssuer ?? issuer,
    isTrustedFor: trust => options.trustedFor?.includes(trust) ?? false,
    allowedDomains: options.allowedDomains,
    verifyLogoutToken: token => limitTime(verifyLogoutToken(token)),
    renewAccount: token => limitTime(renewAccount(token), renewalTimeoutMs).catch(() => 'unavailable'),
    findSignOutUrl,
    revokeRefreshToken,
    beginSignIn: async ({ loginHint, askWho, endOtherSessions }) => {
      const configuration = await getConfiguration()
      const signIn: SignInState = {
        provider: id,
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
        startedAt: clock.now(),
        ...(endOtherSessions && { endOtherSessions }),
      }
      const url = oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: dailyCheck === 'offline_access' ? `${scope} offline_access` : scope,
        state: signIn.state,
        nonce: signIn.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(signIn.verifier),
        code_challenge_method: 'S256',
        ...(loginHint && { login_hint: loginHint }),
        ...(acrValues.length > 0 && { acr_values: acrValues.join(' ') }),
        ...(maxAgeS !== undefined && { max_age: String(maxAgeS) }),
        ...(endOtherSessions ? { prompt: 'login', max_age: '0' } : askWho && { prompt: accountPrompt(configuration) }),
      })
      return { url: url.href, signIn }
    },

    completeSignIn: (answer, signIn, neededClaims = []) => limitTime(completeSignIn(answer, signIn, neededClaims)),
  }
}

/**
 * The refresh token, if it lasts until the next check. Keycloak sends with each sign-in one that
 * ends with its own session, after minutes, and says so in `refresh_expires_in`.
 */
function lastingRefreshToken(tokens: oidc.TokenEndpointResponse): string | undefined {
  const lifetimeS = Number(tokens.refresh_expires_in ?? 0)
  return lifetimeS === 0 || lifetimeS * 1_000 > providerCheckMs ? tokens.refresh_token : undefined
}

/** Asks who signs in. Every provider has `login`; choosing an account needs no password. */
function accountPrompt(configuration: oidc.Configuration): 'select_account' | 'login' {
  const supported = configuration.serverMetadata().prompt_values_supported
  return Array.isArray(supported) && supported.includes('select_account') ? 'select_account' : 'login'
}

/** Claims about the account that the userinfo endpoint may add. */
const profileClaims = ['name', 'email', 'email_verified', 'picture']

/**
 * Adds the claims that some providers send only at the userinfo endpoint. Its answer has no
 * signature, so the claims of the ID token win, and further ones count only if they are needed. A
 * verification covers the address of its own answer only, never the address of another one.
 */
async function addUserInfo(
  configuration: oidc.Configuration,
  accessToken: string,
  claims: oidc.IDToken,
  neededClaims: readonly string[],
): Promise<ProviderClaims> {
  const isComplete = readClaims(claims, neededClaims).length === new Set(neededClaims).size
  if (claims.email && claims.name && claims.email_verified !== undefined && isComplete) return claims
  if (!configuration.serverMetadata().userinfo_endpoint) return claims
  const userInfo = await oidc.fetchUserInfo(configuration, accessToken, claims.sub)
  const added = { ...userInfo }
  // A path such as `realm_access.roles` needs the claim that it begins with.
  const neededNames = new Set(neededClaims.flatMap(name => [name, name.split('.')[0]!]))
  for (const name of Object.keys(added)) if (!profileClaims.includes(name) && !neededNames.has(name)) delete added[name]
  const isOtherEmail = claims.email !== undefined && userInfo.email !== claims.email
  if (isOtherEmail) delete added.email_verified
  return { ...added, ...claims, ...(claims.email === undefined && { email_verified: userInfo.email_verified }) }
}
