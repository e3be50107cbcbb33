import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { createLogger } from '@watchline/kit/observability/log'
import { ConfigError } from '@watchline/kit/process/config'
import { createTestWorld, eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { createIdentityProvider, type IdentityProvider } from '../src/clients/identity-provider.ts'
import { type AuthConfig, readAuthConfig } from '../src/config.ts'
import { createAuthService } from '../src/service.ts'
import { testLifetimes } from './_config.ts'
import { createKey, startFakeProvider } from './_fake-provider.ts'
import { type FakeProvider, signInAt } from './_provider-sign-in.ts'
import { type AuthWorld, startAuth } from './_util.ts'

describe('a configured provider', () => {
  let fake: FakeProvider
  let auth: AuthWorld
  beforeEach(async () => {
    fake = await startFakeProvider('the-client')
    auth = await startAuth({
      oidcIssuer: fake.issuer,
      oidcClientId: 'the-client',
      oidcClientSecret: 'the secret',
      oidcName: 'Example Corp',
    })
  })
  afterEach(async () => {
    await auth.stop()
    await fake.stop()
  })

  /** Redirects to the provider and comes back with a code for an account with these claims. */
  const signIn = (claims: Record<string, unknown> = {}) =>
    signInAt(auth, fake, { email: 'Trainee1@Example.org', ...claims }, { query: '?login_hint=trainee1@example.org' })

  test('gets PKCE, state, nonce and the hint, and its account signs in', async () => {
    const { request, browser, sessionId } = await signIn({ picture: 'https://example.org/trainee1.png' })
    expect(Object.fromEntries(request.searchParams)).toMatchObject({
      response_type: 'code',
      client_id: 'the-client',
      redirect_uri: `${auth.config.publicUrl}/api/auth/callback`,
      code_challenge_method: 'S256',
      login_hint: 'trainee1@example.org',
    })
    const tokenRequest = fake.state.tokenRequests[0]!
    expect(tokenRequest.authorization).toMatch(/^Basic /)
    expect(tokenRequest.body.get('code_verifier')).toMatch(/^[\w-]{43,}$/)
    const { json } = await browser.post('/api/auth/login', { session_id: sessionId })
    expect(json.user).toMatchObject({
      email: 'trainee1@example.org',
      name: 'Trainee One',
      picture: 'https://example.org/trainee1.png',
    })
    expect((await auth.anonymous.get('/auth/options')).json).toMatchObject({
      provider: 'Example Corp',
      development: false,
    })
  })

  test('gets the secret in the body if it supports only that', async () => {
    fake.state.methods = ['client_secret_post']
    await signIn()
    expect(fake.state.tokenRequests[0]!.body.get('client_secret')).toBe('the secret')
  })

  test('sends name and address from the userinfo endpoint if the token lacks them', async () => {
    fake.state.userInfo = { email: 'info@example.org', name: 'From Info' }
    const { browser, sessionId } = await signIn({ email: undefined, name: undefined })
    const { json } = await browser.post('/api/auth/login', { session_id: sessionId })
    expect(json.user).toMatchObject({ email: 'info@example.org', name: 'From Info' })
  })

  test('accounts are matched by subject, never by email alone', async () => {
    const first = await signIn()
    const second = await signIn({ sub: 'another subject' })
    const a = await first.browser.post('/api/auth/login', { session_id: first.sessionId })
    const b = await second.browser.post('/api/auth/login', { session_id: second.sessionId })
    expect(a.json.user.email).toBe(b.json.user.email)
    expect(a.json.user.id).not.toBe(b.json.user.id)
  })

  test('an account without a name gets one from its address; only https pictures are used', async () => {
    const { browser, sessionId } = await signIn({ name: ' \u0000 ', picture: 'javascript:alert(1)' })
    const { json } = await browser.post('/api/auth/login', { session_id: sessionId })
    expect(json.user).toMatchObject({ name: 'trainee1', picture: null })
  })

  test.each([
    ['a wrong nonce', { nonce: 'other' }, 'invalid_state'],
    ['a token for another client', { aud: 'another-client' }, 'sign_in_failed'],
    ['a token of another issuer', { iss: 'https://evil.example' }, 'sign_in_failed'],
    ['no address', { email: undefined }, 'sign_in_failed'],
    ['an invalid address', { email: { $gt: '' } }, 'sign_in_failed'],
  ])('%s fails the sign-in', async (_name, claims, error) => {
    expect(await signIn(claims)).toMatchObject({ error, sessionId: null })
    expect(await auth.database.collection('people').countDocuments()).toBe(0)
  })

  test('a token with the signature of another key is refused', async () => {
    fake.state.signing = createKey('k')
    expect(await signIn()).toMatchObject({ error: 'sign_in_failed', sessionId: null })
    expect(await auth.database.collection('people').countDocuments()).toBe(0)
  })

  test('a token of a key that it does not publish is refused', async () => {
    fake.state.signing = createKey('unpublished')
    expect(await signIn()).toMatchObject({ error: 'sign_in_failed', sessionId: null })
  })

  test('its new key is accepted, and the previous one no longer', async () => {
    const previous = fake.state.published
    expect((await signIn()).error).toBeNull()
    fake.state.published = createKey('next')
    // The library asks for unknown keys at most once a minute.
    const later = Date.now() + 61_000
    const now = jest.spyOn(Date, 'now').mockImplementation(() => later)
    try {
      expect((await signIn()).error).toBeNull()
      fake.state.signing = previous
      expect((await signIn()).error).toBe('sign_in_failed')
    } finally {
      now.mockRestore()
    }
  })

  test('its refusal of the code is shown with its description', async () => {
    const browser = auth.openBrowser()
    const { location } = await browser.visit('/api/auth/signin')
    fake.state.behaviour = 'error'
    const back = await browser.visit(`/api/auth/callback?code=c&state=${new URL(location!).searchParams.get('state')}`)
    expect(new URL(back.location!).searchParams.get('error_description')).toBe('the code is spent')
  })

  test('an outage is shown as unavailable; afterwards sign-ins work again', async () => {
    fake.state.behaviour = 'garbage'
    const outage = await auth.openBrowser().visit('/api/auth/signin')
    expect(outage.status).toBe(302)
    expect(new URL(outage.location!)).toMatchObject({ pathname: '/profile' })
    expect(new URL(outage.location!).searchParams.get('error')).toBe('provider_unavailable')
    fake.state.behaviour = 'well'
    expect((await signIn()).error).toBeNull()
  })

  test('an outage before the return is shown as unavailable', async () => {
    const browser = auth.openBrowser()
    const { location } = await browser.visit('/api/auth/signin')
    const state = new URL(location!).searchParams.get('state')
    await fake.stop()
    const back = await browser.visit(`/api/auth/callback?code=c&state=${state}`)
    expect(new URL(back.location!).searchParams.get('error')).toBe('provider_unavailable')
  })

  test('the development provider is not mounted', async () => {
    expect((await auth.openBrowser().visit('/oidc/.well-known/openid-configuration')).status).toBe(404)
  })
})

describe('a provider that never answers', () => {
  let fake: FakeProvider
  let client: IdentityProvider
  beforeEach(async () => {
    fake = await startFakeProvider('c')
    client = createIdentityProvider({
      id: 'default',
      issuer: fake.issuer,
      clientId: 'c',
      clientSecret: undefined,
      redirectUri: 'http://localhost/api/auth/callback',
      clock: createManualClock(),
      log: createLogger('test', 'silent'),
      timeoutS: 0.2,
    })
  })
  afterEach(() => fake.stop())

  test('times out when a sign-in begins', async () => {
    fake.state.behaviour = 'never'
    await expect(client.beginSignIn({})).rejects.toMatchObject({ code: 'provider_unavailable' })
  })

  test('times out when a sign-in completes', async () => {
    // A slow machine may need several attempts within this short limit.
    const { signIn } = await eventually(() => client.beginSignIn({}))
    fake.state.behaviour = 'never'
    const answer = new URLSearchParams({ code: 'c', state: signIn.state })
    await expect(client.completeSignIn(answer, signIn)).rejects.toMatchObject({ code: 'provider_unavailable' })
  })
})

describe('a provider that must report a strong and recent sign-in', () => {
  let fake: FakeProvider
  let auth: AuthWorld
  const nowS = () => Math.floor(auth.clock.now() / 1_000)
  const strong = () => ({ acr: 'gold', auth_time: nowS() - 30 * 60 })
  beforeAll(async () => {
    fake = await startFakeProvider('the-client')
    auth = await startAuth({
      oidcProviders: [
        {
          ...{ id: 'partner', name: 'Partner', issuer: fake.issuer, clientId: 'the-client', clientSecret: undefined },
          acrValues: ['gold', 'silver'],
          maxAgeS: 3_600,
        },
      ],
    })
  })
  afterAll(async () => {
    await auth.stop()
    await fake.stop()
  })

  test('is asked for it, and its account signs in', async () => {
    const { request, login } = await signInAt(auth, fake, strong())
    expect(Object.fromEntries(request.searchParams)).toMatchObject({ acr_values: 'gold silver', max_age: '3600' })
    expect(await login()).toMatchObject({ email: 'trainee1@example.org' })
    expect((await signInAt(auth, fake, { ...strong(), acr: 'silver' })).error).toBeNull()
  })

  test.each([
    ['another class', { acr: 'bronze' }, 'unmet_authentication_requirements'],
    ['no class', { acr: undefined }, 'unmet_authentication_requirements'],
    ['several classes', { acr: ['gold'] }, 'unmet_authentication_requirements'],
    ['an old sign-in', { auth_time: 1_000 }, 'login_required'],
    ['no time of the sign-in', { auth_time: undefined }, 'login_required'],
  ])('fails the sign-in with %s', async (_name, claims, error) => {
    expect(await signInAt(auth, fake, { ...strong(), ...claims })).toMatchObject({ error, sessionId: null })
  })

  test('is asked for a new sign-in where other sessions are to end', async () => {
    const { request } = await signInAt(auth, fake, strong(), { query: '?end_other_sessions=true' })
    expect(request.searchParams.getAll('max_age')).toEqual(['0'])
  })
})

describe('settings', () => {
  test('production cannot be started with the development provider', async () => {
    const world = await createTestWorld()
    const config: AuthConfig = {
      ...world.config,
      nodeEnv: 'production',
      publicUrl: 'https://watchline.example',
      tokenPrivateKey: world.privateKey,
      refreshSecrets: ['r'.repeat(32)],
      cookieSecrets: ['c'.repeat(32)],
      oidcIssuer: undefined,
      oidcClientId: undefined,
      oidcClientSecret: undefined,
      oidcUntypedLogout: false,
      oidcAcrValues: [],
      oidcMaxAgeS: undefined,
      oidcDailyCheck: 'auto',
      oidcClaimsFromUserInfo: false,
      oidcName: 'x',
      oidcProviders: [],
      claimNames: ['groups', 'roles'],
      emailPolicy: { requireVerified: false, allowedDomains: [] },
      oidcAdminClaim: undefined,
      adminSetupToken: undefined,
      privacyContact: undefined,
      privacyUrl: undefined,
      adminSecondFactor: 'optional' as const,
      allowAnybodyToSignInAsAnybody: true,
      sessionLifetimes: testLifetimes,
      signOutAtProvider: true,
      playbackUrl: 'http://127.0.0.1:9',
      engagementUrl: 'http://127.0.0.1:9',
      chatUrl: 'http://127.0.0.1:9',
    }
    expect(() => createAuthService(config, world.ports)).toThrow(ConfigError)
    await world.close()
  })

  const provider = { OIDC_ISSUER: 'https://idp.example', OIDC_CLIENT_ID: 'c' }
  const env = {
    MONGO_URL: 'mongodb://127.0.0.1/?replicaSet=rs',
    TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
    TOKEN_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
    INTERNAL_SECRET: 'i'.repeat(32),
    REFRESH_SECRET: 'r'.repeat(32),
    COOKIE_SECRET: 'c'.repeat(32),
  }

  test('come from the environment; a trailing slash is accepted', () => {
    expect(readAuthConfig({ ...env, ...provider, PUBLIC_URL: 'https://watchline.example/' })).toMatchObject({
      publicUrl: 'https://watchline.example',
      oidcIssuer: 'https://idp.example',
      oidcName: 'your organisation',
    })
    expect(readAuthConfig(env)).toMatchObject({ publicUrl: 'http://localhost:8080', sessionLifetimes: testLifetimes })
  })

  test('without a provider, others reach the server only if the operator says so', () => {
    const PUBLIC_URL = 'http://training.example:8080'
    const ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY = 'true'
    expect(readAuthConfig({ ...env, PUBLIC_URL, ALLOW_ANYBODY_TO_SIGN_IN_AS_ANYBODY }).oidcIssuer).toBeUndefined()
    for (const address of ['http://127.0.0.1:1', 'http://[::1]:1', 'http://demo.localhost'])
      expect(readAuthConfig({ ...env, PUBLIC_URL: address }).publicUrl).toBe(address)
  })

  test.each([
    ['OIDC_ISSUER', { PUBLIC_URL: 'http://training.example' }],
    ['OIDC_ISSUER', { PUBLIC_URL: 'http://localhost.example' }],
    ['OIDC_ISSUER', { PUBLIC_URL: 'http://127.0.0.1.example' }],
    ['PUBLIC_URL', { ...provider, NODE_ENV: 'production', PUBLIC_URL: 'http://training.example' }],
    ['OIDC_ISSUER', { NODE_ENV: 'production' }],
    ['OIDC_ISSUER', { OIDC_ISSUER: 'not an address' }],
    ['OIDC_ISSUER', { NODE_ENV: 'production', OIDC_ISSUER: 'http://idp.example', OIDC_CLIENT_ID: 'c' }],
    ['OIDC_CLIENT_ID', { OIDC_ISSUER: 'https://idp.example' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'https://watchline.example/app' }],
    ['PUBLIC_URL', { PUBLIC_URL: 'ftp://watchline.example' }],
    ['REFRESH_SECRET', { REFRESH_SECRET: 'short' }],
    ['COOKIE_SECRET', { COOKIE_SECRET: '' }],
    ['TOKEN_PRIVATE_KEY', { TOKEN_PRIVATE_KEY: 'x' }],
    ['ADMIN_SETUP_TOKEN', { ADMIN_SETUP_TOKEN: 'short' }],
    ['ADMIN_SECOND_FACTOR', { ADMIN_SECOND_FACTOR: 'yes' }],
    ['OIDC_ADMIN_CLAIM', { OIDC_ADMIN_CLAIM: 'groups' }],
  ])('an invalid %s stops the start with an error that names it', (name, invalid) => {
    expect(() => readAuthConfig({ ...env, ...invalid })).toThrow(new RegExp(`^${name}: `))
  })
})
