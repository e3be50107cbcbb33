import type { VerifyRegistrationResponseOpts } from '@simplewebauthn/server'
import type { passkeyAssertion, passkeyRegistration } from '@watchline/contracts/second-factors'
import type { z } from 'zod'
import type { PasskeyKey } from '../store/second-factors.ts'

/** Loaded by the first passkey, because every start of the service would wait for it. */
const loadWebAuthn = () => import('@simplewebauthn/server')

type KnownPasskey = Pick<PasskeyKey, 'credentialId' | 'transports'>

interface Owner {
  id: string
  name: string
  email: string
}

export type Passkeys = ReturnType<typeof createPasskeys>

/**
 * WebAuthn for the address that people use. The authenticator must verify its owner, by a PIN or a
 * fingerprint. Source: W3C Web Authentication Level 3, sections 7.1 and 7.2.
 */
export function createPasskeys(publicUrl: string) {
  const rpID = new URL(publicUrl).hostname
  const toDescriptor = ({ credentialId, transports }: KnownPasskey) => ({ id: credentialId, transports })
  const expected = (challenge: string) => ({
    expectedChallenge: challenge,
    expectedOrigin: publicUrl,
    expectedRPID: rpID,
    requireUserVerification: true,
  })

  return {
    /** Options for a new passkey beside the known ones. */
    registration: async ({ id, name, email }: Owner, known: readonly KnownPasskey[]) =>
      (await loadWebAuthn()).generateRegistrationOptions({
        rpName: 'Watchline',
        rpID,
        userID: new TextEncoder().encode(id),
        userName: email,
        userDisplayName: name,
        excludeCredentials: known.map(toDescriptor),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
      }),

    /** The new passkey; undefined if the answer does not fit. */
    verifyRegistration: async (
      response: z.infer<typeof passkeyRegistration>,
      challenge: string,
    ): Promise<PasskeyKey | undefined> => {
      try {
        const { verifyRegistrationResponse } = await loadWebAuthn()
        const { verified, registrationInfo } = await verifyRegistrationResponse({
          response: response as VerifyRegistrationResponseOpts['response'],
          ...expected(challenge),
        })
        if (!verified) return undefined
        const { id, publicKey, counter } = registrationInfo.credential
        return {
          credentialId: id,
          publicKey: Buffer.from(publicKey).toString('base64url'),
          counter,
          transports: response.response.transports ?? [],
        }
      } catch {
        // The library throws for whatever a hostile answer gets wrong.
        return undefined
      }
    },

    /** Options for a signature by one of these passkeys. */
    assertion: async (known: readonly KnownPasskey[]) =>
      (await loadWebAuthn()).generateAuthenticationOptions({
        ...{ rpID, allowCredentials: known.map(toDescriptor) },
        userVerification: 'required',
      }),

    /** The new counter of the passkey; undefined if the answer does not fit. */
    verifyAssertion: async (
      response: z.infer<typeof passkeyAssertion>,
      { credentialId, publicKey, counter }: PasskeyKey,
      challenge: string,
    ): Promise<number | undefined> => {
      try {
        const { verifyAuthenticationResponse } = await loadWebAuthn()
        const { verified, authenticationInfo } = await verifyAuthenticationResponse({
          response,
          credential: { id: credentialId, publicKey: Buffer.from(publicKey, 'base64url'), counter },
          ...expected(challenge),
        })
        return verified ? authenticationInfo.newCounter : undefined
      } catch {
        return undefined
      }
    },
  }
}
