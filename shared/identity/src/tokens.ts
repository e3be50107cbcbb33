import { createPublicKey } from 'node:crypto'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'

export const tokenIssuer = 'watchline'

/**
 * The claims of an access token: the person, the login session, and the person's version when it
 * was made.
 */
export interface AccessClaims {
  /** person id */
  sub: string
  /** login session id */
  sid: string
  /** the person's version when the token was made */
  ver: number
  /** when the person signed in, seconds */
  auth_time: number
  /** seconds */
  exp: number
}

export interface TokenVerifier {
  /** The claims of a valid token; undefined for anything else: forged, expired, for somebody else, not RS256. */
  verify(token: string, now: number): AccessClaims | undefined
  /** As verify, but an expired token still tells whose it was. */
  verifyIgnoringExpiry(token: string): AccessClaims | undefined
}

/**
 * Verifies access tokens with the public key alone, and remembers what it has verified. Only RS256 is accepted, so neither
 * `alg: none` nor a token signed with the public key as an HMAC secret passes.
 */
export function createTokenVerifier(publicKeyPem: string): TokenVerifier {
  const key = createPublicKey(publicKeyPem)
  const verified = new LRUCache<string, AccessClaims>({ max: 50_000 })

  function check(token: string): AccessClaims | undefined {
    const known = verified.get(token)
    if (known) return known
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
        privateKeyPem,
        { algorithm: 'RS256' },
      )
    },
  }
}
