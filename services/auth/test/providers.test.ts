import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@watchline/kit/mongo/database'
import jwt from 'jsonwebtoken'
import { configuredProviders, type ProviderSettings, readAuthConfig } from '../src/config.ts'
import { newPerson, toStoredPerson } from '../src/store/person-model.ts'
import { startFakeProvider } from './_fake-provider.ts'
import { type Browser, type FakeProvider, signInAt } from './_provider-sign-in.ts'
import { type AuthWorld, rootAdmin, startAuth } from './_util.ts'

describe('two providers', () => {
  let first: FakeProvider
  let second: FakeProvider
  let auth: AuthWorld
  beforeAll(async () => {
    first = await startFakeProvider('first-client')
    second = await startFakeProvider('second-client')
    auth = await startAuth({
      oidcIssuer: first.issuer,
      oidcClientId: 'first-client',
      oidcName: 'Example Corp',
      oidcProviders: [
        { id: 'partner', name: 'Partner', issuer: second.issuer, clientId: 'second-client', clientSecret: undefined },
      ],
    })
  })
  afterAll(async () => {
    await auth.stop()
    await first.stop()
    await second.stop()
  })

  test('are both offered by name', async () => {
    expect((await auth.anonymous.get('/auth/options')).json).toMatchObject({
      provider: 'Example Corp',
      providers: [
        { id: 'default', name: 'Example Corp' },
        { id: 'partner', name: 'Partner' },
      ],
      development: false,
    })
  })

  test('each sign their own accounts in, with the same subject and address', async () => {
    const atFirst = await signInAt(auth, first)
    const atSecond = await signInAt(auth, second, {}, { query: '?provider=partner' })
    expect([atFirst.request.origin, atSecond.request.origin]).toEqual([first.issuer, second.issuer])
    expect(atSecond.request.searchParams.get('client_id')).toBe('second-client')
    const users = [await atFirst.login(), await atSecond.login()]
    expect(users[0].email).toBe(users[1].email)
    expect(users[0].id).not.toBe(users[1].id)
  })

  test('an unknown one is refused', async () => {
    const { location } = await auth.openBrowser().visit('/api/auth/signin?provider=nobody')
    expect(new URL(location!).searchParams.get('error')).toBe('unknown_provider')
  })

  test('the answer of one does not complete a sign-in that began at the other', async () => {
    const before = second.state.tokenRequests.length
    const mixedUp = { query: '?provider=partner', answer: { iss: first.issuer } }
    expect(await signInAt(auth, second, {}, mixedUp)).toMatchObject({ error: 'sign_in_failed', sessionId: null })
    // The code stays secret: the wrong provider could use it at the right one.
    expect(second.state.tokenRequests).toHaveLength(before)
    const agreeing = { query: '?provider=partner', answer: { iss: second.issuer } }
    expect((await signInAt(auth, second, {}, agreeing)).error).toBeNull()
  })
})

describe('after a restart with other providers', () => {
  let main: FakeProvider
  let partner: FakeProvider
  let auth: AuthWorld
  let partnerSettings: ProviderSettings
  beforeAll(async () => {
    main = await startFakeProvider('main-client')
    partner = await startFakeProvider('partner-client')
    partner.state.tokens = { refresh_token: 'the-first-token' }
    partnerSettings = {
      ...{ id: 'partner', name: 'Partner', issuer: partner.issuer, clientId: 'partner-client' },
      clientSecret: undefined,
    }
    auth = await startWith([partnerSettings])
  })
  afterAll(async () => {
    await auth.stop()
    await main.stop()
    await partner.stop()
  })

  const people = { idleMs: 48 * 3_600_000, absoluteMs: 96 * 3_600_000 }
  const startWith = (oidcProviders: ProviderSettings[]) =>
    startAuth(
      {
        ...{ oidcIssuer: main.issuer, oidcClientId: 'main-client', oidcProviders },
        sessionLifetimes: { people, admins: people },
      },
      auth && { world: auth.world },
    )

  async function signIn(provider: FakeProvider, query = '') {
    const { browser, login } = await signInAt(auth, provider, { sub: newId() }, { query })
    await login()
    return browser
  }

  /** The answers to refreshes of these browsers. */
  async function refreshAfterRestart(oidcProviders: ProviderSettings[], browsers: Browser[]) {
    const restarted = await startWith(oidcProviders)
    const answers = await Promise.all(
      browsers.map(browser =>
        restarted.anonymous.post('/auth/refresh', {}, { cookie: browser.cookiesFor('/api/auth/refresh') }),
      ),
    )
    await restarted.service.stop()
    return answers.map(({ status, json }) => (status === 200 ? status : json.code))
  }

  test('sessions of a provider that is no longer configured end, and no others', async () => {
    const withPassword = auth.openBrowser()
    await withPassword.post('/api/admin/setup', rootAdmin)
    await withPassword.post('/api/admin/login', rootAdmin)
    const removed = await signIn(partner, '?provider=partner')
    const earlier = await signIn(partner, '?provider=partner')
    const sessions = auth.database.collection<{ _id: string }>('sessions')
    await sessions.updateOne({ _id: sidOf(earlier) }, { $unset: { provider_id: 1 } })
    const browsers = [removed, await signIn(main), withPassword, earlier]
    expect(await refreshAfterRestart([], browsers)).toEqual(['no_session', 200, 200, 200])
    expect((await auth.listEvents(sidOf(removed))).map(({ type }) => type)).toEqual([
      'session.started',
      'session.revoked',
    ])
    expect(await auth.world.ports.live.revocations.has(sidOf(removed), auth.clock.now())).toBe(true)
  })

  test('sessions of a provider with another id stay, and it is asked for their accounts every day', async () => {
    const browser = await signIn(partner, '?provider=partner')
    const renamed = [{ ...partnerSettings, id: 'renamed' }]
    expect(await refreshAfterRestart(renamed, [browser])).toEqual([200])
    const checked = await signIn(partner, '?provider=partner')
    auth.clock.advance(24 * 3_600_000)
    partner.state.renewal = 'down'
    expect(await refreshAfterRestart(renamed, [checked])).toEqual([200])
    auth.clock.advance(3_600_000)
    partner.state.renewal = 'refused'
    expect(await refreshAfterRestart(renamed, [checked])).toEqual(['no_session'])
  })
})

const sidOf = (browser: Browser) => (jwt.decode(browser.token()) as unknown as { sid: string }).sid

describe('a provider that relays the browser to another one, to get the code of that one', () => {
  let honest: FakeProvider
  let relaying: FakeProvider
  let auth: AuthWorld
  beforeAll(async () => {
    honest = await startFakeProvider('honest-client')
    relaying = await startFakeProvider('relaying-client')
    honest.state.metadata = { authorization_response_iss_parameter_supported: true }
    auth = await startAuth({
      oidcIssuer: honest.issuer,
      oidcClientId: 'honest-client',
      oidcProviders: [
        {
          id: 'partner',
          name: 'Partner',
          issuer: relaying.issuer,
          clientId: 'relaying-client',
          clientSecret: undefined,
        },
      ],
    })
  })
  afterAll(async () => {
    await auth.stop()
    await honest.stop()
    await relaying.stop()
  })

  /**
   * Begins at the relaying provider, which sends the browser on to the honest one with the state of
   * this sign-in. The honest one comes back to the one redirect address of both.
   */
  async function relay(answer: Record<string, string>) {
    const browser = auth.openBrowser()
    const begun = new URL((await browser.visit('/api/auth/signin?provider=partner')).location!)
    expect(begun.origin).toBe(relaying.issuer)
    const query = new URLSearchParams({ state: begun.searchParams.get('state')!, ...answer })
    const { location } = await browser.visit(`/api/auth/callback?${query}`)
    return new URL(location!).searchParams.get('error')
  }

  test.each([
    ['a code', { code: 'of-the-honest-one' }, 'sign_in_failed'],
    ['an error', { error: 'access_denied' }, 'sign_in_failed'],
  ])('gets nothing, if that one names itself beside %s', async (_answer, answer, error) => {
    expect(await relay({ ...answer, iss: honest.issuer })).toBe(error)
    expect([honest, relaying].map(({ state }) => state.tokenRequests)).toEqual([[], []])
  })

  test('cannot pass on an answer at a sign-in with one that names itself, by leaving the name out', async () => {
    // The code of the relaying provider, for a sign-in that began at the honest one.
    expect(await signInAt(auth, honest)).toMatchObject({ error: 'sign_in_failed', sessionId: null })
    expect([honest, relaying].map(({ state }) => state.tokenRequests)).toEqual([[], []])
    expect((await signInAt(auth, honest, {}, { answer: { iss: relaying.issuer } })).error).toBe('sign_in_failed')
    expect((await signInAt(auth, honest, {}, { answer: { iss: honest.issuer } })).error).toBeNull()
  })
})

describe('what a further provider may give', () => {
  let main: FakeProvider
  let partner: FakeProvider
  beforeAll(async () => {
    main = await startFakeProvider('main-client')
    partner = await startFakeProvider('partner-client')
  })
  afterAll(async () => {
    await main.stop()
    await partner.stop()
  })

  const startWith = (partnerSettings: Partial<ProviderSettings> = {}) =>
    startAuth({
      oidcIssuer: main.issuer,
      oidcClientId: 'main-client',
      oidcAdminClaim: { name: 'groups', value: 'watchline-admins' },
      emailPolicy: { requireVerified: false, allowedDomains: ['example.org'] },
      oidcProviders: [
        {
          ...{ id: 'partner', name: 'Partner', issuer: partner.issuer, clientId: 'partner-client' },
          ...{ clientSecret: undefined, ...partnerSettings },
        },
      ],
    })
  const atPartner = { query: '?provider=partner' }
  const verified = (email: string, groups: string[] = []) => ({ sub: email, email, email_verified: true, groups })
  async function saveRule(auth: AuthWorld) {
    const rules = [{ claim: 'groups', value: 'directors', role: 'director' as const, leader_id: null }]
    const admin = await auth.addPerson('admin')
    const { status } = await auth.callAs(admin).put('/admin/claim-rules', { rules, version: 0 })
    expect(status).toBe(200)
  }
  const invite = async (auth: AuthWorld, email: string) => {
    const createdAt = new Date(auth.clock.now()).toISOString()
    const person = newPerson({
      name: 'Invited',
      email,
      picture: null,
      role: 'director',
      createdAt,
    })
    await auth.database.collection('people').insertOne({ ...toStoredPerson(person), invited: true } as never)
    return person.id
  }

  test('is nothing by default: no administrator, no role, no group, no invitation', async () => {
    const auth = await startWith()
    try {
      await saveRule(auth)
      const invitedId = await invite(auth, 'boss@example.org')
      const claims = verified('boss@example.org', ['watchline-admins', 'directors'])
      const user = await (await signInAt(auth, partner, claims, atPartner)).login()
      expect(user).toMatchObject({ email: 'boss@example.org', role: 'user' })
      expect(user.id).not.toBe(invitedId)
      const stored = await auth.database
        .collection<{ _id: string; claims: unknown[] }>('sign_in_claims')
        .findOne({ _id: user.id })
      expect(stored?.claims ?? []).toEqual([])
      // The main provider gives all of it.
      expect(await (await signInAt(auth, main, verified('boss@example.org'))).login()).toMatchObject({ id: invitedId })
      const director = await (await signInAt(auth, main, verified('d@example.org', ['directors']))).login()
      expect(director.role).toBe('director')
      const admin = await (await signInAt(auth, main, verified('a@example.org', ['watchline-admins']))).login()
      expect(admin.role).toBe('admin')
    } finally {
      await auth.stop()
    }
  })

  test('is what its settings name, and an administrator of before loses the role', async () => {
    const trusting = await startWith({ trustedFor: ['administrators', 'roles', 'invitations'] })
    try {
      await saveRule(trusting)
      const invitedId = await invite(trusting, 'boss@example.org')
      const boss = await (await signInAt(trusting, partner, verified('boss@example.org'), atPartner)).login()
      expect(boss.id).toBe(invitedId)
      const claims = verified('d@example.org', ['directors'])
      const director = await (await signInAt(trusting, partner, claims, atPartner)).login()
      expect(director.role).toBe('director')
      const adminClaims = verified('a@example.org', ['watchline-admins'])
      const admin = await (await signInAt(trusting, partner, adminClaims, atPartner)).login()
      expect(admin.role).toBe('admin')
      trusting.config.oidcProviders[0]!.trustedFor = []
      const later = await startAuth(trusting.config, { world: trusting.world })
      const again = await (await signInAt(later, partner, adminClaims, atPartner)).login()
      expect(again).toMatchObject({ id: admin.id, role: 'user' })
      await later.service.stop()
    } finally {
      await trusting.stop()
    }
  })

  test('has its own allowed domains, or else those of all', async () => {
    const auth = await startWith({ allowedDomains: ['partner.example'] })
    try {
      const errorOf = async (email: string) => (await signInAt(auth, partner, verified(email), atPartner)).error
      expect(await errorOf('p@partner.example')).toBeNull()
      expect(await errorOf('p@example.org')).toBe('email_domain')
      expect((await signInAt(auth, main, verified('p@partner.example'))).error).toBe('email_domain')
    } finally {
      await auth.stop()
    }
  })
})

describe('addresses', () => {
  let fake: FakeProvider
  let auth: AuthWorld
  beforeAll(async () => {
    fake = await startFakeProvider('c')
    auth = await startAuth({ oidcIssuer: fake.issuer, oidcClientId: 'c' })
  })
  afterAll(async () => {
    await auth.stop()
    await fake.stop()
  })
  const policy = (requireVerified: boolean, ...allowedDomains: string[]) => {
    auth.config.emailPolicy = { requireVerified, allowedDomains }
  }
  const address = (email: string, verified?: unknown) => ({ sub: email, email, email_verified: verified })

  test('are marked as verified or not, and marked anew when the provider changes its mind', async () => {
    policy(false)
    const absent = await (await signInAt(auth, fake, address('a@example.org'))).login()
    expect(absent).toMatchObject({ email: 'a@example.org', email_verified: false })
    const verified = await (await signInAt(auth, fake, address('a@example.org', true))).login()
    expect(verified).toMatchObject({ id: absent.id, email_verified: true })
    const [created, changed] = await auth.listEvents(absent.id)
    expect(created).toMatchObject({ type: 'user.created', data: { person: { email_verified: false } } })
    expect(changed).toMatchObject({ type: 'user.profile_changed', data: { person: { email_verified: true } } })
  })

  test('of people of earlier versions are unknown until their next sign-in', async () => {
    policy(false)
    const { id } = await (await signInAt(auth, fake, address('old@example.org', true))).login()
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: id }, { $unset: { email_verified: 1 } })
    const admin = await auth.addPerson('admin')
    const listed = async () => (await auth.callAs(admin).get('/admin/users?search=old@example.org')).json[0]
    expect(await listed()).not.toHaveProperty('email_verified')
    await signInAt(auth, fake, address('old@example.org', true))
    expect(await listed()).toMatchObject({ id, email_verified: true })
  })

  test.each([
    ['unverified', false, null],
    ['unverified, where verified ones are required', true, 'email_unverified'],
  ])('%s: the sign-in ends with %j → %j', async (_name, required, error) => {
    policy(required)
    expect((await signInAt(auth, fake, address('b@example.org', false))).error).toBe(error)
    expect((await signInAt(auth, fake, address('c@example.org', true))).error).toBeNull()
  })

  test.each([
    ['n1@example.org', true, null],
    ['n2@EXAMPLE.org', true, null],
    ['n3@example.org', false, 'email_unverified'],
    ['n4@example.org', undefined, 'email_unverified'],
    ['n5@evil-example.org', true, 'email_domain'],
    ['n6@example.org.evil.net', true, 'email_domain'],
    ['n7@sub.example.org', true, 'email_domain'],
  ])('of %s (verified: %j) with allowed domains: %j', async (email, verified, error) => {
    policy(false, 'example.com', 'example.org')
    expect((await signInAt(auth, fake, address(email, verified))).error).toBe(error)
    const stored = await auth.database.collection('people').countDocuments({ email: email.toLowerCase() })
    expect(stored).toBe(error === null ? 1 : 0)
  })
})

describe('settings of providers', () => {
  const env = {
    MONGO_URL: 'mongodb://127.0.0.1/?replicaSet=rs',
    TOKEN_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
    TOKEN_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----',
    INTERNAL_SECRET: 'i'.repeat(32),
    REFRESH_SECRET: 'r'.repeat(32),
    COOKIE_SECRET: 'c'.repeat(32),
    PUBLIC_URL: 'https://watchline.example',
  }
  const partner = { id: 'partner', name: 'Partner', issuer: 'https://partner.example', client_id: 'c' }
  const read = (settings: Record<string, string>) => readAuthConfig({ ...env, ...settings })
  const readList = (list: unknown, settings = {}) => read({ OIDC_PROVIDERS: JSON.stringify(list), ...settings })

  test('a list alone is enough; its secrets may be in files', () => {
    const file = join(tmpdir(), `watchline-secret-${process.pid}`)
    writeFileSync(file, 'from the file\n', { mode: 0o600 })
    const strength = { acr_values: 'gold silver', max_age_minutes: 60 }
    const applied = { acrValues: ['gold', 'silver'], maxAgeS: 3_600 }
    const second = { ...partner, id: 'second', issuer: 'https://second.example', client_secret_file: file }
    expect(
      readList([{ ...partner, client_secret: 'in the list', untyped_logout: true, ...strength }, second]).oidcProviders,
    ).toMatchObject([
      { id: 'partner', clientId: 'c', clientSecret: 'in the list', acceptsUntypedLogoutTokens: true, ...applied },
      { id: 'second', clientSecret: 'from the file', acceptsUntypedLogoutTokens: false },
    ])
  })

  test('only the main provider is trusted, unless the list says otherwise', () => {
    const single = { OIDC_ISSUER: 'https://idp.example', OIDC_CLIENT_ID: 'w' }
    const second = { ...partner, id: 'second', issuer: 'https://second.example', trusted_for: ['roles'] }
    const trustOf = (list: unknown, settings = {}) =>
      configuredProviders(readList(list, settings)).map(({ trustedFor }) => trustedFor)
    const everything = ['administrators', 'roles', 'invitations']
    expect(trustOf([partner, second], single)).toEqual([everything, [], ['roles']])
    expect(trustOf([partner, second])).toEqual([[], ['roles']])
    // Alone, it is the main one.
    expect(trustOf([partner])).toEqual([everything])
    expect(trustOf([{ ...partner, trusted_for: [] }])).toEqual([[]])
    const withDomains = readList([{ ...partner, allowed_domains: 'Partner.example, p.example' }])
    expect(withDomains.oidcProviders[0]!.allowedDomains).toEqual(['partner.example', 'p.example'])
  })

  test('policies are off by default; domains are read from a list', () => {
    expect(read({ OIDC_PROVIDERS: JSON.stringify([partner]) }).emailPolicy).toEqual({
      requireVerified: false,
      allowedDomains: [],
    })
    const settings = { OIDC_REQUIRE_VERIFIED_EMAIL: 'true', OIDC_ALLOWED_DOMAINS: 'Example.org, example.com' }
    expect(readList([partner], settings).emailPolicy).toEqual({
      requireVerified: true,
      allowedDomains: ['example.org', 'example.com'],
    })
    expect(() => read({ OIDC_ALLOWED_DOMAINS: '@example.org' })).toThrow(/^OIDC_ALLOWED_DOMAINS: /)
  })

  test.each([
    ['no list', {}],
    ['an empty list', []],
    ['an entry without an issuer', [{ ...partner, issuer: undefined }]],
    ['a misspelt field', [{ ...partner, client_secert: 'hush' }]],
    ['an id that does not fit into an address', [{ ...partner, id: 'a/b' }]],
    ['two with one id', [partner, { ...partner, issuer: 'https://second.example' }]],
    ['two with one issuer', [partner, { ...partner, id: 'second' }]],
    ['two places for the secret', [{ ...partner, client_secret: 'hush', client_secret_file: '/nowhere' }]],
    ['trust in something unknown', [{ ...partner, trusted_for: ['everything'] }]],
    ['a domain that is none', [{ ...partner, allowed_domains: '@partner.example' }]],
    ['a missing file', [{ ...partner, client_secret_file: '/nowhere/secret' }]],
  ])('%s stops the start, without a secret in the message', (_name, list) => {
    expect(() => readList(list)).toThrow(/^OIDC_PROVIDERS: (?!.*hush)/)
  })

  test('the single provider and the list go together, and production needs https for each', () => {
    const single = { OIDC_ISSUER: 'https://idp.example', OIDC_CLIENT_ID: 'w' }
    expect(() => readList([{ ...partner, id: 'default' }], single)).toThrow(/^OIDC_PROVIDERS: two providers/)
    const plain = [{ ...partner, issuer: 'http://partner.example' }]
    expect(() => readList(plain, { ...single, NODE_ENV: 'production' })).toThrow(/^OIDC_PROVIDERS \(partner\): /)
    expect(readList([partner], { NODE_ENV: 'production' }).oidcProviders).toHaveLength(1)
  })
})
