import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import jwt from 'jsonwebtoken'
import { createAuthService } from '../src/service.ts'
import { type Browser, type FakeProvider, signInAt, startAuthWithProvider } from './_provider-sign-in.ts'
import { type AuthWorld, startAuth } from './_util.ts'

const hour = 3_600_000
let auth: AuthWorld
let provider: FakeProvider
beforeAll(async () => {
  const people = { idleMs: 48 * hour, absoluteMs: 30 * 24 * hour }
  const lifetimes = { people, admins: people }
  ;({ auth, provider } = await startAuthWithProvider({}, { sessionLifetimes: lifetimes }))
})
afterAll(async () => {
  await auth.stop()
  await provider.stop()
})
beforeEach(() => {
  provider.state.tokens = { refresh_token: 'the-first-token' }
  provider.state.renewal = 'granted'
  provider.state.tokenRequests.length = 0
})

let people = 0
async function signIn() {
  people += 1
  const { browser, sessionId } = await signInAt(auth, provider, { sub: `subject-${people}` })
  await browser.post('/api/auth/login', { session_id: sessionId })
  return browser
}
const refresh = async (browser: Browser) => (await browser.post('/api/auth/refresh', {})).status
const sidOf = (browser: Browser) => (jwt.decode(browser.token()) as unknown as { sid: string }).sid
const findRow = (browser: Browser) =>
  auth.database.collection<{ _id: string; provider_token?: string }>('sessions').findOne({ _id: sidOf(browser) })
/** The refresh tokens that the provider got. */
const presented = () =>
  provider.state.tokenRequests
    .filter(({ body }) => body.get('grant_type') === 'refresh_token')
    .map(({ body }) => body.get('refresh_token'))

describe('the daily check at the provider', () => {
  test('asks once a day, each time with the latest token, and the session continues', async () => {
    const browser = await signIn()
    auth.clock.advance(23 * hour)
    expect([await refresh(browser), presented()]).toEqual([200, []])
    auth.clock.advance(hour)
    expect([await refresh(browser), presented()]).toEqual([200, ['the-first-token']])
    auth.clock.advance(10 * 60_000)
    expect([await refresh(browser), presented().length]).toEqual([200, 1])
    auth.clock.advance(24 * hour)
    expect(await refresh(browser)).toBe(200)
    expect(presented()).toEqual(['the-first-token', expect.stringMatching(/^next-/)])
  })

  test('ends the session that the provider refuses, and no other', async () => {
    const [browser, other] = [await signIn(), await signIn()]
    auth.clock.advance(24 * hour)
    expect(await refresh(other)).toBe(200)
    provider.state.renewal = 'refused'
    expect((await browser.post('/api/auth/refresh', {})).json.code).toBe('no_session')
    expect(await auth.world.ports.live.revocations.has(sidOf(browser), auth.clock.now())).toBe(true)
    expect((await auth.listEvents(sidOf(browser))).at(-1)).toMatchObject({
      type: 'session.revoked',
      data: { reason: 'signed_out' },
    })
    expect(await findRow(browser)).not.toHaveProperty('provider_token')
    expect(await refresh(other)).toBe(200)
  })

  test.each(['down', 'wrong client'] as const)('ends nothing while the provider is %s, and asks again', async fault => {
    const browser = await signIn()
    auth.clock.advance(24 * hour)
    provider.state.renewal = fault
    expect(await refresh(browser)).toBe(200)
    auth.clock.advance(10 * 60_000)
    const attempts = presented().length
    expect([await refresh(browser), presented().length]).toEqual([200, attempts])
    auth.clock.advance(hour)
    provider.state.renewal = 'refused'
    expect(await refresh(browser)).toBe(401)
  })

  test('asks once for pages that refresh at the same time', async () => {
    const browser = await signIn()
    auth.clock.advance(24 * hour)
    const statuses = await Promise.all([refresh(browser), refresh(browser), refresh(browser)])
    expect([statuses, presented()]).toEqual([[200, 200, 200], ['the-first-token']])
  })

  test('does not happen without a token, with one that ends sooner, or where the operator wants none', async () => {
    for (const tokens of [{}, { refresh_token: 'short', refresh_expires_in: 1_800 }]) {
      provider.state.tokens = tokens
      expect(await findRow(await signIn())).not.toHaveProperty('provider_token')
    }
    const quiet = await startAuthWithProvider({}, { world: auth.world, oidcDailyCheck: 'off' })
    quiet.provider.state.tokens = { refresh_token: 'unused' }
    const { request, sessionId, browser } = await signInAt(quiet.auth, quiet.provider, { sub: 'quiet' })
    await browser.post('/api/auth/login', { session_id: sessionId })
    expect(request.searchParams.get('scope')).toBe('openid email profile')
    expect(await findRow(browser)).not.toHaveProperty('provider_token')
    await quiet.auth.service.stop()
    await quiet.provider.stop()
  })

  test('requests a lasting token where the operator wants it', async () => {
    const lasting = await startAuthWithProvider({}, { world: auth.world, oidcDailyCheck: 'offline_access' })
    const { request } = await signInAt(lasting.auth, lasting.provider, { sub: 'lasting' })
    expect(request.searchParams.get('scope')).toBe('openid email profile offline_access')
    await lasting.auth.service.stop()
    await lasting.provider.stop()
  })
})

test('the token is stored encrypted, leaves with no export, and survives a new cookie secret', async () => {
  const browser = await signIn()
  const stored = await findRow(browser)
  expect(stored?.provider_token).toMatch(/^[\w.-]+$/)
  expect(JSON.stringify(stored)).not.toContain('the-first-token')
  const data = await auth.anonymous.get('/auth/record/data', { authorization: `Bearer ${browser.token()}` })
  expect([data.status, data.text.includes('provider_token')]).toEqual([200, false])

  const cookieSecrets = ['another cookie secret, 32 letters or more', ...auth.config.cookieSecrets] as const
  const replaced = createAuthService({ ...auth.config, cookieSecrets }, auth.world.ports)
  await replaced.start()
  await replaced.stop()
  expect((await findRow(browser))?.provider_token).not.toBe(stored?.provider_token)
  const finished = await startAuth({ ...auth.config, cookieSecrets: [cookieSecrets[0]] }, { world: auth.world })
  provider.state.renewal = 'refused'
  auth.clock.advance(24 * hour)
  const headers = { cookie: browser.cookiesFor('/api/auth/refresh') }
  expect((await finished.anonymous.post('/auth/refresh', {}, headers)).status).toBe(401)
  await finished.service.stop()
})
