import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { readAuthConfig } from '../src/config.ts'
import { startFakeProvider } from './_fake-provider.ts'
import { type FakeProvider, signInAt } from './_provider-sign-in.ts'
import { type AuthWorld, startAuth } from './_util.ts'

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
