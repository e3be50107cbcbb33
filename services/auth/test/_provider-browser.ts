import { startFakeProvider } from './_fake-provider.ts'
import { type AuthWorld, type createBrowser, startAuth } from './_util.ts'

export type FakeProvider = Awaited<ReturnType<typeof startFakeProvider>>
export type Browser = ReturnType<typeof createBrowser>

export const clientId = 'the-client'

/** Auth with a provider of this configuration. `world`: with the stores of another auth service. */
export async function startAuthWithProvider(
  metadata: Record<string, unknown>,
  { world, ...settings }: { world?: AuthWorld['world']; signOutAtProvider?: boolean } = {},
) {
  const provider = await startFakeProvider(clientId)
  provider.state.metadata = metadata
  const auth = await startAuth(
    { oidcIssuer: provider.issuer, oidcClientId: clientId, oidcClientSecret: 'the secret', ...settings },
    world && { world },
  )
  return { auth, provider }
}

interface ProviderAnswer {
  browser: Browser
  /** Claims of the ID token. */
  claims?: Record<string, unknown>
  /** The query of our sign-in address. */
  query?: string
}

/** Goes to the provider and comes back. Returns the parameters there and those of our page. */
export async function visitProvider(provider: FakeProvider, { browser, claims, query = '' }: ProviderAnswer) {
  const { location } = await browser.visit(`/api/auth/signin${query}`)
  const request = new URL(location!).searchParams
  provider.state.claims = { nonce: request.get('nonce'), email: 'person@example.org', name: 'Person', ...claims }
  const back = await browser.visit(`/api/auth/callback?code=c&state=${request.get('state')}`)
  const answer = new URLSearchParams(new URL(back.location!).hash.slice(1))
  return { request, answer, sessionId: answer.get('session_id')! }
}
