import { expect } from '@jest/globals'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { holdDocument } from '@watchline/testing/held-document'
import type { AuthConfig } from '../src/config.ts'
import { startFakeProvider } from './_fake-provider.ts'
import { type AuthWorld, type createBrowser, startAuth } from './_util.ts'

export type FakeProvider = Awaited<ReturnType<typeof startFakeProvider>>
export type Browser = ReturnType<typeof createBrowser>

export const clientId = 'the-client'

/** Auth with a provider of this configuration. `world`: with the stores of another auth service. */
export async function startAuthWithProvider(
  metadata: Record<string, unknown>,
  { world, ...settings }: { world?: AuthWorld['world'] } & Partial<AuthConfig> = {},
) {
  const provider = await startFakeProvider(clientId)
  provider.state.metadata = metadata
  const auth = await startAuth(
    { oidcIssuer: provider.issuer, oidcClientId: clientId, oidcClientSecret: 'the secret', ...settings },
    world && { world },
  )
  return { auth, provider }
}

/**
 * Delays a login of this person between its code and its session, until `release`: their stored
 * person is part of another transaction meanwhile.
 */
export async function delayLogin(auth: AuthWorld, personId: string) {
  const { release } = await holdDocument(auth.database, 'people', personId)
  const codes = auth.database.collection('sign_in_codes')
  return {
    /** Waits until the login has used its code. */
    waitForCode: () =>
      eventually(async () => expect(await codes.countDocuments({ person_id: personId, redeemed_at: null })).toBe(0)),
    release,
  }
}

/**
 * Redirects to the provider with this query and comes back with a code for an account with these
 * claims, and with `answer` added to the address.
 */
export async function signInAt(
  auth: AuthWorld,
  fake: FakeProvider,
  claims: Record<string, unknown> = {},
  {
    query = '',
    answer = {},
    browser = auth.openBrowser(),
  }: { query?: string; answer?: Record<string, string>; browser?: Browser } = {},
) {
  const { location } = await browser.visit(`/api/auth/signin${query}`)
  const request = new URL(location!)
  const code = newId()
  const state = request.searchParams.get('state')!
  fake.state.claimsOf.set(code, {
    nonce: request.searchParams.get('nonce'),
    email: 'trainee1@example.org',
    name: 'Trainee One',
    ...claims,
  })
  const back = await browser.visit(`/api/auth/callback?${new URLSearchParams({ code, state, ...answer })}`)
  const url = new URL(back.location!)
  return {
    request,
    browser,
    error: url.searchParams.get('error'),
    sessionId: new URLSearchParams(url.hash.slice(1)).get('session_id'),
    /** The parameters of our page behind the `#`. */
    page: new URLSearchParams(url.hash.slice(1)),
    /** The person, once the session_id is exchanged. */
    login: async () => {
      const sessionId = new URLSearchParams(url.hash.slice(1)).get('session_id')
      return (await browser.post('/api/auth/login', { session_id: sessionId })).json.user
    },
  }
}
