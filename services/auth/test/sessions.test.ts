import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { errorCodes } from '@watchline/contracts/errors'
import { limits } from '@watchline/contracts/limits'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import jwt from 'jsonwebtoken'
import { createAuthService } from '../src/service.ts'
import { type AuthWorld, type createBrowser, rootAdmin, startAuth } from './_util.ts'

type Browser = ReturnType<typeof createBrowser>

let auth: AuthWorld
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.stop())

let count = 0
async function signIn(email = `session${count}@example.org`) {
  count += 1
  const browser = auth.openBrowser()
  const { json } = await browser.signIn(email)
  return { browser, email, user: json.user as { id: string }, ...claimsOf(browser) }
}

function claimsOf(browser: Browser) {
  return jwt.decode(browser.token()) as unknown as { sid: string; sub: string; ver: number; iat: number; exp: number }
}

const listRevocations = async (sid: string) =>
  (await auth.listEvents(sid)).filter(event => event.type === 'session.revoked').map(event => event.data)

async function acquireLock(personId: string, sid: string) {
  const request = { personId, sid, fence: 1, playlistId: 'p', ttlMs: limits.monitoringLockMs, takeOver: false }
  const acquired = await auth.world.ports.live.locks.acquire({ ...request, now: auth.clock.now() })
  expect(acquired.acquired).toBe(true)
}
const refresh = (browser: Browser) => browser.post('/api/auth/refresh', {})
const isRevoked = (sid: string) => auth.world.ports.live.revocations.has(sid, auth.clock.now())

describe('login', () => {
  test('sets cookies that scripts cannot read beside the kind of account, and publishes the session', async () => {
    const browser = auth.openBrowser()
    const sessionId = await browser.beginSignIn('cookies@example.org')
    const answer = await browser.post('/api/auth/login', { session_id: sessionId })
    const cookies = answer.headers.getSetCookie()
    const access = cookies.find(cookie => cookie.startsWith('watchline_access='))
    const refresh = cookies.find(cookie => cookie.startsWith('watchline_refresh='))
    expect(access).toMatch(/Max-Age=43200; Path=\/;.*HttpOnly; SameSite=Lax/)
    expect(refresh).toMatch(/Max-Age=43200; Path=\/api\/auth\/refresh;.*HttpOnly; SameSite=Lax/)
    const account = cookies.find(cookie => cookie.startsWith('watchline_account='))
    expect(account).toMatch(/^watchline_account=user; Max-Age=43200; Path=\/;.*SameSite=Lax/)
    expect(account).not.toMatch(/HttpOnly/)
    const { sid, sub, exp, iat, ver } = claimsOf(browser)
    expect({ sub, ver, ttl: exp - iat }).toEqual({ sub: answer.json.user.id, ver: 1, ttl: limits.accessTokenTtlS })
    expect((await auth.listEvents(sid)).map(event => event.type)).toEqual(['session.started'])
  })

  test('with https the cookies are secure and have name prefixes', async () => {
    const secure = await startAuth(
      { publicUrl: 'https://watchline.test', allowAnybodyToSignInAsAnybody: true },
      { world: auth.world },
    )
    try {
      const browser = secure.openBrowser()
      const answer = await browser.post('/api/auth/login', { session_id: await browser.beginSignIn('tls@example.org') })
      const cookies = answer.headers.getSetCookie()
      expect(cookies.find(cookie => cookie.startsWith('__Host-watchline_access='))).toMatch(/Path=\/;.*; Secure/)
      expect(cookies.find(cookie => cookie.startsWith('__Secure-watchline_refresh='))).toMatch(/; Secure/)
    } finally {
      await secure.service.stop()
    }
  })

  test('conflicts with a monitored session, for the remaining seconds of its lock', async () => {
    const { user, email } = await signIn()
    await acquireLock(user.id, 'another-sid')
    auth.clock.advance(60_000)
    const browser = auth.openBrowser()
    const answer = await browser.signIn(email)
    expect(answer).toMatchObject({
      status: 409,
      json: { code: 'monitoring_conflict', detail: errorCodes.monitoring_conflict.detail },
    })
    expect(answer.headers.get('retry-after')).toBe('240')
    expect(answer.headers.getSetCookie()).toEqual([])
    auth.clock.advance(240_000)
    expect((await browser.signIn(email)).status).toBe(200)
  })

  test('replaces the session in the browser that monitors', async () => {
    const { browser, user, email, sid } = await signIn()
    await acquireLock(user.id, sid)
    expect((await browser.signIn(email)).status).toBe(200)
    expect((await auth.openBrowser().signIn(email)).status).toBe(200)
    expect(await listRevocations(sid)).toEqual([{ sid, person_id: user.id, reason: 'replaced' }])
    expect(await isRevoked(sid)).toBe(true)
    expect(claimsOf(browser).sid).not.toBe(sid)
  })

  test('does not conflict with another person’s lock', async () => {
    const { user } = await signIn()
    await acquireLock(user.id, 'their-sid')
    expect((await auth.openBrowser().signIn('uninvolved@example.org')).status).toBe(200)
  })
})

describe('the access token', () => {
  const profile = (token: string) => auth.anonymous.get('/auth/profile', { authorization: `Bearer ${token}` })

  test('identifies the person', async () => {
    const { browser, user } = await signIn()
    expect((await profile(browser.token())).json).toMatchObject({ id: user.id, role: 'user' })
  })

  test('is refused when expired, forged, unsigned, or signed with the public key as a secret', async () => {
    const { browser, sid, sub } = await signIn()
    const validToken = browser.token()
    const claims = { sub, sid, ver: 1, auth_time: 1, iss: 'watchline', aud: 'watchline' }
    const unsigned = jwt.sign(claims, '', { algorithm: 'none', expiresIn: 600 })
    const [head, body] = jwt.sign(claims, 'x', { algorithm: 'HS256', expiresIn: 600 }).split('.')
    const invalidTokens = [validToken.slice(0, -4), `${validToken}x`, unsigned, `${head}.${body}.AAAA`, 'Bearer', '']
    for (const token of invalidTokens) expect((await profile(token)).status).toBe(401)
    auth.clock.advance(limits.accessTokenTtlS * 1_000)
    // The grace period covers a token that expires between gateway and service.
    expect((await profile(validToken)).status).toBe(200)
    auth.clock.advance(30_000)
    expect(await profile(validToken)).toMatchObject({ status: 401, json: { code: 'token_expired' } })
  })

  test('of a deleted person answers no_session', async () => {
    const deleted = { id: 'f'.repeat(24), version: 1 }
    expect((await auth.callAs(deleted).get('/auth/profile')).json).toMatchObject({ code: 'no_session' })
  })
})

describe('refresh', () => {
  test('issues a new access token and rotates the refresh token', async () => {
    const { browser, sid } = await signIn()
    const before = browser.jar.get('watchline_refresh')!.value
    auth.clock.advance(limits.accessTokenTtlS * 1_000)
    expect((await refresh(browser)).json).toEqual({ success: true })
    expect(browser.jar.get('watchline_refresh')!.value).not.toBe(before)
    expect(claimsOf(browser)).toMatchObject({ sid, exp: Math.floor(auth.clock.now() / 1_000) + 600 })
  })

  test('issues a token with the person’s current version', async () => {
    const { browser, user } = await signIn()
    const admin = await auth.addPerson('admin')
    await auth.callAs(admin).put(`/admin/users/${user.id}/role`, { role: 'manager' })
    await refresh(browser)
    expect(claimsOf(browser).ver).toBe(2)
  })

  test('five concurrent tabs stay signed in and get the same successor', async () => {
    const { browser, sid } = await signIn()
    const cookie = browser.cookiesFor('/api/auth/refresh')
    const tabs = await Promise.all([1, 2, 3, 4, 5].map(() => auth.anonymous.post('/auth/refresh', {}, { cookie })))
    expect(tabs.map(tab => tab.status)).toEqual([200, 200, 200, 200, 200])
    const successors = tabs.map(tab =>
      tab.headers.getSetCookie().find(cookie => cookie.startsWith('watchline_refresh=')),
    )
    expect(new Set(successors.map(cookie => cookie?.split(';')[0])).size).toBe(1)
    expect(await listRevocations(sid)).toEqual([])
  })

  test('a spent token after its grace period ends the session', async () => {
    const { browser, sid, user } = await signIn()
    const spent = browser.cookiesFor('/api/auth/refresh')
    await refresh(browser)
    auth.clock.advance(limits.refreshGraceMs)
    expect((await auth.anonymous.post('/auth/refresh', {}, { cookie: spent })).status).toBe(200)
    auth.clock.advance(1)
    expect((await auth.anonymous.post('/auth/refresh', {}, { cookie: spent })).json).toMatchObject({
      code: 'no_session',
    })
    expect(await listRevocations(sid)).toEqual([{ sid, person_id: user.id, reason: 'token_reused' }])
    expect(await isRevoked(sid)).toBe(true)
    expect((await refresh(browser)).status).toBe(401)
  })

  test('a token two rotations old ends the session even within the grace period', async () => {
    const { browser, sid } = await signIn()
    const spent = browser.cookiesFor('/api/auth/refresh')
    await refresh(browser)
    await refresh(browser)
    expect((await auth.anonymous.post('/auth/refresh', {}, { cookie: spent })).status).toBe(401)
    expect(await listRevocations(sid)).toHaveLength(1)
  })

  test('a forged, altered or missing token is refused and ends nothing', async () => {
    const { browser, sid } = await signIn()
    const [, , hmac] = decodeURIComponent(browser.jar.get('watchline_refresh')!.value).split('.')
    for (const token of ['', 'x', `${sid}.1.${hmac}`, `${sid}.0.${hmac!.slice(0, -1)}_`, `${sid}.-1.${hmac}`])
      expect((await auth.anonymous.post('/auth/refresh', {}, { cookie: `watchline_refresh=${token}` })).status).toBe(
        401,
      )
    expect((await auth.anonymous.post('/auth/refresh')).status).toBe(401)
    expect((await refresh(browser)).status).toBe(200)
  })

  test('a session ends after twelve hours without use, and after thirty days however much it is used', async () => {
    const idle = await signIn()
    const used = await signIn()
    const { idleMs, absoluteMs } = auth.config.sessionLifetimes.people
    auth.clock.advance(idleMs - 1_000)
    expect((await refresh(used.browser)).status).toBe(200)
    auth.clock.advance(1_000)
    expect((await refresh(idle.browser)).status).toBe(401)
    for (let ms = idleMs; ms < absoluteMs; ms += idleMs) {
      expect((await refresh(used.browser)).status).toBe(200)
      auth.clock.advance(Math.min(idleMs - 1_000, absoluteMs - ms))
    }
    auth.clock.advance(idleMs - 1_000)
    expect((await refresh(used.browser)).status).toBe(401)
  })

  test('of an administrator ends after half an hour without use, and after twelve hours however much it is used', async () => {
    const { idleMs, absoluteMs } = auth.config.sessionLifetimes.admins
    // The sessions began before the role.
    const [idle, used] = [await signIn(), await signIn()]
    for (const { user } of [idle, used])
      await auth.database
        .collection<{ _id: string }>('people')
        .updateOne({ _id: user.id }, { $set: { role: 'admin' }, $inc: { version: 1 } })
    const endsAt = auth.clock.now() + absoluteMs
    auth.clock.advance(idleMs - 1_000)
    expect((await refresh(used.browser)).status).toBe(200)
    auth.clock.advance(1_000)
    expect((await refresh(idle.browser)).status).toBe(401)
    while (auth.clock.now() + idleMs < endsAt) {
      auth.clock.advance(idleMs - 2_000)
      expect((await refresh(used.browser)).status).toBe(200)
      const { exp } = jwt.decode(used.browser.token()) as { exp: number }
      expect(exp * 1_000).toBeLessThanOrEqual(endsAt)
    }
    auth.clock.advance(endsAt - auth.clock.now())
    expect((await refresh(used.browser)).status).toBe(401)
  })

  test('renewals of an open page that nobody uses do not extend the session', async () => {
    const { browser } = await signIn()
    const { idleMs } = auth.config.sessionLifetimes.people
    const renew = (idleMs: number) => browser.post('/api/auth/refresh', { idle_seconds: idleMs / 1_000 })
    for (let ms = 3_600_000; ms < idleMs; ms += 3_600_000) {
      auth.clock.advance(3_600_000)
      expect((await renew(ms)).status).toBe(200)
    }
    // A use one minute ago moves the end. A later report of an earlier use does not move it back.
    auth.clock.advance(3_600_000 - 60_000)
    expect((await renew(60_000)).status).toBe(200)
    expect((await renew(idleMs)).status).toBe(200)
    auth.clock.advance(idleMs - 120_000)
    expect((await renew(idleMs)).status).toBe(200)
    // The person sees when they used a page, not when an unattended one renewed its session.
    const bearer = { authorization: `Bearer ${browser.token()}` }
    const [session] = (await auth.anonymous.get('/auth/record', bearer)).json.sessions
    expect(Date.parse(session.renewed_at) - Date.parse(session.used_at)).toBeGreaterThanOrEqual(idleMs - 120_000)
    const { exp } = claimsOf(browser)
    expect(exp * 1_000).toBeLessThanOrEqual(auth.clock.now() + 60_000)
    auth.clock.advance(60_000)
    expect((await renew(0)).status).toBe(401)
  })

  test.each([-1, 1.5, 'long'])(
    'a renewal with an idle time of %p is refused, and changes nothing',
    async idle_seconds => {
      const { browser } = await signIn()
      expect((await browser.post('/api/auth/refresh', { idle_seconds })).status).toBe(422)
      expect((await refresh(browser)).status).toBe(200)
    },
  )

  test('a session of an earlier version counts as used at its last renewal', async () => {
    const { browser, sid } = await signIn()
    const { idleMs } = auth.config.sessionLifetimes.people
    await auth.database.collection<{ _id: string }>('sessions').updateOne({ _id: sid }, { $unset: { used_at: 1 } })
    auth.clock.advance(idleMs - 1_000)
    expect((await browser.post('/api/auth/refresh', { idle_seconds: idleMs / 1_000 })).status).toBe(200)
    auth.clock.advance(1_000)
    expect((await refresh(browser)).status).toBe(401)
  })

  test('no access token outlives its session', async () => {
    const { browser } = await signIn()
    const { idleMs, absoluteMs } = auth.config.sessionLifetimes.people
    const step = idleMs - 1_000
    const endsAt = auth.clock.now() + absoluteMs
    while (auth.clock.now() + step < endsAt) {
      auth.clock.advance(step)
      expect((await refresh(browser)).status).toBe(200)
    }
    auth.clock.advance(endsAt - auth.clock.now() - 60_000)
    expect((await refresh(browser)).status).toBe(200)
    const { exp } = jwt.decode(browser.token()) as { exp: number }
    expect(exp * 1_000).toBeLessThanOrEqual(endsAt)
  })

  test('a shorter limit also ends sessions that began before it', async () => {
    const { browser } = await signIn()
    const refreshCookie = browser.cookiesFor('/api/auth/refresh')
    const hour = { idleMs: 3_600_000, absoluteMs: 3_600_000 }
    const stricter = await startAuth({ sessionLifetimes: { people: hour, admins: hour } }, { world: auth.world })
    try {
      auth.clock.advance(3_600_000)
      const answer = await stricter.anonymous.post('/auth/refresh', {}, { cookie: refreshCookie })
      expect(answer.status).toBe(401)
    } finally {
      await stricter.service.stop()
    }
  })
})

describe('logout', () => {
  test('ends the session at once: revokes the token, its lock blocks no login, removes the cookies, publishes one event', async () => {
    const { browser, user, email, sid } = await signIn()
    await acquireLock(user.id, sid)
    const token = browser.token()
    const bearer = { authorization: `Bearer ${token}` }
    const refreshCookie = browser.cookiesFor('/api/auth/refresh')
    const answer = await browser.post('/api/auth/logout', {}, bearer)
    expect(answer).toMatchObject({ status: 200, json: { success: true } })
    for (const cookie of ['watchline_access', 'watchline_refresh', 'watchline_account'])
      expect(browser.jar.has(cookie)).toBe(false)
    expect(await isRevoked(sid)).toBe(true)
    expect((await auth.openBrowser().signIn(email)).status).toBe(200)
    expect((await auth.anonymous.post('/auth/refresh', {}, { cookie: refreshCookie })).status).toBe(401)
    expect((await auth.anonymous.post('/auth/logout', undefined, bearer)).status).toBe(200)
    expect(await listRevocations(sid)).toEqual([{ sid, person_id: user.id, reason: 'signed_out' }])
  })

  test('ends the session with an expired access token and without the refresh cookie', async () => {
    const { browser, sid } = await signIn()
    auth.clock.advance(limits.accessTokenTtlS * 2_000)
    expect((await auth.anonymous.post('/auth/logout', {}, { authorization: `Bearer ${browser.token()}` })).status).toBe(
      200,
    )
    expect(await listRevocations(sid)).toHaveLength(1)
  })

  test('does nothing without a session or with a forged token', async () => {
    const { sid, sub } = await signIn()
    const forged = jwt.sign({ sub, sid, ver: 1, auth_time: 1 }, 'x', { audience: 'watchline', issuer: 'watchline' })
    const attempts: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${forged}` },
      { cookie: `watchline_access=${forged}` },
    ]
    for (const headers of attempts)
      expect((await auth.anonymous.post('/auth/logout', undefined, headers)).status).toBe(200)
    expect(await listRevocations(sid)).toEqual([])
  })

  test('ends the session of an administrator', async () => {
    await auth.anonymous.post('/admin/setup', rootAdmin)
    const browser = auth.openBrowser()
    await browser.post('/api/admin/login', rootAdmin)
    const { sid } = claimsOf(browser)
    const answer = await browser.post('/api/admin/logout', {})
    expect(answer).toMatchObject({ status: 200, json: { success: true } })
    // The mark makes the next sign-in ask who it is. The browser stays known to the account.
    expect([...browser.jar.keys()].sort()).toEqual([
      expect.stringMatching(/^watchline_device_/),
      'watchline_signed_out',
    ])
    expect(await isRevoked(sid)).toBe(true)
  })

  test('keeps the person’s other sessions', async () => {
    const first = await signIn('two-places@example.org')
    const second = await signIn('two-places@example.org')
    await first.browser.post('/api/auth/logout', {})
    expect(await isRevoked(second.sid)).toBe(false)
    expect((await second.browser.post('/api/auth/refresh', {})).status).toBe(200)
  })

  test('survives a loss of the live store: the next start restores the revocation while a token or the address of a file may be valid', async () => {
    const { browser, sid } = await signIn()
    await browser.post('/api/auth/logout', {})
    const restarted = { ...auth.world.ports, live: createMemoryLiveStore() }
    const restartedService = createAuthService(auth.config, restarted)
    await restartedService.start()
    expect(await restarted.live.revocations.has(sid, auth.clock.now())).toBe(true)
    const validS = Math.max(limits.accessTokenTtlS, limits.mediaAddressS) + limits.mediaAddressGraceS
    for (const live of [restarted.live, auth.world.ports.live]) {
      expect(await live.revocations.has(sid, auth.clock.now() + validS * 1_000 - 1)).toBe(true)
      expect(await live.revocations.has(sid, auth.clock.now() + validS * 1_000)).toBe(false)
    }
    await restartedService.stop()
  })
})

describe('ending sessions', () => {
  const listSessions = async ({ user, sid }: { user: { id: string }; sid: string }) =>
    (await auth.callAs(user, sid).get('/auth/record')).json.sessions as { id: string; current: boolean }[]

  test('a person ends one of their own sessions, and all others', async () => {
    const email = 'three-browsers@example.org'
    const [first, second, third] = [await signIn(email), await signIn(email), await signIn(email)]
    await acquireLock(first.user.id, third.sid)
    const own = auth.callAs(first.user, first.sid)
    const thirdId = (await listSessions(third)).find(session => session.current)!.id
    expect((await own.delete(`/auth/sessions/${thirdId}`)).status).toBe(200)
    expect(await isRevoked(third.sid)).toBe(true)
    expect(await listRevocations(third.sid)).toEqual([
      { sid: third.sid, person_id: third.user.id, reason: 'signed_out' },
    ])
    expect((await refresh(third.browser)).status).toBe(401)
    expect((await own.delete(`/auth/sessions/${thirdId}`)).json.code).toBe('not_found')

    const half = auth.openBrowser()
    const sessionId = await half.beginSignIn(email)
    expect((await own.delete('/auth/sessions')).json).toEqual({ success: true, ended_sessions: 1 })
    expect((await half.post('/api/auth/login', { session_id: sessionId })).json.code).toBe('invalid_session_id')
    expect((await refresh(second.browser)).status).toBe(401)
    expect((await refresh(first.browser)).status).toBe(200)
    expect(await listSessions(first)).toHaveLength(1)
  })

  test('nobody ends a session of somebody else', async () => {
    const [own, foreign] = [await signIn(), await signIn()]
    const { id } = (await listSessions(foreign))[0]!
    expect((await auth.callAs(own.user, own.sid).delete(`/auth/sessions/${id}`)).json.code).toBe('not_found')
    expect((await auth.anonymous.delete(`/auth/sessions/${id}`)).status).toBe(401)
    expect((await refresh(foreign.browser)).status).toBe(200)
  })

  test('the list names the device and the address, and no id that opens anything', async () => {
    const { user, sid } = await signIn()
    const [session] = await listSessions({ user, sid })
    expect(session).toMatchObject({ device: null, address: expect.stringMatching(/127\.0\.0\.1$/) })
    expect(session!.id).not.toContain(sid)
  })

  test('an administrator signs a person out everywhere, and the audit log says so', async () => {
    const admin = await auth.addPerson('admin')
    const email = 'lost-laptop@example.org'
    const sessions = [await signIn(email), await signIn(email)]
    const { user } = sessions[0]!
    const half = auth.openBrowser()
    const sessionId = await half.beginSignIn(email)
    const asAdmin = auth.callAs(admin)
    expect((await asAdmin.delete(`/admin/users/${user.id}/sessions`)).json).toEqual({
      success: true,
      ended_sessions: 2,
    })
    for (const { browser, sid } of sessions) {
      expect(await isRevoked(sid)).toBe(true)
      expect((await refresh(browser)).status).toBe(401)
    }
    // A sign-in that had come back from the provider opens no session afterwards.
    expect((await half.post('/api/auth/login', { session_id: sessionId })).json.code).toBe('invalid_session_id')
    const [entry] = (await asAdmin.get('/admin/audit?action=signed_out_everywhere')).json
    expect(entry).toMatchObject({ by: { id: admin.id }, subject: { id: user.id }, after: { ended_sessions: 2 } })
    expect((await asAdmin.delete('/admin/users/nobody/sessions')).json.code).toBe('not_found')
    expect((await asAdmin.delete(`/admin/users/${admin.id}/sessions`)).json.code).toBe('conflict')
    expect(await auth.database.collection('audit').countDocuments({ 'subject.id': admin.id })).toBe(0)
    expect((await auth.openBrowser().signIn(email)).status).toBe(200)
  })

  test('an administrator signs another administrator out everywhere, also twice', async () => {
    const { browser, user, sid } = await signIn()
    await auth.database
      .collection<{ _id: string }>('people')
      .updateOne({ _id: user.id }, { $set: { role: 'admin' }, $inc: { version: 1 } })
    const admin = await auth.addPerson('admin')
    const path = `/admin/users/${user.id}/sessions`
    const answers = await Promise.all([1, 2].map(() => auth.callAs(admin).delete(path)))
    expect(answers.map(({ json }) => json.ended_sessions).sort()).toEqual([0, 1])
    expect([await isRevoked(sid), (await refresh(browser)).status]).toEqual([true, 401])
    const [entry] = (await auth.callAs(admin).get('/admin/audit?action=signed_out_everywhere')).json
    expect(entry).toMatchObject({ by: { id: admin.id }, subject: { id: user.id } })
  })

  test('with too many sessions the oldest ends', async () => {
    const email = 'many-browsers@example.org'
    const sessions = []
    for (let index = 0; index <= limits.sessionsPerPerson; index++) {
      sessions.push(await signIn(email))
      auth.clock.advance(1_000)
    }
    expect(await isRevoked(sessions[0]!.sid)).toBe(true)
    expect(await isRevoked(sessions[1]!.sid)).toBe(false)
    expect(await listSessions(sessions.at(-1)!)).toHaveLength(limits.sessionsPerPerson)

    // Sign-ins at the same time count each other.
    const browsers = Array.from({ length: 3 }, () => auth.openBrowser())
    const ids: string[] = []
    for (const browser of browsers) ids.push(await browser.beginSignIn(email))
    const answers = await Promise.all(
      browsers.map((browser, index) => browser.post('/api/auth/login', { session_id: ids[index] })),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const open = { person_id: sessions[0]!.user.id, ended_at: null }
    expect(await auth.database.collection('sessions').countDocuments(open)).toBe(limits.sessionsPerPerson)
  })
})

test('a person reads their own open sessions, latest first, and no session of others', async () => {
  const email = 'own-record@example.org'
  const older = await signIn(email)
  auth.clock.advance(1_000)
  const newer = await signIn(email)
  await signIn('somebody-else@example.org')
  const readRecord = async (caller: { user: { id: string }; sid: string }) =>
    (await auth.callAs(caller.user, caller.sid).get('/auth/record')).json.sessions
  const sessions = await readRecord(older)
  expect(sessions.map((session: { current: boolean }) => session.current)).toEqual([false, true])
  expect(Date.parse(sessions[0].started_at) - Date.parse(sessions[1].started_at)).toBe(1_000)
  await newer.browser.post('/api/auth/logout', {})
  expect(await readRecord(older)).toHaveLength(1)
  expect((await auth.anonymous.get('/auth/record')).status).toBe(401)
})
