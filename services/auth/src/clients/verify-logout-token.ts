import type { Clock } from '@watchline/kit/core/clock'
import { createRemoteJWKSet, customFetch, errors, type FetchImplementation, jwtVerify } from 'jose'
import { type LogoutToken, readLogoutClaims } from '../rules/logout-token.ts'
import { providerUnavailable } from './sign-in-failure.ts'

export interface LogoutTokenVerifier {
  /** Undefined for an invalid token. Rejects with a `SignInFailure` while the keys cannot be read. */
  verify(token: string): Promise<LogoutToken | undefined>
}

interface VerifierOptions {
  issuer: string
  jwksUri: string
  clientId: string
  clock: Clock
  fetch: FetchImplementation | undefined
}

const clockToleranceS = 60
/** Signatures that need a key of the provider. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519']
const keyProblems = new Set(['ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID', 'ERR_JOSE_GENERIC'])

/** Verifies logout tokens by the provider's published keys, which it caches. */
export function createLogoutTokenVerifier(options: VerifierOptions): LogoutTokenVerifier {
  const { issuer, jwksUri, clientId, clock, fetch } = options
  const keys = createRemoteJWKSet(new URL(jwksUri), fetch && { [customFetch]: fetch })
  return {
    verify: async token => {
      try {
        const now = clock.now()
        const { payload } = await jwtVerify(token, keys, {
          issuer,
          audience: clientId,
          algorithms,
          currentDate: new Date(now),
          clockTolerance: clockToleranceS,
        })
        return readLogoutClaims(payload, now)
      } catch (error) {
        if (error instanceof errors.JOSEError && !keyProblems.has(error.code)) return undefined
        throw providerUnavailable(error)
      }
    },
  }
}
