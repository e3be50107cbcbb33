import { createHash, generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { createTestWorld, eventually } from '@watchline/testing/harness'
import { type AuthWorld, startAuth } from './_util.ts'

let auth: AuthWorld
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.stop())

const formOf = (fields: Record<string, string>) => ({
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: String(new URLSearchParams(fields)),
})

const readProfileUrl = (location: string | undefined) => {
  const url = new URL(location ?? '')
  return {
    path: url.pathname,
    error: url.searchParams.get('error'),
    description: url.searchParams.get('error_description'),
  }
}

describe('signing in', () => {
  test('the first sign-in creates a person with the role user and publishes one event', async () => {
    const answer = await auth.openBrowser().signIn('Trainee.One@Example.org')
    expect(answer.status).toBe(200)
    expect(answer.json.user).toMatchObject({ email: 'trainee.one@example.org', name: 'Trainee One', role: 'user' })
    const events = await auth.listEvents(answer.json.user.id)
    expect(events.map(event => event.type)).toEqual(['user.created'])
    expect(events[0]!.data).toMatchObject({ person: { id: answer.json.user.id, version: 1 }, by: null })
  })

  test('a later sign-in finds the same person and opens a new session', async () => {
    const first = await auth.openBrowser().signIn('again@example.org')
    const browser = auth.openBrowser()
    const second = await browser.signIn('again@example.org')
    expect(second.json.user.id).toBe(first.json.user.id)
    expect(await auth.database.collection('sessions').countDocuments({ person_id: first.json.user.id })).toBe(2)
    const profileAnswer = await auth.anonymous.get('/auth/profile', { authorization: `Bearer ${browser.token()}` })
    expect(profileAnswer.json).toMatchObject({ id: first.json.user.id, email: 'again@example.org' })
  })

  test('concurrent first sign-ins of one account create one person', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => auth.openBrowser().signIn('rush@example.org')))
    expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(answer => answer.json.user.id)).size).toBe(1)
    expect(await auth.database.collection('people').countDocuments({ email: 'rush@example.org' })).toBe(1)
    const created = (await auth.listEvents(answers[0]!.json.user.id)).filter(event => event.type === 'user.created')
    expect(created).toHaveLength(1)
  })

  test('a changed name at the provider changes the person and publishes an event', async () => {
    const before = await auth.openBrowser().signIn('renamed@example.org')
    const browser = auth.openBrowser()
    const { page, url } = await browser.follow('/api/auth/signin')
    expect(page?.status).toBe(200)
    const end = await browser.follow(url.href, {
      method: 'POST',
      ...formOf({ email: 'renamed@example.org', name: 'Trainee Two' }),
    })
    const sessionId = new URLSearchParams(end.url.hash.slice(1)).get('session_id')
    const after = await browser.post('/api/auth/login', { session_id: sessionId })
    expect(after.json.user).toMatchObject({ id: before.json.user.id, name: 'Trainee Two' })
    const events = await auth.listEvents(before.json.user.id)
    expect(events.map(event => event.type)).toEqual(['user.created', 'user.profile_changed'])
    expect(events[1]!.data).toMatchObject({ person: { name: 'Trainee Two', version: 2 } })
  })

  test('login_hint signs in its account, also after another one', async () => {
    const browser = auth.openBrowser()
    await browser.signIn('first@example.org')
    const answer = await browser.signIn('second@example.org')
    expect(answer.json.user.email).toBe('second@example.org')
  })

  test('a sign-in that is under way when the process stops completes', async () => {
    const stopping = await startAuth()
    const browser = stopping.openBrowser()
    let address = '/api/auth/signin?login_hint=late@example.org'
    while (!new URL(address, stopping.config.publicUrl).pathname.endsWith('/callback'))
      address = (await browser.visit(address)).location!
    const { pathname, search, host } = new URL(address)
    const { hostname, port } = new URL(stopping.url)
    const socket = connect(Number(port), hostname)
    await once(socket, 'connect')
    const head = `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n`
    await new Promise(resolve => socket.write(head, resolve))
    // Answered on another connection, so the service has read what came before it.
    await browser.visit('/healthz')
    const stopped = stopping.stop()
    await eventually(async () => {
      const isRefused = await fetch(stopping.url).then(
        () => false,
        () => true,
      )
      expect(isRefused).toBe(true)
    })
    socket.write(`cookie: ${browser.cookiesFor(pathname)}\r\nconnection: close\r\n\r\n`)
    expect(await text(socket)).toMatch(/^location: .*#session_id=/im)
    await stopped
  })

  test('without login_hint the page appears every time', async () => {
    const browser = auth.openBrowser()
    await browser.signIn('first@example.org')
    const { page, url } = await browser.follow('/api/auth/signin')
    expect(url.pathname).toMatch(/^\/oidc\/interaction\//)
    expect(page?.text).toContain('Choose an account')
    expect(page?.text).toContain('first@example.org')
  })

  test('sign-ins in two tabs both succeed', async () => {
    const browser = auth.openBrowser()
    const first = await browser.beginSignIn('tab1@example.org')
    const second = await browser.beginSignIn('tab2@example.org')
    expect((await browser.post('/api/auth/login', { session_id: first })).json.user.email).toBe('tab1@example.org')
    expect((await browser.post('/api/auth/login', { session_id: second })).json.user.email).toBe('tab2@example.org')
  })

  test('the options name the provider', async () => {
    const answer = await auth.anonymous.get('/auth/options')
    expect(answer.json).toEqual({
      provider: 'the development provider',
      providers: [{ id: 'default', name: 'the development provider' }],
      development: true,
      setup_token_required: false,
    })
  })
})

describe('the session_id', () => {
  const refused = { status: 401, json: { code: 'invalid_session_id' } }

  test('opens one session, and is refused the second time', async () => {
    const browser = auth.openBrowser()
    const jar = browser.jar
    const sessionId = await browser.beginSignIn('once@example.org')
    const cookies = new Map(jar)
    expect((await browser.post('/api/auth/login', { session_id: sessionId })).status).toBe(200)
    for (const [name, cookie] of cookies) jar.set(name, cookie)
    expect(await browser.post('/api/auth/login', { session_id: sessionId })).toMatchObject(refused)
  })

  test('is valid for 60 seconds', async () => {
    const late = auth.openBrowser()
    const inTime = auth.openBrowser()
    const lateSessionId = await late.beginSignIn('late@example.org')
    auth.clock.advance(1)
    const inTimeSessionId = await inTime.beginSignIn('late@example.org')
    auth.clock.advance(limits.sessionIdTtlMs - 1)
    expect(await late.post('/api/auth/login', { session_id: lateSessionId })).toMatchObject(refused)
    expect((await inTime.post('/api/auth/login', { session_id: inTimeSessionId })).status).toBe(200)
  })

  test('works only in the browser that began the sign-in', async () => {
    const browser = auth.openBrowser()
    const sessionId = await browser.beginSignIn('bound@example.org')
    expect(await auth.anonymous.post('/auth/login', { session_id: sessionId })).toMatchObject(refused)
    expect((await browser.post('/api/auth/login', { session_id: sessionId })).status).toBe(200)
  })

  test('is stored as a hash only', async () => {
    const browser = auth.openBrowser()
    const sessionId = await browser.beginSignIn('hashed@example.org')
    const codes = await auth.database.collection('sign_in_codes').find().toArray()
    expect(codes.length).toBeGreaterThan(0)
    expect(JSON.stringify(codes)).not.toContain(sessionId)
  })

  test.each([
    ['unknown', { session_id: 'made-up' }, 401],
    ['an object', { session_id: { $gt: '' } }, 422],
    ['missing', {}, 422],
    ['empty', { session_id: '' }, 422],
    ['far too long', { session_id: 'x'.repeat(5_000) }, 422],
  ])('%s is refused', async (_name, body, status) => {
    expect((await auth.anonymous.post('/auth/login', body)).status).toBe(status)
  })
})

describe('the callback', () => {
  test.each([
    ['no state', ''],
    ['an unknown state', '?code=x&state=made-up'],
    ['a repeated state', '?code=x&state=a&state=b'],
    ['an error without a state', '?error=access_denied'],
  ])('with %s is answered as an expired sign-in', async (_name, query) => {
    const { status, location } = await auth.openBrowser().visit(`/api/auth/callback${query}`)
    expect(status).toBe(302)
    expect(readProfileUrl(location)).toMatchObject({ path: '/profile', error: 'invalid_state' })
  })

  async function leaveForProvider() {
    const browser = auth.openBrowser()
    const { location } = await browser.visit('/api/auth/signin')
    return { browser, state: new URL(location!).searchParams.get('state')! }
  }

  test('refuses the state of another browser', async () => {
    const { state } = await leaveForProvider()
    const second = await leaveForProvider()
    const { location } = await second.browser.visit(`/api/auth/callback?code=x&state=${state}`)
    expect(readProfileUrl(location).error).toBe('invalid_state')
  })

  test('refuses a forged cookie', async () => {
    const { browser, state } = await leaveForProvider()
    for (const [name, cookie] of browser.jar)
      if (name.startsWith('watchline_signin_')) browser.jar.set(name, { ...cookie, value: `e30${cookie.value}` })
    const { location } = await browser.visit(`/api/auth/callback?code=x&state=${state}`)
    expect(readProfileUrl(location).error).toBe('invalid_state')
  })

  test('refuses a sign-in that began too long ago', async () => {
    const { browser, state } = await leaveForProvider()
    auth.clock.advance(10 * 60_000)
    const { location } = await browser.visit(`/api/auth/callback?code=x&state=${state}`)
    expect(readProfileUrl(location).error).toBe('invalid_state')
  })

  test('passes on the provider’s error and its description', async () => {
    const { browser, state } = await leaveForProvider()
    const query = new URLSearchParams({
      state,
      iss: `${auth.config.publicUrl}/oidc`,
      error: 'access_denied',
      error_description: 'The person said\r\nno <script>',
    })
    const { location, status } = await browser.visit(`/api/auth/callback?${query}`)
    expect(status).toBe(302)
    expect(readProfileUrl(location)).toMatchObject({
      error: 'access_denied',
      description: 'The person said no <script>',
    })
    expect(new URL(location!).origin).toBe(auth.config.publicUrl)
  })

  test('proves the description to the page of this browser, for a minute', async () => {
    const nothing = { error: null, description: null }
    const readFailure = async (visitor = auth.openBrowser()) =>
      JSON.parse((await visitor.visit('/api/auth/failure')).text)
    expect(await readFailure()).toEqual(nothing)
    const { browser, state } = await leaveForProvider()
    const iss = `${auth.config.publicUrl}/oidc`
    const answer = new URLSearchParams({ state, iss, error: 'access_denied', error_description: 'The person said no' })
    await browser.visit(`/api/auth/callback?${answer}`)
    expect(await readFailure(browser)).toEqual({ error: 'access_denied', description: 'The person said no' })
    expect(await readFailure()).toEqual(nothing)

    const [name, cookie] = [...browser.jar].find(([key]) => key === 'watchline_failure')!
    const forged = Buffer.from(JSON.stringify({ error: 'x', description: 'Call us', failedAt: auth.clock.now() }))
    browser.jar.set(name, { ...cookie, value: `${forged.toString('base64url')}.${cookie.value.split('.')[1]}` })
    expect(await readFailure(browser)).toEqual(nothing)
    browser.jar.set(name, cookie)
    auth.clock.advance(60_000)
    expect(await readFailure(browser)).toEqual(nothing)
  })

  test('a code unknown to the provider fails the sign-in and creates no person', async () => {
    const before = await auth.database.collection('people').countDocuments()
    const { browser, state } = await leaveForProvider()
    const query = new URLSearchParams({ state, code: 'made-up', iss: `${auth.config.publicUrl}/oidc` })
    const { location } = await browser.visit(`/api/auth/callback?${query}`)
    expect(readProfileUrl(location).error).toBe('sign_in_failed')
    expect(await auth.database.collection('people').countDocuments()).toBe(before)
  })

  test('a browser has a limited number of cookies of unfinished sign-ins', async () => {
    const browser = auth.openBrowser()
    for (let count = 0; count < 12; count += 1) await browser.visit('/api/auth/signin')
    const pending = [...browser.jar.keys()].filter(name => name.startsWith('watchline_signin_'))
    expect(pending.length).toBeLessThanOrEqual(6)
  })
})

describe('the page of the development provider', () => {
  test('lists accounts with their roles, escapes names, and has no script', async () => {
    await auth.addPerson('manager', { name: '<img src=x onerror=alert(1)>', email: 'evil@example.org' })
    const { page } = await auth.openBrowser().follow('/api/auth/signin')
    expect(page!.text).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(page!.text).not.toContain('<img')
    expect(page!.text).not.toContain('<script')
    expect(page!.text).toContain('<span class="role">manager</span>')
  })

  test('offers a search when there are many accounts', async () => {
    for (let index = 0; index < 14; index += 1) await auth.addPerson('user', { name: `Crowd ${index}` })
    const browser = auth.openBrowser()
    const { page, url } = await browser.follow('/api/auth/signin')
    expect(page!.text).toContain('Find an account')
    const searchPage = await browser.visit(`${url.pathname}?q=${encodeURIComponent('CROWD 13')}`)
    expect(searchPage.text).toContain('Crowd 13')
    expect(searchPage.text).not.toContain('Crowd 12')
  })

  test('refuses an invalid address with a message', async () => {
    const browser = auth.openBrowser()
    const { url } = await browser.follow('/api/auth/signin')
    const answer = await browser.visit(url.href, { method: 'POST', ...formOf({ email: 'nobody' }) })
    expect(answer.status).toBe(422)
    expect(answer.text).toContain('This is not an email address.')
  })

  test('refuses another browser’s choice without a stack trace', async () => {
    const { url } = await auth.openBrowser().follow('/api/auth/signin')
    const answer = await auth.openBrowser().visit(url.href)
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Sign-in did not work')
    expect(answer.text).not.toMatch(/node_modules|at .*\.js/)
  })

  test('refuses a code that was used already', async () => {
    const browser = auth.openBrowser()
    const redirect_uri = `${auth.config.publicUrl}/api/auth/callback`
    const code_verifier = 'v'.repeat(43)
    const query = new URLSearchParams({
      ...{ client_id: 'watchline', response_type: 'code', scope: 'openid email', redirect_uri },
      ...{ login_hint: 'used-code@example.org', code_challenge_method: 'S256' },
      code_challenge: createHash('sha256').update(code_verifier).digest('base64url'),
    })
    let address = `/oidc/auth?${query}`
    while (!address.includes('?code=')) address = (await browser.visit(address)).location!
    const code = new URL(address).searchParams.get('code')!
    const grant_type = 'authorization_code'
    const exchange = formOf({ grant_type, client_id: 'watchline', code, code_verifier, redirect_uri })
    expect((await browser.visit('/oidc/token', { method: 'POST', ...exchange })).status).toBe(200)
    const again = await browser.visit('/oidc/token', { method: 'POST', ...exchange })
    expect(again.status).toBe(400)
    expect(JSON.parse(again.text)).toMatchObject({ error: 'invalid_grant' })
  })

  test('signs with the RSA key that an older version has stored', async () => {
    const world = await createTestWorld()
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const jwk = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'older' }
    const keys = world.database('auth').collection<{ _id: string; jwk: object }>('development_keys')
    await keys.insertOne({ _id: 'signing', jwk })
    const older = await startAuth({}, { world })
    try {
      const published = JSON.parse((await older.openBrowser().visit('/oidc/jwks')).text)
      expect(published.keys).toMatchObject([{ kid: 'older', alg: 'RS256' }])
      expect((await older.openBrowser().signIn('older@example.org')).status).toBe(200)
    } finally {
      await older.stop()
    }
  })
})
