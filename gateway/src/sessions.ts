import type { CookieNames } from '@watchline/identity/cookies'
import type { AccessClaims, TokenVerifier } from '@watchline/identity/tokens'
import { parse } from 'cookie'
import { anonymous } from './csrf.ts'

/** What the cookies of a request say. */
export interface Session {
  /** Of a valid, unrevoked access token. */
  claims: AccessClaims | undefined
  /** The token itself, to be passed on as a bearer token. */
  token: string | undefined
  /** Why there are no claims. */
  problem: 'no_session' | 'token_expired' | undefined
  /** What anti-forgery tokens are bound to: the login session, even when its access token has expired. */
  binding: string
  /** The anti-forgery cookie. */
  xsrf: string | undefined
}

export interface Sessions {
  read(cookieHeader: string | undefined, now: number): Session
  /** What anti-forgery tokens are bound to once an answer has set the access cookie to this value; undefined if it does not. */
  bindingAfter(setCookies: readonly string[]): string | undefined
}

export function createSessions(options: {
  names: CookieNames
  tokens: TokenVerifier
  isRevoked(sid: string, now: number): boolean
}): Sessions {
  const { names, tokens, isRevoked } = options
  const none: Session = {
    claims: undefined,
    token: undefined,
    problem: 'no_session',
    binding: anonymous,
    xsrf: undefined,
  }

  return {
    read: (cookieHeader, now) => {
      if (!cookieHeader) return none
      const cookies = parse(cookieHeader)
      const xsrf = cookies[names.xsrf]
      const token = cookies[names.access]
      const known = token ? tokens.verifyIgnoringExpiry(token) : undefined
      if (!known) return { ...none, xsrf }
      const binding = known.sid
      if (isRevoked(known.sid, now)) return { ...none, binding, xsrf }
      if (known.exp * 1_000 <= now) return { ...none, problem: 'token_expired', binding, xsrf }
      return { claims: known, token, problem: undefined, binding, xsrf }
    },
    bindingAfter: setCookies => {
      const last = setCookies.findLast(each => each.startsWith(`${names.access}=`))
      if (last === undefined) return undefined
      const value = last.slice(names.access.length + 1).split(';', 1)[0]!
      return tokens.verifyIgnoringExpiry(value)?.sid ?? anonymous
    },
  }
}
