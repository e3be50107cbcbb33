import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { errorCodes } from '@watchline/contracts/errors'
import { limits } from '@watchline/contracts/limits'
import { delayLogin, type FakeProvider, signInAt, startAuthWithProvider } from './_provider-sign-in.ts'
import { type AuthWorld, startAuth } from './_util.ts'

// A thief with a stolen cookie keeps the monitoring lock, so the owner's sign-in answers 409.

let auth: AuthWorld
let provider: FakeProvider
beforeAll(async () => {
  ;({ auth, provider } = await startAuthWithProvider({}))
})
afterAll(async () => {
  await auth.stop()
  await provider.stop()
})

const nowS = () => Math.floor(auth.clock.now() / 1_000)
let people = 0

/** A person whose other session holds the monitoring lock. */
async function makeOwner() {
  const sub = `owner-${people++}`
  const { browser: thief, sessionId } = await signInAt(auth, provider, { sub })
  const { json } = await thief.post('/api/auth/login', { session_id: sessionId })
  const personId: string = json.user.id
  const [session] = (await auth.database
    .collection<{ _id: string; person_id: string }>('sessions')
    .find({ person_id: personId })
    .toArray()) as { _id: string }[]
  const sid = session!._id
  const lock = { personId, sid, fence: 1, playlistId: 'p', ttlMs: limits.monitoringLockMs, takeOver: false }
  await auth.world.ports.live.locks.acquire({ ...lock, now: auth.clock.now() })
  return { sub, personId, sid, isOut: async () => (await thief.post('/api/auth/refresh', {})).status === 401 }
}

async function signIn(
  sub: string,
  { claims, query, ...body }: { claims?: Record<string, unknown>; query?: string; end_other_sessions?: boolean } = {},
) {
  const visit = await signInAt(auth, provider, { sub, ...claims }, { query })
  return { ...visit, ...(await visit.browser.post('/api/auth/login', { session_id: visit.sessionId, ...body })) }
}

const endOthers = { query: '?end_other_sessions=true', end_other_sessions: true }

test('the owner signs in again at the provider and ends the other session', async () => {
  const owner = await makeOwner()
  expect((await signIn(owner.sub)).json.code).toBe('monitoring_conflict')

  const answer = await signIn(owner.sub, { ...endOthers, claims: { auth_time: nowS() } })

  expect(Object.fromEntries(answer.request.searchParams)).toMatchObject({ prompt: 'login', max_age: '0' })
  expect(answer.page.get('end_other_sessions')).toBe('true')
  expect(answer).toMatchObject({ status: 200, json: { user: { id: owner.personId }, ended_sessions: 1 } })
  expect(await owner.isOut()).toBe(true)
  // By this event playback-session releases the lock.
  expect((await auth.listEvents(owner.sid)).at(-1)).toMatchObject({
    type: 'session.revoked',
    data: { sid: owner.sid, person_id: owner.personId, reason: 'replaced' },
  })
  const admin = await auth.addPerson('admin')
  const [entry] = (await auth.callAs(admin).get('/admin/audit?action=other_sessions_ended')).json
  expect(entry).toMatchObject({
    by: { id: owner.personId },
    subject: { id: owner.personId },
    after: { ended_sessions: 1 },
  })
})

test('a sign-in that is under way elsewhere is void after it, and stays valid after an ordinary one', async () => {
  const owner = await makeOwner()
  const [first, second] = [
    await signInAt(auth, provider, { sub: owner.sub }),
    await signInAt(auth, provider, { sub: owner.sub }),
  ]
  await auth.world.ports.live.locks.release(owner.personId, owner.sid)
  const login = (visit: typeof first) => visit.browser.post('/api/auth/login', { session_id: visit.sessionId })
  expect((await signIn(owner.sub)).status).toBe(200)
  expect((await login(first)).status).toBe(200)
  expect((await signIn(owner.sub, { ...endOthers, claims: { auth_time: nowS() } })).status).toBe(200)
  expect((await login(second)).json.code).toBe('invalid_session_id')
})

test.each<[string, () => Parameters<typeof signIn>[1]]>([
  ['the provider does not say when they signed in', () => endOthers],
  ['they were signed in at the provider already', () => ({ ...endOthers, claims: { auth_time: nowS() - 3_600 } })],
  ['the time is no number', () => ({ ...endOthers, claims: { auth_time: 'now' } })],
  ['the login does not ask for it', () => ({ ...endOthers, end_other_sessions: false, claims: { auth_time: nowS() } })],
  ['the sign-in was an ordinary one', () => ({ end_other_sessions: true, claims: { auth_time: nowS() } })],
])('the other session stays if %s', async (_reason, options) => {
  const owner = await makeOwner()
  const answer = await signIn(owner.sub, options())
  if (answer.sessionId)
    expect(answer).toMatchObject({
      status: 409,
      json: { code: 'monitoring_conflict', detail: errorCodes.monitoring_conflict.detail },
    })
  expect(await owner.isOut()).toBe(false)
})

test('without a conflict the other sessions end as well', async () => {
  const first = await signIn('calm')
  const second = await signIn('calm', { ...endOthers, claims: { auth_time: nowS() } })
  expect([first.status, second.status, second.json.ended_sessions]).toEqual([200, 200, 1])
})

test.each<[string, (personId: string, sid: string) => Promise<{ status: number }>]>([
  [
    'an administrator signs the person out everywhere',
    async personId => auth.callAs(await auth.addPerson('admin')).delete(`/admin/users/${personId}/sessions`),
  ],
  [
    'the person signs their other sessions out',
    (personId, sid) => auth.callAs({ id: personId, version: 1 }, sid).delete('/auth/sessions'),
  ],
])('a login that has used its code opens no session after %s', async (_name, endSessions) => {
  const { personId, sid, sub } = await makeOwner()
  await auth.world.ports.live.locks.release(personId, sid)
  const { browser, sessionId } = await signInAt(auth, provider, { sub })
  const delay = await delayLogin(auth, personId)
  const login = browser.post('/api/auth/login', { session_id: sessionId })
  await delay.waitForCode()
  const { status } = await endSessions(personId, sid).finally(delay.release)
  expect(status).toBe(200)
  expect((await login).json.code).toBe('invalid_session_id')
  const others = { person_id: personId, ended_at: null, _id: { $ne: sid } as never }
  expect(await auth.database.collection('sessions').countDocuments(others)).toBe(0)
})

test('a code is valid once, also if the login was refused', async () => {
  const owner = await makeOwner()
  const visit = await signInAt(auth, provider, { sub: owner.sub })
  const login = async () => (await visit.browser.post('/api/auth/login', { session_id: visit.sessionId })).json.code
  expect(await Promise.all([login(), login()])).toEqual(
    expect.arrayContaining(['monitoring_conflict', 'invalid_session_id']),
  )
  expect(await login()).toBe('invalid_session_id')
})

test('the development provider confirms a new sign-in, too', async () => {
  const development = await startAuth()
  try {
    const first = await development.openBrowser().signIn('developer@example.org')
    const personId: string = first.json.user.id
    const lock = { personId, sid: 'elsewhere', fence: 1, playlistId: 'p', ttlMs: limits.monitoringLockMs }
    const { locks } = development.world.ports.live
    await locks.acquire({ ...lock, takeOver: false, now: development.clock.now() })
    const browser = development.openBrowser()
    const { url } = await browser.follow('/api/auth/signin?end_other_sessions=true&login_hint=developer@example.org')
    const session_id = new URLSearchParams(url.hash.slice(1)).get('session_id')
    const answer = await browser.post('/api/auth/login', { session_id, end_other_sessions: true })
    expect(answer).toMatchObject({ status: 200, json: { ended_sessions: 1 } })
  } finally {
    await development.stop()
  }
})
