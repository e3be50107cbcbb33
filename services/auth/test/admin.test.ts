import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { LiveStoreUnavailable } from '@watchline/kit/live-store'
import { type AuthWorld, rootAdmin, startAuth } from './_util.ts'

let auth: AuthWorld
beforeEach(async () => {
  auth = await startAuth()
})
afterEach(() => auth.stop())

const admins = () => auth.database.collection('people').countDocuments({ role: 'admin' })

describe('setup', () => {
  test('creates the administrator, with an event and no password in sight', async () => {
    const answer = await auth.anyone.post('/admin/setup', { ...rootAdmin, email: ' Root@Example.org ' })
    expect(answer).toMatchObject({
      status: 200,
      json: { success: true, admin: { name: 'First Admin', email: 'root@example.org', role: 'admin' } },
    })
    const events = await auth.events(answer.json.admin.id)
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
    ['a good body', rootAdmin],
    ['no JSON', '{"name":'],
    ['an array', []],
  ])('with an administrator %s is answered 400', async (_name, body) => {
    await auth.anyone.post('/admin/setup', rootAdmin)
    const answer = await auth.anyone.post('/admin/setup', body)
    expect(answer).toMatchObject({ status: 400, json: { detail: 'Admin already exists', code: 'admin_exists' } })
    expect(await admins()).toBe(1)
  })

  test.each([
    ['a short password', { ...rootAdmin, password: 'seven77' }, 'Password must be at least 8 characters long'],
    ['no name', { ...rootAdmin, name: '  ' }, 'name is required'],
    ['no e-mail', { ...rootAdmin, email: 'nobody' }, 'email is not an e-mail address'],
    ['everything missing', {}, expect.stringContaining('name')],
    ['nothing at all', undefined, expect.stringContaining('name')],
    ['an object for a string', { ...rootAdmin, email: { $gt: '' } }, expect.stringContaining('email')],
  ])('%s is told and creates nothing', async (_name, body, detail) => {
    const answer = await auth.anyone.post('/admin/setup', body)
    expect(answer).toMatchObject({ status: 422, json: { code: 'invalid', detail } })
    expect(answer.json.errors.length).toBeGreaterThan(0)
    expect(await admins()).toBe(0)
    expect(await auth.database.collection('credentials').countDocuments()).toBe(0)
  })

  test('of several at once one succeeds', async () => {
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(index => auth.anyone.post('/admin/setup', { ...rootAdmin, email: `a${index}@example.org` })),
    )
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 400, 400, 400, 400])
    expect(await admins()).toBe(1)
    expect(await auth.database.collection('credentials').countDocuments()).toBe(1)
    expect((await auth.events()).filter(event => event.type === 'user.created')).toHaveLength(1)
  })

  test('with a setup token needs it, and says so beforehand', async () => {
    const guarded = await startAuth({ adminSetupToken: 'open sesame' })
    try {
      expect((await guarded.anyone.get('/auth/options')).json.setup_token_required).toBe(true)
      const attempts: Record<string, string>[] = [{}, { 'x-setup-token': 'open barley' }]
      for (const headers of attempts)
        expect((await guarded.anyone.post('/admin/setup', rootAdmin, headers)).json).toMatchObject({
          code: 'setup_token',
        })
      const token = { 'x-setup-token': 'open sesame' }
      expect((await guarded.anyone.post('/admin/setup', {}, token)).status).toBe(422)
      expect((await guarded.anyone.post('/admin/setup', rootAdmin, token)).status).toBe(200)
      expect((await guarded.anyone.post('/admin/setup', {})).json.code).toBe('admin_exists')
    } finally {
      await guarded.stop()
    }
  })
})

describe('login', () => {
  const login = (body: unknown, headers?: Record<string, string>) => auth.anyone.post('/admin/login', body, headers)
  const right = { email: rootAdmin.email, password: rootAdmin.password }
  const wrong = { email: rootAdmin.email, password: 'not the password' }
  beforeEach(() => auth.anyone.post('/admin/setup', rootAdmin))

  test('opens a session as for anybody else', async () => {
    const browser = auth.browser()
    const answer = await browser.post('/api/admin/login', { ...right, email: 'ROOT@example.org ' })
    expect(answer).toMatchObject({ status: 200, json: { success: true, admin: { email: 'root@example.org' } } })
    const bearer = { authorization: `Bearer ${browser.token()}` }
    expect((await auth.anyone.get('/admin/profile', bearer)).json).toMatchObject({ name: 'First Admin', role: 'admin' })
    expect((await auth.anyone.get('/auth/profile', bearer)).json).toMatchObject({ role: 'admin' })
    expect((await browser.post('/api/auth/refresh', {})).status).toBe(200)
    expect((await auth.events()).map(event => event.type)).toContain('session.started')
  })

  test('an unknown e-mail and a wrong password get the same answer and the same work', async () => {
    await login(wrong)
    const before = auth.hashes.verified
    const known = await login(wrong)
    expect(auth.hashes.verified - before).toBe(1)
    const unknown = await login({ ...wrong, email: 'nobody@example.org' })
    expect(auth.hashes.verified - before).toBe(2)
    for (const answer of [known, unknown])
      expect(answer).toMatchObject({
        status: 401,
        json: { code: 'invalid_credentials', detail: 'Invalid email or password' },
      })
    expect(known.headers.getSetCookie()).toEqual([])
  })

  test('the stand-in for an unknown account opens nothing', async () => {
    await auth.database.collection('credentials').deleteMany({})
    expect((await login(right)).status).toBe(401)
  })

  test.each([
    ['empty', {}],
    ['without a password', { email: rootAdmin.email }],
    ['with an empty password', { ...right, password: '' }],
    ['with objects', { email: { $gt: '' }, password: { $gt: '' } }],
    ['with an endless password', { ...right, password: 'x'.repeat(10_000) }],
  ])('%s is refused before any work', async (_name, body) => {
    const before = auth.hashes.verified
    expect((await login(body)).status).toBe(422)
    expect(auth.hashes.verified).toBe(before)
  })

  test('ten tries at an account, then a pause; the right password too has to wait', async () => {
    for (let count = 0; count < limits.loginTriesPerAccount; count += 1)
      expect((await login(wrong, { 'x-forwarded-for': `10.0.0.${count}` })).status).toBe(401)
    auth.clock.advance(60_000)
    const answer = await login(right, { 'x-forwarded-for': '10.0.0.99' })
    expect(answer).toMatchObject({ status: 429, json: { code: 'too_many' } })
    expect(answer.headers.get('retry-after')).toBe(String(14 * 60))
    auth.clock.advance(14 * 60_000)
    expect((await login(right)).status).toBe(200)
  })

  test('success forgets the tries before it', async () => {
    for (let round = 0; round < 3; round += 1) {
      for (let count = 0; count < limits.loginTriesPerAccount - 1; count += 1) await login(wrong)
      expect((await login(right)).status).toBe(200)
    }
  })

  test('an address has fifty tries, whatever the accounts', async () => {
    const from = { 'x-forwarded-for': '10.1.2.3' }
    for (let count = 0; count < limits.loginTriesPerAddress; count += 1)
      await login({ email: `guess${count}@example.org`, password: 'guess' }, from)
    expect((await login({ email: 'another@example.org', password: 'guess' }, from)).status).toBe(429)
    expect((await login(wrong, { 'x-forwarded-for': '10.1.2.4' })).status).toBe(401)
  })

  test('without the live store nobody can guess: 503', async () => {
    const { counters } = auth.world.ports.live
    const hit = counters.hit
    counters.hit = () => Promise.reject(new LiveStoreUnavailable('away'))
    try {
      const answer = await login(right)
      expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } })
      expect(answer.headers.get('retry-after')).not.toBeNull()
    } finally {
      counters.hit = hit
    }
  })
})

test('the administrator’s profile is the administrator’s only', async () => {
  expect((await auth.anyone.get('/admin/profile')).status).toBe(401)
  for (const role of ['user', 'supervisor', 'manager', 'director'] as const)
    expect((await auth.as(await auth.person(role)).get('/admin/profile')).status).toBe(403)
})
