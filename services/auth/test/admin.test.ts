import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { createLogger } from '@watchline/kit/observability/log'
import { type AuthWorld, rootAdmin, startAuth } from './_util.ts'

let auth: AuthWorld
beforeEach(async () => {
  auth = await startAuth()
})
afterEach(() => auth.stop())

const countAdmins = () => auth.database.collection('people').countDocuments({ role: 'admin' })

describe('setup', () => {
  test('creates the administrator and publishes an event; the password appears nowhere', async () => {
    const answer = await auth.anonymous.post('/admin/setup', { ...rootAdmin, email: ' Root@Example.org ' })
    expect(answer).toMatchObject({
      status: 200,
      json: { success: true, admin: { name: 'First Admin', email: 'root@example.org', role: 'admin' } },
    })
    const events = await auth.listEvents(answer.json.admin.id)
    expect(events.map(event => event.type)).toEqual(['user.created'])
    const stored = await auth.database.collection('credentials').find().toArray()
    expect(stored[0]).toMatchObject({
      email: 'root@example.org',
      password_hash: expect.stringMatching(/^\$argon2id\$/),
    })
    expect(JSON.stringify([stored, events, answer.json])).not.toContain(rootAdmin.password)
  })

  test.each([
    ['nothing', undefined],
    ['an empty body', {}],
    ['a valid body', rootAdmin],
    ['no JSON', '{"name":'],
    ['an array', []],
  ])('%s is answered 400 when an administrator exists', async (_name, body) => {
    await auth.anonymous.post('/admin/setup', rootAdmin)
    const answer = await auth.anonymous.post('/admin/setup', body)
    expect(answer).toMatchObject({ status: 400, json: { detail: 'Admin already exists', code: 'admin_exists' } })
    expect(await countAdmins()).toBe(1)
  })

  test.each([
    ['a short password', { ...rootAdmin, password: 'seven77' }, 'Password must be at least 8 characters long'],
    [
      'a very common password',
      { ...rootAdmin, password: 'Password1' },
      'Password is one of the most common ones. Please choose another.',
    ],
    [
      'a password made of the own name',
      { ...rootAdmin, password: 'admin-first-1' },
      'Password must have at least 8 letters or digits besides your name, your email address and “watchline”',
    ],
    ['no name', { ...rootAdmin, name: '  ' }, 'name is required'],
    ['no email', { ...rootAdmin, email: 'nobody' }, 'email is not an email address'],
    ['everything missing', {}, expect.stringContaining('name')],
    ['nothing at all', undefined, expect.stringContaining('name')],
    ['an object for a string', { ...rootAdmin, email: { $gt: '' } }, expect.stringContaining('email')],
  ])('%s is refused and creates nothing', async (_name, body, detail) => {
    const answer = await auth.anonymous.post('/admin/setup', body)
    expect(answer).toMatchObject({ status: 422, json: { code: 'invalid', detail } })
    expect(answer.json.errors.length).toBeGreaterThan(0)
    expect(await countAdmins()).toBe(0)
    expect(await auth.database.collection('credentials').countDocuments()).toBe(0)
  })

  test('one of several concurrent setups succeeds', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(index =>
        auth.anonymous.post('/admin/setup', { ...rootAdmin, email: `a${index}@example.org` }),
      ),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 400, 400, 400, 400])
    expect(await countAdmins()).toBe(1)
    expect(await auth.database.collection('credentials').countDocuments()).toBe(1)
    expect((await auth.listEvents()).filter(event => event.type === 'user.created')).toHaveLength(1)
  })

  test('a setup token is required, and the options say so', async () => {
    const guarded = await startAuth({ adminSetupToken: 'open sesame' })
    try {
      expect((await guarded.anonymous.get('/auth/options')).json.setup_token_required).toBe(true)
      const attempts: Record<string, string>[] = [{}, { 'x-setup-token': 'open barley' }]
      for (const headers of attempts)
        expect((await guarded.anonymous.post('/admin/setup', rootAdmin, headers)).json).toMatchObject({
          code: 'setup_token',
        })
      const token = { 'x-setup-token': 'open sesame' }
      expect((await guarded.anonymous.post('/admin/setup', {}, token)).status).toBe(422)
      expect((await guarded.anonymous.post('/admin/setup', rootAdmin, token)).status).toBe(200)
      expect((await guarded.anonymous.post('/admin/setup', {})).json.code).toBe('admin_exists')
    } finally {
      await guarded.stop()
    }
  })

  test('on a machine of its own a token is required only through a proxy, and the first such call logs it', async () => {
    const lines: string[] = []
    const log = createLogger('auth', 'silent', { write: line => lines.push(line) })
    const own = await startAuth(
      { publicUrl: 'http://localhost:8080' },
      { world: { ...auth.world, ports: { ...auth.world.ports, log } } },
    )
    const through = { via: '1.1 proxy' }
    try {
      expect((await own.anonymous.get('/auth/options')).json.setup_token_required).toBe(false)
      expect((await own.anonymous.get('/auth/options', through)).json.setup_token_required).toBe(true)
      expect(lines).toEqual([])
      for (let call = 0; call < 3; call++)
        expect((await own.anonymous.post('/admin/setup', rootAdmin, through)).json.code).toBe('setup_token')
      expect(lines).toHaveLength(1)
      const token = { 'x-setup-token': JSON.parse(lines[0]!).setup_token }
      expect((await own.anonymous.post('/admin/setup', {}, { ...through, ...token })).status).toBe(422)
      expect((await own.anonymous.post('/admin/setup', rootAdmin)).status).toBe(200)
    } finally {
      await own.service.stop()
    }
  })

  test('guesses of a setup token are counted, and calls without one are not', async () => {
    const guarded = await startAuth({ adminSetupToken: 'open sesame' })
    const setUp = (token?: string) =>
      guarded.anonymous.post('/admin/setup', {}, token === undefined ? {} : { 'x-setup-token': token })
    try {
      for (let guess = 0; guess < limits.loginFreeAttempts; guess++) {
        expect((await setUp(`guess ${guess}`)).json.code).toBe('setup_token')
        expect((await setUp()).json.code).toBe('setup_token')
      }
      const refused = await setUp('open sesame')
      expect(refused.json.code).toBe('too_many')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    } finally {
      await guarded.stop()
    }
  })

  test.each([
    ['where others reach the page', { publicUrl: 'https://training.example' }, 'warn'],
    ['in production, also at an address of this machine', { nodeEnv: 'production' as const }, 'error'],
    ['also with a silent log', { publicUrl: 'https://training.example' }, 'silent'],
  ])('%s a generated setup token is required and logged', async (_where, exposure, level) => {
    const provider = { oidcIssuer: 'https://idp.example', oidcClientId: 'watchline' }
    const settings = { ...provider, ...exposure }
    const lines: string[] = []
    const log = createLogger('auth', level, { write: line => lines.push(line) })
    const world = { ...auth.world, ports: { ...auth.world.ports, log } }
    const exposed = await startAuth(settings, { world })
    const replica = await startAuth(settings, { world: auth.world })
    try {
      expect((await exposed.anonymous.get('/auth/options')).json.setup_token_required).toBe(true)
      expect((await exposed.anonymous.post('/admin/setup', rootAdmin)).json.code).toBe('setup_token')
      const { setup_token: token } = lines.map(line => JSON.parse(line)).find(line => line.setup_token)
      expect(token).toMatch(/^[\da-f]{32}$/)
      const answer = await replica.anonymous.post('/admin/setup', rootAdmin, { 'x-setup-token': token })
      expect(answer.status).toBe(200)
    } finally {
      await exposed.service.stop()
      await replica.service.stop()
    }
  })
})

describe('login', () => {
  const login = (body: unknown, headers?: Record<string, string>) => auth.anonymous.post('/admin/login', body, headers)
  const correct = { email: rootAdmin.email, password: rootAdmin.password }
  const incorrect = { email: rootAdmin.email, password: 'not the password' }
  beforeEach(() => auth.anonymous.post('/admin/setup', rootAdmin))

  test('opens the same session as a sign-in', async () => {
    const browser = auth.openBrowser()
    const answer = await browser.post('/api/admin/login', { ...correct, email: 'ROOT@example.org ' })
    expect(answer).toMatchObject({ status: 200, json: { success: true, admin: { email: 'root@example.org' } } })
    const bearer = { authorization: `Bearer ${browser.token()}` }
    expect((await auth.anonymous.get('/admin/profile', bearer)).json).toMatchObject({
      name: 'First Admin',
      role: 'admin',
    })
    expect((await auth.anonymous.get('/auth/profile', bearer)).json).toMatchObject({ role: 'admin' })
    expect((await browser.post('/api/auth/refresh', {})).status).toBe(200)
    expect((await auth.listEvents()).map(event => event.type)).toContain('session.started')
  })

  test('an unknown email address and a wrong password get the same answer after the same work', async () => {
    await login(incorrect)
    const before = auth.hashes.verified
    const knownAnswer = await login(incorrect)
    expect(auth.hashes.verified - before).toBe(1)
    const unknownAnswer = await login({ ...incorrect, email: 'nobody@example.org' })
    expect(auth.hashes.verified - before).toBe(2)
    for (const answer of [knownAnswer, unknownAnswer])
      expect(answer).toMatchObject({
        status: 401,
        json: { code: 'invalid_credentials', detail: 'Invalid email or password' },
      })
    expect(knownAnswer.headers.getSetCookie()).toEqual([])
  })

  test('the dummy hash of an unknown account accepts no password', async () => {
    await auth.database.collection('credentials').deleteMany({})
    expect((await login(correct)).status).toBe(401)
  })

  test.each([
    ['empty', {}],
    ['without a password', { email: rootAdmin.email }],
    ['with an empty password', { ...correct, password: '' }],
    ['with objects', { email: { $gt: '' }, password: { $gt: '' } }],
    ['with a password too long', { ...correct, password: 'x'.repeat(10_000) }],
  ])('a body %s is refused before any hashing', async (_name, body) => {
    const before = auth.hashes.verified
    expect((await login(body)).status).toBe(422)
    expect(auth.hashes.verified).toBe(before)
  })
})

describe('changing the password', () => {
  const nextPassword = 'another horse 10'
  const login = (password: string) => auth.anonymous.post('/admin/login', { email: rootAdmin.email, password })
  const body = (current = rootAdmin.password, newPassword: unknown = nextPassword) => ({
    current_password: current,
    new_password: newPassword,
  })
  async function signIn(password = rootAdmin.password) {
    const browser = auth.openBrowser()
    expect((await browser.post('/api/admin/login', { email: rootAdmin.email, password })).status).toBe(200)
    return {
      change: (input: unknown, headers: Record<string, string> = {}) =>
        browser.post('/api/admin/password', input, { authorization: `Bearer ${browser.token()}`, ...headers }),
      login: (guess: string) => browser.post('/api/admin/login', { email: rootAdmin.email, password: guess }),
      isAlive: async () => (await browser.post('/api/auth/refresh', {})).status === 200,
    }
  }
  const listAuditEntries = () => auth.database.collection('audit').find({ action: 'password_changed' }).toArray()
  const storedHash = async () => (await auth.database.collection('credentials').findOne())!.password_hash
  beforeEach(() => auth.anonymous.post('/admin/setup', rootAdmin))

  test('replaces the old one, ends the other sessions at once and keeps this one', async () => {
    const [here, second, third] = [await signIn(), await signIn(), await signIn()]
    expect(await here.change(body())).toMatchObject({ status: 200, json: { success: true } })
    expect((await login(rootAdmin.password)).status).toBe(401)
    expect((await login(nextPassword)).status).toBe(200)
    expect([await here.isAlive(), await second.isAlive(), await third.isAlive()]).toEqual([true, false, false])

    const revoked = (await auth.listEvents()).filter(event => event.type === 'session.revoked')
    expect(revoked.map(event => event.data.reason)).toEqual(['replaced', 'replaced'])
    for (const { subject } of revoked)
      expect(await auth.world.ports.live.revocations.has(subject, auth.clock.now())).toBe(true)
    const admin = await auth.database.collection('people').findOne({ role: 'admin' })
    const person = { id: String(admin!._id), name: 'First Admin' }
    expect(await listAuditEntries()).toMatchObject([
      { by: person, subject: person, before: {}, after: { ended_sessions: 2 } },
    ])
    expect(JSON.stringify([await listAuditEntries(), revoked])).not.toContain('argon2')
  })

  test('a wrong current password changes nothing and takes the same work', async () => {
    const [here, second] = [await signIn(), await signIn()]
    const [hash, before] = [await storedHash(), { ...auth.hashes }]
    expect(await here.change(body('not the password'))).toMatchObject({
      status: 401,
      json: { code: 'invalid_credentials', detail: 'The password is wrong' },
    })
    expect(auth.hashes).toEqual({ created: before.created, verified: before.verified + 1 })
    expect(await storedHash()).toBe(hash)
    expect(await second.isAlive()).toBe(true)
    expect(await listAuditEntries()).toEqual([])
  })

  test.each([
    ['a short new one', body(undefined, 'seven77'), 'Password must be at least 8 characters long'],
    ['a new one too long', body(undefined, 'x'.repeat(201)), 'Password must be at most 200 characters long'],
    ['no new one', body(undefined, null), expect.stringContaining('new_password')],
    ['no current one', body('', nextPassword), expect.stringContaining('current_password')],
    [
      'an object',
      { current_password: { $gt: '' }, new_password: nextPassword },
      expect.stringContaining('current_password'),
    ],
  ])('%s is refused before any hashing', async (_name, input, detail) => {
    const here = await signIn()
    const before = { ...auth.hashes }
    expect(await here.change(input)).toMatchObject({ status: 422, json: { code: 'invalid', detail } })
    expect(auth.hashes).toEqual(before)
    expect((await login(rootAdmin.password)).status).toBe(200)
  })

  test('wrong current passwords and failed logins count together', async () => {
    const here = await signIn()
    for (let count = 0; count < limits.loginFreeAttempts; count += 1) {
      const wrong = count % 2 ? await here.change(body('guess')) : await here.login('guess')
      expect(wrong.status).toBe(401)
    }
    const answer = await here.change(body())
    expect(answer).toMatchObject({ status: 429, json: { code: 'too_many' } })
    expect(answer.headers.get('retry-after')).toBe(String(limits.loginFirstWaitMs / 1_000))
    expect((await here.login(rootAdmin.password)).status).toBe(429)
    auth.clock.advance(limits.loginFirstWaitMs)
    expect((await here.change(body())).status).toBe(200)
  })

  test('a successful change resets the attempts', async () => {
    const here = await signIn()
    let password = rootAdmin.password
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < limits.loginFreeAttempts - 1; count += 1) await here.change(body('guess'))
      const newPassword = `password of round ${round}`
      expect((await here.change(body(password, newPassword))).status).toBe(200)
      password = newPassword
    }
  })

  test.each([
    ['a very common one', 'Iloveyou1', /most common/],
    ['the name of the product with digits', 'WatchLine123', /besides your name, your email address/],
    ['the own address', 'Root@Example.org', /besides your name, your email address/],
    ['a common one behind the own name', 'first-12345678', /most common/],
  ])('%s is refused', async (_name, newPassword, detail) => {
    const here = await signIn()
    const answer = await here.change(body(undefined, newPassword))
    expect(answer).toMatchObject({
      status: 422,
      json: { code: 'invalid', detail: expect.stringMatching(detail), errors: [{ path: 'new_password' }] },
    })
    expect((await login(rootAdmin.password)).status).toBe(200)
  })

  test('one of two concurrent changes succeeds', async () => {
    const here = await signIn()
    const newPasswords = ['number one of two', 'number two of two']
    const answers = await Promise.all(
      newPasswords.map(newPassword => here.change(body(rootAdmin.password, newPassword))),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 401])
    const logins = await Promise.all(newPasswords.map(login))
    expect(logins.map(answer => answer.status)).toEqual(answers.map(answer => answer.status))
    expect(await listAuditEntries()).toHaveLength(1)
  })

  test('a concurrent login with the old password opens no session', async () => {
    const here = await signIn()
    const { counters } = auth.world.ports.live
    const clear = counters.clear
    // The login has verified the old password and waits before it opens a session.
    const [verified, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    counters.clear = async key => {
      verified.resolve()
      await released.promise
      await clear(key)
    }
    try {
      const oldLogin = login(rootAdmin.password)
      await verified.promise
      counters.clear = clear
      expect((await here.change(body())).status).toBe(200)
      released.resolve()
      expect(await oldLogin).toMatchObject({ status: 401, json: { code: 'invalid_credentials' } })
      expect((await auth.database.collection('sessions').find({ ended_at: null }).toArray()).length).toBe(1)
    } finally {
      counters.clear = clear
      released.resolve()
    }
  })

  test('an administrator without a password cannot change one', async () => {
    const secondAdmin = auth.callAs(await auth.addPerson('admin'))
    expect(await secondAdmin.post('/admin/password', body())).toMatchObject({
      status: 409,
      json: { code: 'conflict' },
    })
  })
})

test('only administrators can read the administrator’s profile', async () => {
  expect((await auth.anonymous.get('/admin/profile')).status).toBe(401)
  for (const role of ['user', 'supervisor', 'manager', 'director'] as const)
    expect((await auth.callAs(await auth.addPerson(role)).get('/admin/profile')).status).toBe(403)
})
