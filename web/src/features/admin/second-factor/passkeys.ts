import { browserSupportsWebAuthn, startAuthentication, startRegistration, WebAuthnError } from '@simplewebauthn/browser'
import type { passkeyAssertion, passkeyRegistration } from '@watchline/contracts/second-factors'
import type { z } from 'zod'

/** The browser's answer, or why there is none, in words for people. */
export type PasskeyAnswer<T> = { ok: true; response: T } | { ok: false; problem: string }

type Options = Record<string, unknown>

export const supportsPasskeys = browserSupportsWebAuthn

/** Lets the person create a passkey with the server's options. */
export function createPasskey(options: Options): Promise<PasskeyAnswer<z.infer<typeof passkeyRegistration>>> {
  return ask(() => startRegistration({ optionsJSON: options as never }))
}

/** Lets the person use one of the passkeys that the server's options name. */
export function askForPasskey(options: Options): Promise<PasskeyAnswer<z.infer<typeof passkeyAssertion>>> {
  return ask(() => startAuthentication({ optionsJSON: options as never }))
}

async function ask<T>(start: () => Promise<unknown>): Promise<PasskeyAnswer<T>> {
  try {
    return { ok: true, response: (await start()) as T }
  } catch (error) {
    return { ok: false, problem: describeProblem(error) }
  }
}

function describeProblem(error: unknown): string {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return 'This device already has a passkey of your account.'
  if (error instanceof WebAuthnError && /INVALID_DOMAIN|INVALID_RP_ID/.test(error.code))
    return 'Passkeys do not work at this address. Open Watchline by its name, through https.'
  if (error instanceof Error && error.name === 'NotAllowedError')
    return 'The passkey was not used: you cancelled, or it took too long.'
  return 'The passkey could not be used. Please try again.'
}
