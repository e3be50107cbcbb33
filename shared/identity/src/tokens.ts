import { ConfigError } from '@watchline/kit/core/config-error'
import {
  acceptedKeys,
  publicJwk,
  readPrivateKey,
  readPublicKeys,
  type SigningAlgorithm,
  type SigningKey,
} from '@watchline/kit/core/signing-keys'
import jwt from 'jsonwebtoken'
import { LRUCache } from 'lru-cache'

export const tokenIssuer = 'watchline'
const maxTokenLength = 4_096

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
   * Undefined for a token that is forged, expired at `now` (ms), for another audience, or signed
   * with another key.
   */
  verify(token: string, now: number): AccessClaims | undefined
  /** As `verify`, but also for expired tokens. */
  verifyIgnoringExpiry(token: string): AccessClaims | undefined
  /**
   * Whether the token names a key that is not among the keys: a removed one, or one that this
   * process does not have yet. The client gets a token of the current key by a refresh. This says
   * nothing about the token's truth, so it gives no rights.
   */
  namesUnknownKey(token: string): boolean
  /** The public keys, the first one first. */
  keys: readonly PublicTokenKey[]
}

/** A public key as a JSON Web Key (RFC 7517). */
export interface PublicTokenKey {
  kid: string
  use: 'sig'
  alg: SigningAlgorithm
  kty: string
  [parameter: string]: string
}

/**
 * Verifies access tokens by one or more public keys, and caches the result. Each key accepts only
 * its own algorithm, so neither `alg: none` nor a token signed with a public key as an HMAC secret
 * passes. A token names its key by `kid`. Tokens of older versions do not, so each key is tried.
 */
export function createTokenVerifier(publicKeys: string): TokenVerifier {
  const keys = readSetting('TOKEN_PUBLIC_KEY', () => readPublicKeys(publicKeys))
  // With `max` it would reserve its whole memory at once.
  const verified = new LRUCache<string, AccessClaims>({ maxSize: 50_000, sizeCalculation: () => 1 })

  function check(token: string): AccessClaims | undefined {
    const cached = verified.get(token)
    if (cached) return cached
    if (token.length > maxTokenLength) return undefined
    const kid = readKeyId(token)
    for (const key of keys) {
      if (kid !== undefined && kid !== key.kid) continue
      const claims = verifyWith(key, token)
      if (!claims) continue
      verified.set(token, claims)
      return claims
    }
    return undefined
  }

  return {
    verify: (token, now) => {
      const claims = check(token)
      return claims && claims.exp * 1_000 > now ? claims : undefined
    },
    verifyIgnoringExpiry: check,
    namesUnknownKey: token => {
      if (token.length > maxTokenLength) return false
      const kid = readKeyId(token)
      return kid !== undefined && !keys.some(key => key.kid === kid)
    },
    keys: keys.map(({ key, kid, algorithm }) => ({
      ...(publicJwk(key) as Record<string, string> & { kty: string }),
      kid,
      use: 'sig',
      alg: algorithm,
    })),
  }
}

/** Undefined for a token without `kid`, and for what is no token. */
function readKeyId(token: string): string | undefined {
  try {
    const kid: unknown = jwt.decode(token, { complete: true })?.header.kid
    return typeof kid === 'string' ? kid : undefined
  } catch {
    return undefined
  }
}

function verifyWith({ key, algorithm }: SigningKey, token: string): AccessClaims | undefined {
  try {
    const claims = jwt.verify(token, key, {
      algorithms: [algorithm],
      issuer: tokenIssuer,
      audience: tokenIssuer,
      ignoreExpiration: true,
    })
    return isAccessClaims(claims) ? claims : undefined
  } catch {
    return undefined
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
  /** `now` in ms, `ttlS` in seconds. */
  sign(claims: { sub: string; sid: string; ver: number; authTimeMs: number }, now: number, ttlS: number): string
  /** The id of the key. */
  kid: string
}

/** Signs access tokens; only the auth service has the private key. */
export function createTokenSigner(privateKey: string): TokenSigner {
  const { key, kid, algorithm } = readSetting('TOKEN_PRIVATE_KEY', () => readPrivateKey(privateKey))
  return {
    kid,
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
        { algorithm, keyid: kid },
      )
    },
  }
}

/**
 * The signer and the verifier of the service that issues tokens. Throws {@link ConfigError} if the
 * verifier lacks the signer's key, because then nobody could use the tokens.
 */
export function createTokenIssuer(config: { tokenPrivateKey: string; tokenPublicKey: string }) {
  const signer = createTokenSigner(config.tokenPrivateKey)
  const tokens = createTokenVerifier(config.tokenPublicKey)
  if (!tokens.keys.some(key => key.kid === signer.kid))
    throw new ConfigError(
      'TOKEN_PRIVATE_KEY: (hidden) was given, accepted is the private key of one in TOKEN_PUBLIC_KEY',
    )
  return { signer, tokens }
}

function readSetting<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch {
    throw new ConfigError(`${name}: (hidden) was given, accepted is ${acceptedKeys}`)
  }
}
