import { z } from 'zod'

/** The claims that a provider reports when somebody signs out there. */
export interface LogoutToken {
  /** Unique among the tokens of its issuer. */
  id: string
  /** The account; absent if the token names only the session. */
  subject: string | undefined
  /** The provider's session; absent if all sessions of the account end. */
  sid: string | undefined
}

/** Clocks may differ by this much, ms. */
const toleranceMs = 60_000
/** An older token has been held back. */
export const logoutTokenMaxAgeMs = 5 * 60_000

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'
const claimText = z.string().min(1).max(255)
const logoutClaims = z.object({
  jti: claimText,
  iat: z.number(),
  sub: claimText.optional(),
  sid: claimText.optional(),
  events: z.object({ [logoutEvent]: z.looseObject({}) }),
  // It stops an ID token from being used as a logout token.
  nonce: z.never().optional(),
})

/**
 * The content of a logout token whose signature, issuer and audience are verified; undefined if it
 * is not one. Source: OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.6.
 */
export function readLogoutClaims(claims: unknown, now: number): LogoutToken | undefined {
  const { data } = logoutClaims.safeParse(claims)
  if (!data || (data.sub === undefined && data.sid === undefined)) return undefined
  const issuedAt = data.iat * 1_000
  if (issuedAt > now + toleranceMs || issuedAt < now - logoutTokenMaxAgeMs - toleranceMs) return undefined
  return { id: data.jti, subject: data.sub, sid: data.sid }
}
