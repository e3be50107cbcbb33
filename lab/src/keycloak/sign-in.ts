import { type Browser, createBrowser } from './browser.ts'
import { password } from './server.ts'

export interface SignedInUser {
  id: string
  email: string
  role: string
  email_verified?: boolean
}

/** Fills in Keycloak's form, as a person in a new browser. */
export async function signIn(url: string, username: string): Promise<{ user: SignedInUser; browser: Browser }> {
  const browser = createBrowser(url)
  const form = await browser.open('/api/auth/signin')
  const end = await browser.submitForm(form, 'id="kc-form-login"', { username, password })
  const sessionId = new URLSearchParams(end.url.hash.slice(1)).get('session_id')
  if (!sessionId) throw new Error(`the sign-in ended at ${end.url}`)
  const { status, body } = await browser.call('POST', '/auth/login', { session_id: sessionId })
  if (status !== 200) throw new Error(`Watchline answered ${status} ${JSON.stringify(body)}`)
  // A new request with the cookies, as the first page makes.
  return { user: (await browser.call('GET', '/auth/profile')).body, browser }
}
