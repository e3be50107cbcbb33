import type { Clock } from '@watchline/kit/core/clock'
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, jwtVerify } from 'jose'
import { type LogoutToken, readLogoutClaims } from '../rules/logout-token.ts'
import { providerUnavailable } from './sign-in-failure.ts'

export interface LogoutTokenVerifier {
  /**
   * Undefined for an invalid token. Rejects with a `SignInFailure` while the keys cannot be read.
   */
  verify(token: string): Promise<LogoutToken | undefined>
}

interface VerifierOptions {
  issuer: string
  jwksUri: string
  clientId: string
  clock: Clock
  fetch: FetchImplementation | undefined
  /** See `ProviderSettings`. */
  acceptsUntypedLogoutTokens: boolean
}

const clockToleranceS = 60
/** Signatures that need a key of the provider. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const keyProblems = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'])

/** Verifies logout tokens by the provider's published keys, which it caches. */
export function createLogoutTokenVerifier(options: VerifierOptions): LogoutTokenVerifier {
  const { issuer, jwksUri, clientId, clock, fetch, acceptsUntypedLogoutTokens } = options
  const keys = createRemoteJWKSet(new URL(jwksUri), fetch && { [customFetch]: fetch })
  return {
    verify: async token => {
      try {
        const now = clock.now()
        const { payload, protectedHeader } = await jwtVerify(token, keys, {
          issuer,
          audience: clientId,
          algorithms,
          currentDate: new Date(now),
          clockTolerance: clockToleranceS,
          // Older drafts of the specification had no type and no expiry (`exp`). The age is limited
          // anyway.
          requiredClaims: acceptsUntypedLogoutTokens ? [] : ['exp'],
        })
        // Refuse further audiences, as for ID tokens: Watchline trusts no other client.
        if ([payload.aud].flat().some(audience => audience !== clientId)) return undefined
        if (!isLogoutType(protectedHeader.typ, acceptsUntypedLogoutTokens)) return undefined
        return readLogoutClaims(payload, now)
      } catch (error) {
        if (error instanceof errors.JOSEError && !keyProblems.has(error.code)) return undefined
        throw providerUnavailable(error)
      }
    },
  }
}

/**
 * The specification only recommends the type, so older providers send none, or `JWT`. The type is
 * what keeps other tokens of the provider from being used here, so it is required by default.
 * Source: OpenID Connect Back-Channel Logout 1.0, 2.4; RFC 7515, 4.1.9.
 */
function isLogoutType(type: string | undefined, acceptsUntyped: boolean): boolean {
  const name = type?.toLowerCase().replace(/^application\//, '')
  return name === 'logout+jwt' || (acceptsUntyped && (name === undefined || name === 'jwt'))
}
