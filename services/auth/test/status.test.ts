import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { cookieNames } from '@watchline/identity/cookies'
import { type AuthWorld, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Awaited<ReturnType<AuthWorld['addPerson']>>
beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.addPerson('admin')
})
afterAll(() => auth.stop())

let count = 0
async function signIn(email = `status${count++}@example.org`) {
  const browser = auth.openBrowser()
  const { json } = await browser.signIn(email)
  return { browser, email, user: json.user as { id: string } }
}

const refreshCookieOf = ({ config }: AuthWorld) => cookieNames(config.publicUrl).refresh
const setStatus = (id: string, status: string) => auth.callAs(admin).put(`/admin/users/${id}/status`, { status })
const putIntoTeam = (id: string, supervisorId: string) =>
  auth.callAs(admin).put(`/admin/users/${id}/supervisor?supervisor_id=${supervisorId}`, {})
const listEventTypes = async (subject: string) => (await auth.listEvents(subject)).map(({ type }) => type)
const readAudit = async (action: string) => (await auth.callAs(admin).get(`/admin/audit?action=${action}`)).json

describe('deactivating a person', () => {
  test('ends their sessions, frees their seat, and publishes and audits it', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const { user, browser } = await signIn()
    await putIntoTeam(user.id, supervisor.id)
    const answer = await setStatus(user.id, 'deactivated')
    expect(answer.json.user).toMatchObject({
      id: user.id,
      supervisor_id: null,
      deactivated_at: new Date(auth.clock.now()).toISOString(),
    })
    const refresh = await browser.post('/api/auth/refresh', {})
    expect(refresh).toMatchObject({ status: 401, json: { code: 'deactivated' } })
    const types = await listEventTypes(user.id)
    expect(types.slice(-2)).toEqual(['user.deactivated', 'user.supervisor_changed'])
    expect((await auth.findPerson(supervisor.id))!.team_size).toBe(0)
    const [entry] = await readAudit('deactivated')
    expect(entry).toMatchObject({
      by: { id: admin.id },
      subject: { id: user.id },
      before: { supervisor_id: supervisor.id },
      after: { supervisor_id: null, ended_sessions: 1 },
    })
  })

  test('refuses calls that were on their way, and a sign-in', async () => {
    const { user, email } = await signIn()
    const stranger = auth.openBrowser()
    const sessionId = await stranger.beginSignIn(email)
    await setStatus(user.id, 'deactivated')
    expect((await auth.callAs(user).get('/auth/profile')).json.code).toBe('deactivated')
    const login = await stranger.post('/api/auth/login', { session_id: sessionId })
    expect(login).toMatchObject({ status: 401, json: { code: 'deactivated' } })
    await expect(auth.openBrowser().beginSignIn(email)).rejects.toThrow(/error=deactivated/)
  })

  test('gives the reason to their own browsers only, also after a reload', async () => {
    const { user, browser } = await signIn()
    await setStatus(user.id, 'deactivated')
    for (let reload = 0; reload < 2; reload += 1)
      expect((await browser.post('/api/auth/refresh', {})).json.code).toBe('deactivated')
    const { value } = browser.jar.get(refreshCookieOf(auth))!
    const [sid, generation, signature] = value.split('.') as [string, string, string]
    const another = await signIn()
    const [anotherSid] = another.browser.jar.get(refreshCookieOf(auth))!.value.split('.')
    for (const forged of [sid, `${sid}.${generation}.`, `${anotherSid}.${generation}.${signature}`, '']) {
      const answer = await auth
        .openBrowser()
        .post('/api/auth/refresh', {}, { cookie: `${refreshCookieOf(auth)}=${forged}` })
      expect([forged, answer.status, answer.json.code]).toEqual([forged, 401, 'no_session'])
    }
    await browser.post('/api/auth/logout', {})
    expect((await browser.post('/api/auth/refresh', {})).json.code).toBe('no_session')
  })

  test('frees the team of a supervisor, whom nobody can choose any more', async () => {
    const manager = await auth.addPerson('manager')
    const supervisor = await auth.addPerson('supervisor')
    const user = await auth.addPerson('user')
    const asAdmin = auth.callAs(admin)
    await asAdmin.put(`/admin/users/${supervisor.id}/manager?manager_id=${manager.id}`, {})
    await putIntoTeam(user.id, supervisor.id)
    await setStatus(supervisor.id, 'deactivated')
    expect((await auth.findPerson(user.id))!.supervisor_id).toBeNull()
    expect((await auth.findPerson(manager.id))!.team_size).toBe(0)
    expect((await putIntoTeam(user.id, supervisor.id)).status).toBe(422)
    const request = { requested_supervisor_id: supervisor.id, reason: 'needed' }
    expect((await auth.callAs(manager).post('/manager/request-supervisor', request)).status).toBe(404)
  })

  test('locks role and team until the person is active again', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const user = await auth.addPerson('user')
    await setStatus(user.id, 'deactivated')
    expect((await putIntoTeam(user.id, supervisor.id)).json.code).toBe('conflict')
    const role = { role: 'manager' }
    expect((await auth.callAs(admin).put(`/admin/users/${user.id}/role`, role)).json.code).toBe('conflict')
    await setStatus(user.id, 'active')
    expect((await putIntoTeam(user.id, supervisor.id)).status).toBe(200)
  })

  test('happens once, also when it is called twice or at the same time', async () => {
    const { user } = await signIn()
    const answers = await Promise.all([
      setStatus(user.id, 'deactivated'),
      setStatus(user.id, 'deactivated'),
      setStatus(user.id, 'deactivated'),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await listEventTypes(user.id)).filter(type => type === 'user.deactivated')).toHaveLength(1)
    await Promise.all([setStatus(user.id, 'active'), setStatus(user.id, 'active')])
    expect((await listEventTypes(user.id)).filter(type => type === 'user.reactivated')).toHaveLength(1)
    expect(await auth.findPerson(user.id)).not.toHaveProperty('deactivated_at')
  })

  test('misses no session that opens at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const email = `race${round}@example.org`
      const { user } = await signIn(email)
      const browser = auth.openBrowser()
      const sessionId = await browser.beginSignIn(email)
      await Promise.all([browser.post('/api/auth/login', { session_id: sessionId }), setStatus(user.id, 'deactivated')])
      const open = await auth.database.collection('sessions').countDocuments({ person_id: user.id, ended_at: null })
      expect(open).toBe(0)
    }
  })

  test('is not possible for administrators, unknown people and other words', async () => {
    expect((await setStatus(admin.id, 'deactivated')).json.code).toBe('conflict')
    expect((await setStatus('nobody', 'deactivated')).json.code).toBe('not_found')
    expect((await setStatus(admin.id, 'gone')).status).toBe(422)
  })
})

describe('a reactivated person', () => {
  test('signs in again with the role they had, and in no team', async () => {
    const { user, email } = await signIn()
    await auth.callAs(admin).put(`/admin/users/${user.id}/role`, { role: 'supervisor' })
    await setStatus(user.id, 'deactivated')
    await setStatus(user.id, 'active')
    const answer = await auth.openBrowser().signIn(email)
    expect(answer).toMatchObject({ status: 200, json: { user: { role: 'supervisor', supervisor_id: null } } })
    expect(answer.json.user).not.toHaveProperty('deactivated_at')
    expect(await readAudit('reactivated')).toEqual([
      expect.objectContaining({ subject: expect.objectContaining({ id: user.id }) }),
      ...Array.from({ length: 2 }, () => expect.anything()),
    ])
  })
})

describe('lists and figures', () => {
  test('leave deactivated people out; only the administrator’s list of all has them', async () => {
    const director = await auth.addPerson('director')
    const leavers = {
      user: await auth.addPerson('user', { name: 'Leaver One' }),
      supervisor: await auth.addPerson('supervisor', { name: 'Leaver Two' }),
      manager: await auth.addPerson('manager', { name: 'Leaver Three' }),
    }
    const manager = await auth.addPerson('manager')
    const asAdmin = auth.callAs(admin)
    const counts = async () => (await asAdmin.get('/admin/user-counts')).json
    const before = await counts()
    const list = async (caller: { id: string }, path: string) => {
      const { json, headers } = await auth.callAs(caller).get(`${path}limit=${limits.pageMax}`)
      return { ids: json.map(({ id }: { id: string }) => id), total: Number(headers.get('x-total-count')) }
    }
    const lists = [
      [director, '/users?', 3],
      [director, '/users?search=leaver&', 3],
      [director, '/users?role=user&', 1],
      [admin, '/admin/managers?', 1],
      [admin, '/admin/supervisors?', 1],
      [admin, '/admin/supervisors?search=leaver&available=true&', 1],
      [manager, '/admin/supervisors?available=true&', 1],
      [admin, '/admin/users?without_team=true&', 1],
      [admin, '/admin/users?without_team=true&sort=joined&search=leaver&', 1],
    ] as const
    const full = await Promise.all(lists.map(([caller, path]) => list(caller, path)))
    for (const { id } of Object.values(leavers)) await setStatus(id, 'deactivated')

    for (const [index, [caller, path, leaverCount]] of lists.entries()) {
      const { ids, total } = await list(caller, path)
      expect([path, total]).toEqual([path, full[index]!.total - leaverCount])
      expect(ids).toEqual(
        full[index]!.ids.filter((id: string) => Object.values(leavers).every(leaver => leaver.id !== id)),
      )
      expect(ids).toHaveLength(total)
    }
    const after = await counts()
    expect(after).toMatchObject({
      total: before.total - 3,
      user: before.user - 1,
      supervisor: before.supervisor - 1,
      manager: before.manager - 1,
      director: before.director,
    })
    for (const role of ['user', 'supervisor', 'manager', 'director'] as const) {
      const { total } = await list(admin, `/admin/users?role=${role}&`)
      expect([role, total]).toEqual([role, after[role] + after.deactivated[role]])
    }
    const found = await list(admin, '/admin/users?search=leaver&')
    expect(found.ids.toSorted()).toEqual(
      Object.values(leavers)
        .map(({ id }) => id)
        .toSorted(),
    )

    for (const { id } of Object.values(leavers)) await setStatus(id, 'active')
    expect(await counts()).toEqual(before)
  })
})

test('the administrator’s list marks deactivated people', async () => {
  const { user, email } = await signIn()
  await setStatus(user.id, 'deactivated')
  const [listed] = (await auth.callAs(admin).get(`/admin/users?search=${email}&limit=${limits.pageMax}`)).json
  expect(listed).toMatchObject({ id: user.id, deactivated_at: expect.any(String) })
})
