import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { TOTP } from 'otpauth'
import { createPasskey } from './_passkey.ts'
import { type AuthWorld, rootAdmin, startAuth } from './_util.ts'

const { email, password } = rootAdmin
const stepMs = 30_000

let auth: AuthWorld
let admin: { id: string }
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth?.stop())
beforeEach(async () => {
  for (const name of ['people', 'credentials', 'admin_seats', 'second_factors', 'recovery_codes', 'audit'])
    await auth.database.collection(name).deleteMany({})
  auth.clock.advance(limits.loginWaitForgottenMs)
  admin = (await auth.anonymous.post('/admin/setup', rootAdmin)).json.admin
})

type Browser = ReturnType<AuthWorld['openBrowser']>
const as = () => auth.callAs(admin, 'a-session')
const readState = async () => (await as().get('/admin/second-factors')).json
const begin = (kind: string, secret = password) => as().post('/admin/second-factors/begin', { kind, password: secret })
const codeAt = (secret: string, atMs = auth.clock.now()) => new TOTP({ secret }).generate({ timestamp: atMs })
const readAudit = async (action: string) => (await as().get(`/admin/audit?action=${action}`)).json

async function addTotp() {
  const { secret } = (await begin('totp')).json as { secret: string }
  const name = 'Phone'
  const { json } = await as().post('/admin/second-factors', { kind: 'totp', name, code: codeAt(secret) })
  // The code that proved the app is used up.
  auth.clock.advance(stepMs)
  return { secret, codes: json.recovery_codes as string[], id: json.factor.id as string }
}

async function addPasskey() {
  const passkey = createPasskey(auth.config.publicUrl)
  const { options } = (await begin('passkey')).json
  const response = passkey.register(options)
  const { json } = await as().post('/admin/second-factors', { kind: 'passkey', name: 'Laptop', response })
  return { passkey, codes: json.recovery_codes as string[], id: json.factor.id as string }
}

/** Gives the password in a new browser. */
async function enterPassword() {
  const browser = auth.openBrowser()
  return { browser, answer: await browser.post('/api/admin/login', { email, password }) }
}
const complete = (browser: Browser, body: unknown) => browser.post('/api/admin/login/second-factor', body)

describe('an authenticator app', () => {
  test('completes a sign-in after the password', async () => {
    const { secret, id } = await addTotp()
    const { browser, answer } = await enterPassword()
    expect(answer).toMatchObject({
      status: 401,
      json: { code: 'second_factor_required', second_factors: ['totp', 'recovery_code'] },
    })
    const [cookie] = answer.headers.getSetCookie()
    expect(cookie).toMatch(
      /^watchline_login_step=.*; Max-Age=300; Path=\/api\/admin\/login;.*HttpOnly; SameSite=Strict/,
    )
    expect(browser.token()).toBe('')
    const signedIn = await complete(browser, { kind: 'totp', code: codeAt(secret) })
    expect(signedIn).toMatchObject({ status: 200, json: { success: true, admin: { id: admin.id } } })
    const bearer = { authorization: `Bearer ${browser.token()}` }
    expect((await auth.anonymous.get('/admin/profile', bearer)).status).toBe(200)
    expect(await readState()).toEqual({
      sign_in: 'password',
      required: false,
      factors: [{ id, kind: 'totp', name: 'Phone', added_at: expect.any(String), last_used_at: expect.any(String) }],
      recovery_codes_left: 10,
    })
    expect((await readAudit('admin_signed_in'))[0]).toMatchObject({ after: { second_factor: 'totp' } })
    expect((await as().get('/admin/administrators')).json.administrators).toMatchObject([{ second_factor: true }])
    expect((await complete(browser, { kind: 'totp', code: codeAt(secret) })).json.code).toBe('login_expired')
  })

  test('is in the export of its owner, without its secret, beside what the owner did', async () => {
    await addTotp()
    const { text } = await as().get('/auth/record/data')
    const lines: { kind: string; data: object }[] = text
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    const factors = lines.filter(({ kind }) => kind === 'second_factors')
    expect(factors.map(({ data }) => Object.keys(data).sort())).toEqual([
      ['_id', 'added_at', 'kind', 'last_used_at', 'name'],
    ])
    const acts = lines.filter(({ kind }) => kind === 'own_acts')
    expect(acts).toContainEqual({
      kind: 'own_acts',
      data: expect.objectContaining({ action: 'second_factor_added', subject: { id: admin.id } }),
    })
  })

  test('is accepted once for each code, also at the same time, and one step early or late', async () => {
    const { secret } = await addTotp()
    const browsers = await Promise.all([enterPassword(), enterPassword(), enterPassword()])
    const code = codeAt(secret)
    const answers = await Promise.all(browsers.map(({ browser }) => complete(browser, { kind: 'totp', code })))
    const accepted = answers.filter(({ status }) => status === 200)
    expect(accepted).toHaveLength(1)
    const { browser } = await enterPassword()
    const tryAt = async (offset: number) =>
      (await complete(browser, { kind: 'totp', code: codeAt(secret, auth.clock.now() + offset * stepMs) })).status
    expect([await tryAt(0), await tryAt(-1), await tryAt(2), await tryAt(1)]).toEqual([401, 401, 401, 200])
  })

  test('keeps its secret encrypted, bound to its owner', async () => {
    const { secret } = await addTotp()
    const rows = auth.database.collection('second_factors')
    const stored = await rows.findOne({})
    expect(JSON.stringify(stored)).not.toContain(secret)
    const { id } = await auth.addPerson('admin')
    await auth.database.collection('credentials').updateOne({ email }, { $set: { email: 'moved@example.org' } })
    const row = await auth.database.collection<{ _id: string }>('credentials').findOne({ _id: admin.id })
    await auth.database.collection<{ _id: string }>('credentials').insertOne({ ...row!, _id: id, email } as never)
    await rows.updateMany({}, { $set: { person_id: id } })
    const { browser } = await enterPassword()
    expect((await complete(browser, { kind: 'totp', code: codeAt(secret) })).json.code).toBe('invalid_second_factor')
  })

  test('works on after a new COOKIE_SECRET, because the next start seals its secret again', async () => {
    const { secret } = await addTotp()
    const [old] = auth.config.cookieSecrets
    const next = 'another cookie secret, of 32 letters or more'
    const rotating = await startAuth({ cookieSecrets: [next, old] }, { world: auth.world })
    await rotating.service.stop()
    const rotated = await startAuth({ cookieSecrets: [next] }, { world: auth.world })
    try {
      const browser = rotated.openBrowser()
      await browser.post('/api/admin/login', { email, password })
      expect((await complete(browser, { kind: 'totp', code: codeAt(secret) })).status).toBe(200)
    } finally {
      await rotated.service.stop()
    }
  })
})

describe('a passkey', () => {
  test('completes a sign-in, with a challenge that is valid once', async () => {
    const { passkey } = await addPasskey()
    const { browser, answer } = await enterPassword()
    expect(answer.json.second_factors).toEqual(['passkey', 'recovery_code'])
    const { options } = (await browser.post('/api/admin/login/passkey', {})).json
    expect(options).toMatchObject({ rpId: 'watchline.localhost', userVerification: 'required' })
    const response = passkey.sign(options)
    const [first, second] = await Promise.all([1, 2].map(() => complete(browser, { kind: 'passkey', response })))
    expect([first!.status, second!.status].sort()).toEqual([200, 401])
    const { browser: other } = await enterPassword()
    expect((await complete(other, { kind: 'passkey', response })).json.code).toBe('invalid_second_factor')
  })

  test.each([
    ['of another website', { origin: 'http://evil.example' }],
    ['for another domain', { rpId: 'evil.example' }],
    ['without verification of its owner', { isVerified: false }],
    ['with a counter that goes back', { counter: 1 }],
  ])('is refused %s', async (_, faults) => {
    const { passkey } = await addPasskey()
    const { browser } = await enterPassword()
    const challenge = async () => (await browser.post('/api/admin/login/passkey', {})).json.options
    // Used once, so that its counter is above zero.
    const used = { kind: 'passkey', response: passkey.sign(await challenge()) }
    expect((await complete(browser, used)).status).toBe(200)
    const next = await enterPassword()
    const { options } = (await next.browser.post('/api/admin/login/passkey', {})).json
    const answer = await complete(next.browser, { kind: 'passkey', response: passkey.sign(options, faults) })
    expect(answer).toMatchObject({ status: 401, json: { code: 'invalid_second_factor' } })
  })

  test('of somebody else completes nothing', async () => {
    await addPasskey()
    const { browser } = await enterPassword()
    const { options } = (await browser.post('/api/admin/login/passkey', {})).json
    const response = createPasskey(auth.config.publicUrl).sign(options)
    expect((await complete(browser, { kind: 'passkey', response })).json.code).toBe('invalid_second_factor')
  })

  test('is registered only with the challenge of this login session, from this website, and verified', async () => {
    const passkey = createPasskey(auth.config.publicUrl)
    const add = (response: unknown, sid = 'a-session') =>
      auth.callAs(admin, sid).post('/admin/second-factors', { kind: 'passkey', name: 'Laptop', response })
    const { options } = (await begin('passkey')).json
    expect((await add(passkey.register(options), 'another-session')).json.code).toBe('login_expired')
    expect((await add(passkey.register(options, { origin: 'http://evil.example' }))).json.code).toBe(
      'invalid_second_factor',
    )
    expect((await add(passkey.register(options))).json.code).toBe('invalid_second_factor')
    const again = (await begin('passkey')).json.options
    expect((await add(passkey.register(again, { isVerified: false }))).json.code).toBe('invalid_second_factor')
    expect((await add(passkey.register((await begin('passkey')).json.options))).status).toBe(201)
    const known = (await begin('passkey')).json.options
    expect(known.excludeCredentials).toHaveLength(1)
    expect((await add(passkey.register(known))).json.code).toBe('conflict')
  })
})

describe('recovery codes', () => {
  test('complete a sign-in once each, also at the same time', async () => {
    const { codes } = await addTotp()
    expect(codes).toHaveLength(limits.recoveryCodes)
    const typed = ` ${codes[3]!.toLowerCase().replaceAll('-', ' ')}`
    const browsers = await Promise.all([enterPassword(), enterPassword()])
    const answers = await Promise.all(
      browsers.map(({ browser }) => complete(browser, { kind: 'recovery_code', code: typed })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401])
    expect(codes[0]).toMatch(/^([A-HJ-NP-Z2-9]{4}-){6}[A-HJ-NP-Z2-9]{4}$/)
    expect((await readState()).recovery_codes_left).toBe(9)
    expect(JSON.stringify(await auth.database.collection('recovery_codes').find().toArray())).not.toContain(codes[0])
  })

  test('are replaced all at once, and come with the first factor only', async () => {
    expect((await as().post('/admin/recovery-codes', { password })).json.code).toBe('conflict')
    const { codes } = await addTotp()
    expect((await addPasskey()).codes).toBeUndefined()
    const { json } = await as().post('/admin/recovery-codes', { password })
    const { browser } = await enterPassword()
    expect((await complete(browser, { kind: 'recovery_code', code: codes[0] })).status).toBe(401)
    expect((await complete(browser, { kind: 'recovery_code', code: json.recovery_codes[0] })).status).toBe(200)
    expect(await readAudit('recovery_codes_replaced')).toHaveLength(1)
  })
})

describe('the second step', () => {
  test('is over after five minutes, and after a change of the password', async () => {
    const { secret } = await addTotp()
    const { browser } = await enterPassword()
    auth.clock.advance(limits.secondStepTtlMs)
    expect((await complete(browser, { kind: 'totp', code: codeAt(secret) })).json.code).toBe('login_expired')
    const { browser: other } = await enterPassword()
    await as().post('/admin/password', { current_password: password, new_password: 'another horse 10' })
    expect((await complete(other, { kind: 'totp', code: codeAt(secret) })).json.code).toBe('login_expired')
  })

  test('belongs to the browser that gave the password', async () => {
    const { secret } = await addTotp()
    const { browser } = await enterPassword()
    const stranger = auth.openBrowser()
    expect((await complete(stranger, { kind: 'totp', code: codeAt(secret) })).json.code).toBe('login_expired')
    const cookie = browser.jar.get('watchline_login_step')!
    stranger.jar.set('watchline_login_step', { ...cookie, value: cookie.value.replace(/.$/, '_') })
    expect((await complete(stranger, { kind: 'totp', code: codeAt(secret) })).json.code).toBe('login_expired')
    expect((await stranger.post('/api/admin/login/passkey', {})).json.code).toBe('login_expired')
  })

  test('counts wrong attempts, and the password gives no further ones', async () => {
    const { secret } = await addTotp()
    let code = ''
    for (let attempts = 1; code !== 'too_many' && attempts <= limits.loginAttemptsPerAccount; attempts += 1) {
      const { browser, answer } = await enterPassword()
      const isSlowedDown = answer.json.code === 'too_many'
      code = (isSlowedDown ? answer : await complete(browser, { kind: 'totp', code: '000000' })).json.code
    }
    expect(code).toBe('too_many')
    expect((await enterPassword()).answer.json.code).toBe('too_many')
    const failures = await auth.database.collection('failed_sign_ins').find({ person_id: admin.id }).toArray()
    expect(failures.reduce((sum, row) => sum + row.count, 0)).toBeGreaterThan(0)
    auth.clock.advance(limits.loginAttemptsWindowMs)
    const { browser } = await enterPassword()
    const knows = () => [...browser.jar.keys()].some(name => name.startsWith('watchline_device_'))
    expect(knows()).toBe(false)
    expect((await complete(browser, { kind: 'totp', code: codeAt(secret) })).status).toBe(200)
    expect(knows()).toBe(true)
  })

  test('has few attempts from many networks together', async () => {
    const { secret } = await addTotp()
    const from = (count: number) => ({ 'x-forwarded-for': `10.7.${count}.1` })
    const { browser } = await enterPassword()
    const guess = (count: number) =>
      browser.post('/api/admin/login/second-factor', { kind: 'totp', code: '000000' }, from(count))
    for (let count = 0; count < limits.secondStepAttemptsPerAccount; count += 1)
      expect((await guess(count)).json.code).toBe('invalid_second_factor')
    expect((await guess(limits.secondStepAttemptsPerAccount)).json.code).toBe('too_many')
    auth.clock.advance(limits.loginAttemptsWindowMs)
    const { browser: later } = await enterPassword()
    expect((await complete(later, { kind: 'totp', code: codeAt(secret) })).status).toBe(200)
  })

  test('sets up nothing on an account that has a second factor', async () => {
    await addTotp()
    const { browser } = await enterPassword()
    expect((await browser.post('/api/admin/login/first-factor/begin', { kind: 'totp' })).json.code).toBe(
      'login_expired',
    )
  })
})

describe('changes of second factors', () => {
  test('need the password again, and end no session', async () => {
    const { browser } = await enterPassword()
    expect((await begin('totp', 'not the password')).json.code).toBe('invalid_credentials')
    expect(await as().post('/admin/second-factors', { kind: 'totp', name: 'Phone', code: '123456' })).toMatchObject({
      status: 401,
      json: { code: 'login_expired' },
    })
    const { id } = await addTotp()
    const remove = (secret: string) => as().delete(`/admin/second-factors/${id}`, { password: secret })
    expect((await remove('not the password')).json.code).toBe('invalid_credentials')
    expect((await remove(password)).status).toBe(200)
    expect((await remove(password)).status).toBe(404)
    expect(await readState()).toMatchObject({ factors: [], recovery_codes_left: 0 })
    expect((await browser.post('/api/auth/refresh', {})).status).toBe(200)
    expect((await enterPassword()).answer.status).toBe(200)
    expect((await readAudit('second_factor_added'))[0]).toMatchObject({ after: { kind: 'totp', name: 'Phone' } })
    expect((await readAudit('second_factor_removed'))[0]).toMatchObject({ before: { kind: 'totp', name: 'Phone' } })
  })

  test('need a sign-in of the last ten minutes, once there is one', async () => {
    const old = as()
    auth.clock.advance(limits.freshSignInMs + 1_000)
    expect((await old.post('/admin/second-factors/begin', { kind: 'totp', password })).status).toBe(200)
    const { id } = await addTotp()
    const current = as()
    auth.clock.advance(limits.freshSignInMs - 1_000)
    const replace = (caller: typeof current) => caller.post('/admin/recovery-codes', { password })
    expect((await replace(current)).status).toBe(200)
    auth.clock.advance(2_000)
    for (const answer of [
      await replace(current),
      await current.delete(`/admin/second-factors/${id}`, { password }),
      await current.post('/admin/second-factors/begin', { kind: 'passkey', password }),
    ])
      expect(answer).toMatchObject({ status: 403, json: { code: 'sign_in_again' } })
    expect((await as().delete(`/admin/second-factors/${id}`, { password })).status).toBe(200)
  })

  test('of another administrator are not possible', async () => {
    const { id } = await addTotp()
    const other = await auth.addPerson('admin')
    const row = await auth.database.collection<{ _id: string }>('credentials').findOne({ _id: admin.id })
    const credential = { ...row, _id: other.id, email: other.email }
    await auth.database.collection<{ _id: string }>('credentials').insertOne(credential as never)
    expect((await auth.callAs(other).delete(`/admin/second-factors/${id}`, { password })).status).toBe(404)
    expect((await auth.callAs(other).get('/admin/second-factors')).json.factors).toEqual([])
  })

  test('are the provider’s matter for an administrator who signs in there', async () => {
    const other = await auth.addPerson('admin')
    const answer = await auth.callAs(other).post('/admin/second-factors/begin', { kind: 'totp', password })
    expect(answer).toMatchObject({ status: 409, json: { code: 'conflict' } })
    expect((await auth.callAs(other).get('/admin/second-factors')).json.sign_in).toBe('provider')
  })
})

describe('where administrators must have a second factor', () => {
  test('they set one up right after the password, and can do nothing before', async () => {
    const before = await enterPassword()
    expect(before.answer.status).toBe(200)
    const strict = await startAuth({ adminSecondFactor: 'required' }, { world: auth.world })
    try {
      expect((await before.browser.post('/api/auth/refresh', {})).status).toBe(200)
      const browser = strict.openBrowser()
      for (const [name, cookie] of before.browser.jar) browser.jar.set(name, cookie)
      expect((await browser.post('/api/auth/refresh', {})).status).toBe(401)

      const fresh = strict.openBrowser()
      const login = await fresh.post('/api/admin/login', { email, password })
      expect(login).toMatchObject({ status: 401, json: { code: 'second_factor_setup_required' } })
      expect(fresh.token()).toBe('')
      const setup = await fresh.post('/api/admin/login/first-factor/begin', { kind: 'totp' })
      const { secret } = setup.json
      const factor = { kind: 'totp', name: 'Phone' }
      const wrong = await fresh.post('/api/admin/login/first-factor', { ...factor, code: '000000' })
      expect(wrong.json.code).toBe('invalid_second_factor')
      const added = await fresh.post('/api/admin/login/first-factor', { ...factor, code: codeAt(secret) })
      expect(added).toMatchObject({ status: 200, json: { success: true, admin: { id: admin.id } } })
      expect(added.json.recovery_codes).toHaveLength(limits.recoveryCodes)
      expect((await fresh.post('/api/auth/refresh', {})).status).toBe(200)

      const { factors } = (await strict.callAs(admin).get('/admin/second-factors')).json
      const removal = await strict.callAs(admin).delete(`/admin/second-factors/${factors[0].id}`, { password })
      expect(removal).toMatchObject({ status: 409, json: { code: 'conflict' } })

      const second = await addPasskey()
      const removals = await Promise.all(
        [factors[0].id, second.id].map(id => strict.callAs(admin).delete(`/admin/second-factors/${id}`, { password })),
      )
      expect(removals.map(({ status }) => status).sort()).toEqual([200, 409])
      expect((await strict.callAs(admin).get('/admin/second-factors')).json.factors).toHaveLength(1)
    } finally {
      await strict.service.stop()
    }
  })
})
