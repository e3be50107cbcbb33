import type { CookieNames } from '@watchline/identity/cookies'
import type { AccessClaims, TokenVerifier } from '@watchline/identity/tokens'
import { parse } from 'cookie'
import type { RateLimitedCaller } from '../limits/rate-limits.ts'
import { anonymous } from './csrf.ts'
import type { KnownBrowsers } from './known-browsers.ts'

/**
 * `unknown_key`: the token was signed with a key that has been removed, or is forged. A refresh
 * decides which, so the client is told to refresh. Nothing else may follow from it.
 */
export type SessionProblem = 'no_session' | 'token_expired' | 'unknown_key'

/** The session of a request, read from its cookies. */
export interface Session {
  /** The claims of a valid access token that is not revoked. */
  claims: AccessClaims | undefined
  /** That token; services receive it as the bearer token. */
  token: string | undefined
  /** The person and login session, even after the access token has expired; not if revoked. */
  personId: string | undefined
  sid: string | undefined
  /** The reason for absent claims. */
  problem: SessionProblem | undefined
  /**
   * The binding of anti-forgery tokens: the login session, even after its access token has expired.
   */
  binding: string
  /** The anti-forgery cookie. */
  xsrf: string | undefined
  /** The cookie of a known browser, not yet verified. */
  browser: string | undefined
}

export interface Sessions {
  read(cookieHeader: string | undefined, now: number): Session
  /**
   * The binding of anti-forgery tokens and the signed-in person after these `set-cookie` values;
   * undefined when they leave the access cookie alone.
   */
  sessionAfter(setCookies: readonly string[]): Pick<Session, 'binding' | 'personId'> | undefined
}

export function createSessions(options: {
  names: CookieNames
  browserCookie: string
  tokens: TokenVerifier
  isRevoked(sid: string, now: number): boolean
}): Sessions {
  const { names, browserCookie, tokens, isRevoked } = options
  const noSession: Session = {
    claims: undefined,
    token: undefined,
    personId: undefined,
    sid: undefined,
    problem: 'no_session',
    binding: anonymous,
    xsrf: undefined,
    browser: undefined,
  }

  return {
    read: (cookieHeader, now) => {
      if (!cookieHeader) return noSession
      const cookies = parse(cookieHeader)
      const received = { xsrf: cookies[names.xsrf], browser: cookies[browserCookie] }
      const token = cookies[names.access]
      const claims = token ? tokens.verifyIgnoringExpiry(token) : undefined
      if (!claims)
        return {
          ...noSession,
          ...received,
          problem: token && tokens.namesUnknownKey(token) ? 'unknown_key' : 'no_session',
        }
      const binding = claims.sid
      if (isRevoked(claims.sid, now)) return { ...noSession, ...received, binding }
      const known = { ...received, personId: claims.sub, sid: claims.sid, binding }
      if (claims.exp * 1_000 <= now) return { ...noSession, ...known, problem: 'token_expired' }
      return { ...known, claims, token, problem: undefined }
    },
    sessionAfter: setCookies => {
      const accessCookie = setCookies.findLast(cookie => cookie.startsWith(`${names.access}=`))
      if (accessCookie === undefined) return undefined
      const value = accessCookie.slice(names.access.length + 1).split(';', 1)[0]!
      const claims = tokens.verifyIgnoringExpiry(value)
      return { binding: claims?.sid ?? anonymous, personId: claims?.sub }
    },
  }
}

/**
 * With `knownBrowsers`, a browser without a session counts by the person who last signed in there.
 */
export function rateLimitedCaller(
  { personId, claims, browser }: Session,
  address: string,
  knownBrowsers?: Pick<KnownBrowsers, 'read'>,
): RateLimitedCaller {
  return { personId: personId ?? knownBrowsers?.read(browser), isExpired: !claims, address }
}
