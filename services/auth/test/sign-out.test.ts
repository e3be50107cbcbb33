import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import jwt from 'jsonwebtoken'
import { createKey, startFakeProvider } from './_fake-provider.ts'
import {
  type Browser,
  clientId,
  delayLogin,
  type FakeProvider,
  signInAt,
  startAuthWithProvider,
} from './_provider-sign-in.ts'
import { type AuthWorld, rootAdmin } from './_util.ts'

let auth: AuthWorld
let provider: FakeProvider
beforeAll(async () => {
  ;({ auth, provider } = await startAuthWithProvider({
    end_session_endpoint: 'https://login.example.org/sign-out',
    prompt_values_supported: ['none', 'login', 'select_account'],
  }))
  provider.state.metadata.revocation_endpoint = `${provider.issuer}/revoke`
})
afterAll(async () => {
  await auth.stop()
  await provider.stop()
})

let people = 0
/** Signs in as a new person, or as the one with this subject. */
async function signIn({
  sub = `subject-${people++}`,
  ...claims
}: {
  sub?: string
  sid?: string
  groups?: string[]
} = {}) {
  const { browser, sessionId } = await signInAt(auth, provider, { sub, ...claims })
  const { json } = await browser.post('/api/auth/login', { session_id: sessionId })
  return { browser, sub, personId: json.user.id as string, sid: sidOf(browser) }
}

const sidOf = (browser: Browser) => (jwt.decode(browser.token()) as unknown as { sid: string }).sid
const isOpen = async ({ browser }: { browser: Browser }) => (await browser.post('/api/auth/refresh', {})).status === 200

describe('signing out', () => {
  test('names the address at which the person signs out of the provider, and comes back to the sign-in', async () => {
    const { browser, sub } = await signIn()
    const answer = await browser.post('/api/auth/logout', {})
    const url = new URL(answer.json.sign_out_url)
    expect(url.href).toMatch(/^https:\/\/login\.example\.org\/sign-out\?/)
    const { id_token_hint, ...parameters } = Object.fromEntries(url.searchParams)
    expect(jwt.decode(id_token_hint!)).toMatchObject({ iss: provider.issuer, aud: clientId, sub })
    expect(parameters).toEqual({
      client_id: clientId,
      post_logout_redirect_uri: `${auth.config.publicUrl}/api/auth/callback`,
      state: 'signed_out',
    })
    expect(answer.headers.get('clear-site-data')).toBe('"cache"')
    for (const query of ['?state=signed_out', '']) {
      const { location } = await browser.visit(`/api/auth/callback${query}`)
      expect(location).toBe(`${auth.config.publicUrl}/`)
    }
    // The session has ended already.
    expect((await browser.post('/api/auth/logout', {})).json).toEqual({ success: true })
  })

  test('keeps the provider’s tokens encrypted, out of exports, and only while the session is open', async () => {
    provider.state.tokens = { refresh_token: 'a refresh token' }
    const { browser, sid } = await signIn()
    const sessions = auth.database.collection<{ _id: string; id_token?: string }>('sessions')
    const { id_token } = (await sessions.findOne({ _id: sid }))!
    expect(jwt.decode(id_token!)).toBeNull()
    const bearer = { authorization: `Bearer ${browser.token()}` }
    expect((await auth.anonymous.get('/auth/record/data', bearer)).text).not.toContain(id_token)
    await browser.post('/api/auth/logout', {})
    expect(await sessions.findOne({ _id: sid })).not.toHaveProperty('id_token')
    provider.state.tokens = {}
  })

  test.each(['a-token', 'silent-token'])(
    'revokes the refresh token at the provider without waiting: %s',
    async token => {
      provider.state.tokens = { refresh_token: token }
      const { browser } = await signIn()
      provider.state.tokens = {}
      expect((await browser.post('/api/auth/logout', {})).status).toBe(200)
      await eventually(() => expect(provider.state.revoked).toContain(token))
      await browser.post('/api/auth/logout', {})
      expect(provider.state.revoked.filter(revoked => revoked === token)).toHaveLength(1)
    },
  )

  test('revokes no refresh token while the person has another session of the provider', async () => {
    const sub = `subject-${people++}`
    const signInWith = (token: string) => {
      provider.state.tokens = { refresh_token: token }
      return signIn({ sub })
    }
    const first = await signInWith('first-token')
    const second = await signInWith('second-token')
    provider.state.tokens = {}
    await first.browser.post('/api/auth/logout', {})
    await second.browser.post('/api/auth/logout', {})
    await eventually(() => expect(provider.state.revoked).toContain('second-token'))
    expect(provider.state.revoked).not.toContain('first-token')
  })

  test('leaves out an ID token that would make the address too long', async () => {
    const groups = Array.from({ length: 200 }, (_, index) => `department-${index}`)
    const { browser } = await signIn({ groups })
    const { sign_out_url } = (await browser.post('/api/auth/logout', {})).json
    expect(sign_out_url.length).toBeLessThan(2_000)
    expect(new URL(sign_out_url).searchParams.has('id_token_hint')).toBe(false)
  })

  test('makes the next sign-in of this browser ask who it is, and only that', async () => {
    const { browser, sub } = await signIn()
    const promptOfNext = async () => {
      const { request, sessionId } = await signInAt(auth, provider, { sub }, { browser })
      return { prompt: request.searchParams.get('prompt'), sessionId }
    }
    expect((await promptOfNext()).prompt).toBeNull()
    await browser.post('/api/auth/logout', {})
    const { prompt, sessionId } = await promptOfNext()
    expect(prompt).toBe('select_account')
    await browser.post('/api/auth/login', { session_id: sessionId })
    expect((await promptOfNext()).prompt).toBeNull()
  })

  test('stays local where the provider offers no sign-out; the next sign-in asks for a new one', async () => {
    const plain = await startAuthWithProvider({}, { world: auth.world })
    try {
      const { browser, sessionId } = await signInAt(plain.auth, plain.provider)
      await browser.post('/api/auth/login', { session_id: sessionId })
      expect((await browser.post('/api/auth/logout', {})).json).toEqual({ success: true })
      const { request } = await signInAt(plain.auth, plain.provider, {}, { browser })
      expect(request.searchParams.get('prompt')).toBe('login')
    } finally {
      await plain.auth.service.stop()
      await plain.provider.stop()
    }
  })

  test('stays local for administrators, and where the operator wants it so', async () => {
    const browser = auth.openBrowser()
    await browser.post('/api/admin/setup', rootAdmin)
    await browser.post('/api/admin/login', rootAdmin)
    expect((await browser.post('/api/admin/logout', {})).json).toEqual({ success: true })
    const local = await startAuthWithProvider(provider.state.metadata, { world: auth.world, signOutAtProvider: false })
    try {
      const { browser: other, sessionId } = await signInAt(local.auth, local.provider)
      await other.post('/api/auth/login', { session_id: sessionId })
      expect((await other.post('/api/auth/logout', {})).json).toEqual({ success: true })
    } finally {
      await local.auth.service.stop()
      await local.provider.stop()
    }
  })
})

describe('back-channel logout', () => {
  let tokens = 0
  const claimsOf = (claims: Record<string, unknown>) => {
    tokens += 1
    const iat = Math.floor(auth.clock.now() / 1_000)
    return {
      iss: provider.issuer,
      aud: clientId,
      iat,
      exp: iat + 120,
      jti: `token-${tokens}`,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      ...claims,
    }
  }
  const sign = (
    claims: Record<string, unknown>,
    key = provider.state.published,
    header: { typ?: string } = { typ: 'logout+jwt' },
  ) =>
    // The library refuses undefined claims. It adds the time to a token without one, unless
    // `noTimestamp` is set.
    jwt.sign(JSON.parse(JSON.stringify(claims)), key.privateKey, {
      algorithm: 'RS256',
      noTimestamp: claims.iat === undefined,
      keyid: key.jwk.kid,
      header: { alg: 'RS256', typ: undefined, ...header } as jwt.JwtHeader,
    })
  const report = (logoutToken: string) =>
    auth.anonymous.post('/auth/backchannel-logout', new URLSearchParams({ logout_token: logoutToken }).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
    })

  test('ends the session that belongs to a session of the provider, and no other', async () => {
    const first = await signIn({ sid: 'provider-1' })
    const second = await signIn({ sub: first.sub, sid: 'provider-2' })
    expect((await report(sign(claimsOf({ sid: 'provider-1' })))).json).toEqual({ success: true })
    expect(await isOpen(first)).toBe(false)
    expect(await isOpen(second)).toBe(true)
    expect((await auth.listEvents(first.sid)).at(-1)).toMatchObject({
      type: 'session.revoked',
      data: { person_id: first.personId, reason: 'signed_out' },
    })
    expect(await auth.world.ports.live.revocations.has(first.sid, auth.clock.now())).toBe(true)
  })

  test('with an account ends all its sessions, and nobody else’s', async () => {
    const sessions = [await signIn({ sub: 'leaver', sid: 'a' }), await signIn({ sub: 'leaver' })]
    const foreign = await signIn()
    expect((await report(sign(claimsOf({ sub: 'leaver' })))).status).toBe(200)
    for (const session of sessions) expect(await isOpen(session)).toBe(false)
    expect(await isOpen(foreign)).toBe(true)
  })

  test('with both ends that session, and those whose session at the provider is unknown', async () => {
    const [named, unknown] = [await signIn({ sub: 'both', sid: 'named' }), await signIn({ sub: 'both' })]
    const other = await signIn({ sub: 'both', sid: 'other' })
    await report(sign(claimsOf({ sub: 'both', sid: 'named' })))
    expect([await isOpen(named), await isOpen(unknown), await isOpen(other)]).toEqual([false, false, true])
  })

  test('ends a sign-in between the provider and our login', async () => {
    const { browser, sessionId } = await signInAt(auth, provider, { sub: 'between', sid: 'soon' })
    await report(sign(claimsOf({ sid: 'soon' })))
    expect((await browser.post('/api/auth/login', { session_id: sessionId })).json.code).toBe('invalid_session_id')
  })

  test.each([
    ['its session at the provider', { sid: 'late' }, { sid: 'late' }],
    ['its account', {}, { sub: 'late' }],
    ['another session of its account', {}, { sub: 'late', sid: 'elsewhere' }],
  ])('ends a login that has used its code, with %s', async (_name, account, reported) => {
    const { personId } = await signIn({ sub: 'late', sid: 'earlier' })
    const { browser, sessionId } = await signInAt(auth, provider, { sub: 'late', ...account })
    const delay = await delayLogin(auth, personId)
    const login = browser.post('/api/auth/login', { session_id: sessionId })
    await delay.waitForCode()
    const { status } = await report(sign(claimsOf(reported))).finally(delay.release)
    expect(status).toBe(200)
    expect((await login).json.code).toBe('invalid_session_id')
  })

  test('accepts a token once, and one about somebody unknown', async () => {
    await signIn({ sub: 'once', sid: 'once' })
    const token = sign(claimsOf({ sid: 'once' }))
    const answers = await Promise.all([report(token), report(token), report(token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await report(sign(claimsOf({ sub: 'stranger' })))).status).toBe(200)
  })

  test('accepts a report about an unknown session, and ends nothing', async () => {
    const session = await signIn({ sub: 'knows-nothing', sid: 'known' })
    const answer = await report(sign(claimsOf({ sid: 'unknown' })))
    expect(answer).toMatchObject({ status: 200, json: { success: true } })
    expect(answer.headers.get('cache-control')).toMatch(/no-store/)
    expect((await report(sign(claimsOf({ sub: 'stranger', sid: 'known-elsewhere' })))).status).toBe(200)
    expect(await isOpen(session)).toBe(true)
  })

  test('accepts an id once, whatever else the token says', async () => {
    const session = await signIn({ sub: 'reused', sid: 'reused' })
    const first = claimsOf({ sid: 'somebody-else' })
    expect((await report(sign(first))).status).toBe(200)
    expect((await report(sign({ ...claimsOf({ sid: 'reused' }), jti: first.jti }))).status).toBe(400)
    expect(await isOpen(session)).toBe(true)
  })

  test('accepts a token whose only audience is in a list', async () => {
    const session = await signIn({ sid: 'listed' })
    expect((await report(sign(claimsOf({ sid: 'listed', aud: [clientId] })))).status).toBe(200)
    expect(await isOpen(session)).toBe(false)
  })

  describe('of two providers', () => {
    let twoProviders: Awaited<ReturnType<typeof startAuthWithProvider>>
    let partner: FakeProvider
    beforeAll(async () => {
      partner = await startFakeProvider('partner-client')
      partner.state.published = createKey('k')
      const oidcProviders = [
        { id: 'partner', name: 'Partner', issuer: partner.issuer, clientId: 'partner-client', clientSecret: undefined },
      ]
      twoProviders = await startAuthWithProvider({}, { world: auth.world, oidcProviders })
    })
    afterAll(async () => {
      await twoProviders.auth.service.stop()
      await twoProviders.provider.stop()
      await partner.stop()
    })

    /** A session at each provider, with the same account and session ids there. */
    async function signInAtBoth(name: string) {
      const open = async (at: FakeProvider, query = '') => {
        const { browser, login } = await signInAt(twoProviders.auth, at, { sub: name, sid: name }, { query })
        await login()
        return { browser }
      }
      return { first: await open(twoProviders.provider), second: await open(partner, '?provider=partner') }
    }
    const claimsOfFirst = (claims: Record<string, unknown>) =>
      claimsOf({ iss: twoProviders.provider.issuer, ...claims })
    const claimsOfPartner = (claims: Record<string, unknown>) =>
      claimsOf({ iss: partner.issuer, aud: 'partner-client', ...claims })
    const signAs = (fake: FakeProvider, claims: Record<string, unknown>) => sign(claims, fake.state.published)
    const reportLogout = (logoutToken: string) =>
      twoProviders.auth.anonymous.post(
        '/auth/backchannel-logout',
        new URLSearchParams({ logout_token: logoutToken }).toString(),
        {
          'content-type': 'application/x-www-form-urlencoded',
        },
      )

    test.each(['sid', 'sub'])('each ends its own sessions only, by the same %s', async claim => {
      const { first, second } = await signInAtBoth(`both-${claim}`)
      expect((await reportLogout(signAs(partner, claimsOfPartner({ [claim]: `both-${claim}` })))).status).toBe(200)
      expect([await isOpen(first), await isOpen(second)]).toEqual([true, false])
      expect(
        (await reportLogout(signAs(twoProviders.provider, claimsOfFirst({ [claim]: `both-${claim}` })))).status,
      ).toBe(200)
      expect(await isOpen(first)).toBe(false)
    })

    test('a provider cannot end sessions of the other, or use up its token ids', async () => {
      const { first, second } = await signInAtBoth('foreign')
      const forgeries = [
        signAs(partner, claimsOfFirst({ sub: 'foreign' })),
        signAs(twoProviders.provider, claimsOfPartner({ sub: 'foreign' })),
        signAs(partner, claimsOfPartner({ sub: 'foreign', aud: clientId })),
        signAs(twoProviders.provider, claimsOfFirst({ sub: 'foreign', aud: 'partner-client' })),
      ]
      for (const forgery of forgeries) expect((await reportLogout(forgery)).status).toBe(400)
      expect([await isOpen(first), await isOpen(second)]).toEqual([true, true])
      const jti = 'chosen by both'
      expect((await reportLogout(signAs(partner, claimsOfPartner({ sub: 'foreign', jti })))).status).toBe(200)
      expect((await reportLogout(signAs(twoProviders.provider, claimsOfFirst({ sub: 'foreign', jti })))).status).toBe(
        200,
      )
      expect([await isOpen(first), await isOpen(second)]).toEqual([false, false])
    })
  })

  const now = () => Math.floor(auth.clock.now() / 1_000)
  test.each<[string, (valid: Record<string, unknown>) => string]>([
    ['the signature of another key', valid => sign(valid, createKey('k'))],
    ['a symmetric signature', valid => jwt.sign(valid, 'secret', { algorithm: 'HS256', keyid: 'k' })],
    ['no signature', valid => jwt.sign(valid, '', { algorithm: 'none' })],
    ['another issuer', valid => sign({ ...valid, iss: 'https://evil.example' })],
    ['another audience', valid => sign({ ...valid, aud: 'another-client' })],
    ['another audience besides', valid => sign({ ...valid, aud: [clientId, 'another-client'] })],
    ['no audience', valid => sign({ ...valid, aud: undefined })],
    ['no issuer', valid => sign({ ...valid, iss: undefined })],
    ['no expiry', valid => sign({ ...valid, exp: undefined })],
    ['no time', valid => sign({ ...valid, iat: undefined })],
    ['an empty nonce', valid => sign({ ...valid, nonce: '' })],
    ['a nonce, as an ID token has', valid => sign({ ...valid, nonce: 'n' })],
    ['no event', valid => sign({ ...valid, events: {} })],
    ['another event', valid => sign({ ...valid, events: { 'https://example.org/other': {} } })],
    ['no id', valid => sign({ ...valid, jti: undefined })],
    ['neither session nor account', valid => sign({ ...valid, sid: undefined })],
    ['a session that is no text', valid => sign({ ...valid, sid: { $gt: '' } })],
    ['too great an age', valid => sign({ ...valid, iat: now() - 7 * 60, exp: now() + 60 })],
    ['a time in the future', valid => sign({ ...valid, iat: now() + 5 * 60, exp: now() + 600 })],
    ['an expiry in the past', valid => sign({ ...valid, exp: now() - 120 })],
    ['the type of an access token', valid => sign(valid, undefined, { typ: 'at+jwt' })],
    ['a general type', valid => sign(valid, undefined, { typ: 'JWT' })],
    ['no type', valid => sign(valid, undefined, {})],
    ['text that is no token', () => 'nothing'],
    ['nothing', () => ''],
  ])('refuses a token with %s', async (_name, makeToken) => {
    const session = await signIn({ sid: `kept-${tokens}` })
    const valid = claimsOf({ sid: `kept-${tokens}` })
    const answer = await report(makeToken(Object.fromEntries(Object.entries(valid))))
    expect(answer).toMatchObject({ status: 400, json: { code: 'invalid_logout_token' } })
    expect(await isOpen(session)).toBe(true)
  })

  test('accepts a token without a type where the operator wants it so, and no other type', async () => {
    const older = await startAuthWithProvider({}, { world: auth.world, oidcUntypedLogout: true })
    try {
      const statusOf = async (header: { typ?: string }, changes: { exp?: undefined } = {}) => {
        const claims = { ...claimsOf({ iss: older.provider.issuer, sub: 'stranger' }), ...changes }
        const token = sign(claims, older.provider.state.published, header)
        const form = new URLSearchParams({ logout_token: token }).toString()
        const headers = { 'content-type': 'application/x-www-form-urlencoded' }
        return (await older.auth.anonymous.post('/auth/backchannel-logout', form, headers)).status
      }
      expect(await statusOf({ typ: 'JWT' })).toBe(200)
      expect(await statusOf({})).toBe(200)
      expect(await statusOf({ typ: 'application/logout+jwt' })).toBe(200)
      expect(await statusOf({ typ: 'at+jwt' })).toBe(400)
      expect(await statusOf({ typ: 'JWT' }, { exp: undefined })).toBe(200)
    } finally {
      await older.auth.service.stop()
      await older.provider.stop()
    }
  })

  test('accepts only a form', async () => {
    const logout_token = sign(claimsOf({ sub: 'stranger' }))
    expect((await auth.anonymous.post('/auth/backchannel-logout', { logout_token })).status).toBe(400)
    const form = `logout_token=${'x'.repeat(100_000)}`
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await auth.anonymous.post('/auth/backchannel-logout', form, headers)).status).toBe(413)
  })
})
