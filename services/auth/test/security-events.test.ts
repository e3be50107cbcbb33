import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { createLogger } from '@watchline/kit/observability/log'
import { createTestWorld } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { TOTP } from 'otpauth'
import { createAuthService } from '../src/service.ts'
import { type AuthWorld, type Person, rootAdmin, startAuth } from './_util.ts'

interface SecurityLine {
  msg: string
  code: string
  person_id?: string
  network?: string
  request_id?: string
  operation?: string
  method?: string
  reason?: string
  repeats?: number
}

const lines: SecurityLine[] = []
const clock = createManualClock(Date.now())
const securityLines = () => lines.filter(line => line.msg === 'security event')
let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  const world = await createTestWorld({ clock })
  const log = createLogger('auth', 'info', { write: line => void lines.push(JSON.parse(line)) })
  auth = await startAuth({ adminSetupToken: 'open sesame' }, { world: { ...world, ports: { ...world.ports, log } } })
  const { json } = await auth.anonymous.post('/admin/setup', rootAdmin, { 'x-setup-token': 'open sesame' })
  admin = { ...json.admin, version: 1 }
})
afterAll(() => auth.stop())
beforeEach(() => {
  lines.length = 0
  clock.advance(60_000)
})

const from = (address: string) => ({ 'x-forwarded-for': address, 'x-request-id': 'the-request-1' })
const login = (body: unknown, address: string) => auth.anonymous.post('/admin/login', body, from(address))
const incorrect = { email: rootAdmin.email, password: 'not the password' }
const auditEntries = (action: string) => auth.database.collection('audit').find({ action }).sort({ seq: 1 }).toArray()

/** Windows of failed sign-ins are over, and a service starts: it writes them to the audit log. */
async function auditFailures() {
  clock.advance(20 * 60_000)
  const replica = createAuthService(auth.config, auth.world.ports)
  await replica.start()
  await replica.stop()
}

describe('a sign-in', () => {
  test('is one log line with the person, the network and the way in, without an email address', async () => {
    const browser = auth.openBrowser()
    const { json } = await browser.signIn('trainee@example.org', from('10.1.0.1'))
    await login(rootAdmin, '10.1.0.2')
    expect(securityLines()).toMatchObject([
      { code: 'signed_in', person_id: json.user.id, network: '10.1.0.1', method: 'provider' },
      { code: 'signed_in', person_id: admin.id, network: '10.1.0.2', method: 'password' },
    ])
    expect(JSON.stringify(lines)).not.toMatch(/@example/)
  })

  test('that fails is one with the network and the reason', async () => {
    const callback = '/api/auth/callback?error=access_denied&state=unknown'
    await auth.openBrowser().visit(callback, { headers: from('10.1.0.3') })
    await auth.anonymous.post('/auth/login', { session_id: 'u'.repeat(43) }, from('10.1.0.4'))
    expect(securityLines()).toMatchObject([
      { code: 'sign_in_failed', network: '10.1.0.3', reason: 'invalid_state', request_id: 'the-request-1' },
      { code: 'sign_in_failed', network: '10.1.0.4', reason: 'invalid_session_id' },
    ])
  })
})

test('invalid input is a line once it comes in a burst', async () => {
  const user = await auth.addPerson('user')
  const send = () => auth.callAs(user).post('/auth/login', { session_id: 7 }, from('10.1.0.5'))
  for (let count = 0; count < 19; count += 1) expect((await send()).status).toBe(422)
  expect(securityLines()).toEqual([])
  for (let count = 0; count < 3; count += 1) await send()
  expect(securityLines()).toMatchObject([{ code: 'invalid', operation: 'login', network: '10.1.0.5', repeats: 19 }])
})

describe('a failed sign-in of an administrator', () => {
  test('is one log line with the person, the network and the request, without an email address', async () => {
    await login(incorrect, '2001:db8:1:2::1')
    expect(securityLines()).toMatchObject([
      { code: 'admin_sign_in_failed', person_id: admin.id, network: '2001:db8:1:2::/64', request_id: 'the-request-1' },
    ])
    await login({ ...incorrect, email: 'nobody@example.org' }, '10.0.0.9')
    expect(securityLines()[1]).toMatchObject({ code: 'admin_sign_in_failed', network: '10.0.0.9' })
    expect(securityLines()[1]).not.toHaveProperty('person_id')
    expect(JSON.stringify(lines)).not.toMatch(/@example|not the password/)
  })

  test('is counted in one audit entry for each account and quarter of an hour', async () => {
    await auditFailures()
    const before = (await auditEntries('admin_sign_in_failed')).length
    for (let count = 0; count < 12; count += 1) await login(incorrect, `10.0.${count % 3}.1`)
    for (let count = 0; count < 4; count += 1) await login({ ...incorrect, email: `x${count}@example.org` }, '10.0.9.1')
    expect(await auditEntries('admin_sign_in_failed')).toHaveLength(before)
    await auditFailures()
    await auditFailures()
    const entries = (await auditEntries('admin_sign_in_failed')).slice(before)
    expect(entries.sort((a, b) => a.after.attempts - b.after.attempts)).toMatchObject([
      { by: null, subject: null, address: '10.0.9.1', after: { attempts: 4 } },
      {
        by: null,
        subject: { id: admin.id },
        address: null,
        after: { attempts: 12, networks: '10.0.0.1, 10.0.1.1, 10.0.2.1' },
      },
    ])
    const listed = await auth.callAs(admin).get('/admin/audit?setup=false&sign_ins=false&action=admin_sign_in_failed')
    expect(listed.json).toHaveLength(before + 2)
  })

  test('is shown to the administrator from their sign-in before on', async () => {
    clock.advance(20 * 60_000)
    await login(rootAdmin, '10.5.0.1')
    clock.advance(20 * 60_000)
    await login(incorrect, '10.5.0.2')
    await login(incorrect, '10.5.0.3')
    clock.advance(20 * 60_000)
    const browser = auth.openBrowser()
    await browser.post('/api/admin/login', rootAdmin)
    const read = () => auth.anonymous.get('/admin/failed-sign-ins', { authorization: `Bearer ${browser.token()}` })
    expect((await read()).json).toMatchObject({ count: 2, networks: ['10.5.0.2', '10.5.0.3'] })

    clock.advance(20 * 60_000)
    await browser.post('/api/admin/login', rootAdmin)
    expect((await read()).json).toMatchObject({ count: 0, latest_at: null, networks: [] })
  })
})

test('a spent refresh token that is used again is logged, audited with its network, and told to the person', async () => {
  const browser = auth.openBrowser()
  const { json } = await browser.signIn('copied@example.org')
  const copy = new Map(browser.jar)
  for (let count = 0; count < 2; count += 1) {
    clock.advance(limits.accessTokenTtlS * 1_000)
    expect((await browser.post('/api/auth/refresh', {})).status).toBe(200)
  }
  lines.length = 0
  browser.jar.clear()
  for (const [name, cookie] of copy) browser.jar.set(name, cookie)
  for (let count = 0; count < 2; count += 1)
    expect((await browser.post('/api/auth/refresh', {}, from('203.0.113.7'))).status).toBe(401)

  expect(securityLines()).toMatchObject([
    { code: 'refresh_token_reused', person_id: json.user.id, network: '203.0.113.7', request_id: 'the-request-1' },
  ])
  expect(await auditEntries('refresh_token_reused')).toMatchObject([
    { by: null, actor: 'system', subject: { id: json.user.id }, address: '203.0.113.7' },
  ])
  const events = (await auth.listEvents()).filter(event => event.type === 'session.token_reused')
  expect(events.map(event => event.data)).toMatchObject([{ person_id: json.user.id, network: '203.0.113.7' }])
})

test('a refused setup token is a line; a call without one is none', async () => {
  const seats = auth.database.collection('admin_seats')
  const seat = (await seats.findOne())!
  await seats.deleteMany({})
  try {
    await auth.anonymous.post('/admin/setup', {})
    expect(securityLines()).toEqual([])
    await auth.anonymous.post('/admin/setup', {}, { ...from('10.0.0.8'), 'x-setup-token': 'open barley' })
    expect(securityLines()).toMatchObject([{ code: 'setup_token_refused', network: '10.0.0.8' }])
  } finally {
    await seats.insertOne(seat)
  }
})

test('a call without the rights is a line with the person; repeats are counted in the next line', async () => {
  const user = await auth.addPerson('user')
  const read = () => auth.callAs(user).get('/admin/audit', from('10.0.0.7'))
  for (let count = 0; count < 4; count += 1) expect((await read()).status).toBe(403)
  expect(securityLines()).toMatchObject([
    { code: 'forbidden', operation: 'listAudit', person_id: user.id, network: '10.0.0.7', request_id: 'the-request-1' },
  ])
  clock.advance(10_000)
  await read()
  expect(securityLines()[1]).toMatchObject({ code: 'forbidden', repeats: 3 })
})

test('too many attempts are a line', async () => {
  for (let count = 0; count <= limits.loginFreeAttempts; count += 1) await login(incorrect, '10.0.6.1')
  expect(securityLines().map(({ code, network }) => [code, network])).toEqual([
    ['admin_sign_in_failed', '10.0.6.1'],
    ['too_many', '10.0.6.1'],
  ])
})

test('the head of the audit chain is in the log of every start', async () => {
  const replica = createAuthService(auth.config, auth.world.ports)
  await replica.start()
  await replica.stop()
  const head = await auth.database.collection('audit_chain').findOne()
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'audit chain checkpoint', seq: head!.seq, hash: head!.hash }),
  )
})

test('a refused second factor is logged, counted for the audit log and shown to the administrator', async () => {
  const browser = auth.openBrowser()
  await browser.post('/api/admin/login', rootAdmin)
  const bearer = { authorization: `Bearer ${browser.token()}` }
  const call = (path: string, body: object) => auth.anonymous.post(path, body, bearer)
  const begun = await call('/admin/second-factors/begin', { kind: 'totp', password: rootAdmin.password })
  const code = new TOTP({ secret: begun.json.secret }).generate({ timestamp: clock.now() })
  expect((await call('/admin/second-factors', { kind: 'totp', name: 'Phone', code })).status).toBe(201)
  await auditFailures()
  const before = (await auditEntries('admin_sign_in_failed')).length
  lines.length = 0

  const other = auth.openBrowser()
  await other.post('/api/admin/login', rootAdmin, from('10.6.0.1'))
  const refused = await other.post('/api/admin/login/second-factor', { kind: 'totp', code: '000000' }, from('10.6.0.1'))
  expect(refused.json.code).toBe('invalid_second_factor')
  expect(securityLines()).toMatchObject([
    { code: 'second_factor_refused', person_id: admin.id, network: '10.6.0.1', request_id: 'the-request-1' },
  ])
  expect((await auth.callAs(admin).get('/admin/failed-sign-ins')).json).toMatchObject({
    networks: expect.arrayContaining(['10.6.0.1']),
  })
  await auditFailures()
  expect((await auditEntries('admin_sign_in_failed')).slice(before)).toMatchObject([
    { subject: { id: admin.id }, address: '10.6.0.1', after: { attempts: 1 } },
  ])
})
