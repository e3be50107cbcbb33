import { createPrivateKey, createPublicKey } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'

export const tokenIssuer = 'watchline'

/** The claims of an access token. */
export interface AccessClaims {
  /** The person's id. */
  sub: string
  /** The login session's id. */
  sid: string
  /** The person's version when the token was issued. */
  ver: number
  /** The time of sign-in, seconds. */
  auth_time: number
  /** Seconds. */
  exp: number
}

export interface TokenVerifier {
  /**
   * Undefined for a token that is forged, expired at `now` (ms), for another audience, or not
   * RS256.
   */
  verify(token: string, now: number): AccessClaims | undefined
  /** As `verify`, but also for expired tokens. */
  verifyIgnoringExpiry(token: string): AccessClaims | undefined
}

/**
 * Verifies access tokens by the public key, and caches the result. It accepts only RS256, so
 * neither `alg: none` nor a token signed with the public key as an HMAC secret passes.
 */
export function createTokenVerifier(publicKeyPem: string): TokenVerifier {
  const key = createPublicKey(publicKeyPem)
  const verified = new LRUCache<string, AccessClaims>({ max: 50_000 })

  function check(token: string): AccessClaims | undefined {
    const cached = verified.get(token)
    if (cached) return cached
    if (token.length > 4_096) return undefined
    try {
      const claims = jwt.verify(token, key, {
        algorithms: ['RS256'],
        issuer: tokenIssuer,
        audience: tokenIssuer,
        ignoreExpiration: true,
      })
      if (!isAccessClaims(claims)) return undefined
      verified.set(token, claims)
      return claims
    } catch {
      return undefined
    }
  }

  return {
    verify: (token, now) => {
      const claims = check(token)
      return claims && claims.exp * 1_000 > now ? claims : undefined
    },
    verifyIgnoringExpiry: check,
  }
}

function isAccessClaims(claims: unknown): claims is AccessClaims {
  const { sub, sid, ver, auth_time, exp } = Object(claims) as Record<string, unknown>
  return (
    typeof sub === 'string' &&
    typeof sid === 'string' &&
    typeof ver === 'number' &&
    typeof auth_time === 'number' &&
    typeof exp === 'number'
  )
}

export interface TokenSigner {
  sign(claims: { sub: string; sid: string; ver: number; authTimeMs: number }, now: number, ttlS: number): string
}

/** Signs access tokens; only the auth service has the private key. */
export function createTokenSigner(privateKeyPem: string): TokenSigner {
  const key = createPrivateKey(privateKeyPem)
  return {
    sign: ({ sub, sid, ver, authTimeMs }, now, ttlS) => {
      const iat = Math.floor(now / 1_000)
      return jwt.sign(
        {
          sub,
          sid,
          ver,
          auth_time: Math.floor(authTimeMs / 1_000),
          iat,
          exp: iat + ttlS,
          iss: tokenIssuer,
          aud: tokenIssuer,
        },
        key,
        { algorithm: 'RS256' },
      )
    },
  }
}
