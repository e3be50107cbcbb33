import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { RecordKind } from '@watchline/contracts/internal-operations'
import { type OwnerServices, startOwnerServices } from '@watchline/testing/owners'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let owners: OwnerServices
let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  owners = await startOwnerServices()
  auth = await startAuth({ playbackUrl: owners.url, engagementUrl: owners.url, chatUrl: owners.url })
  admin = await auth.addPerson('admin')
})
afterAll(async () => {
  await auth.stop()
  await owners.close()
})

const deleteUser = (id: string) => auth.callAs(admin).delete(`/admin/users/${id}`)
const listEventTypes = async (subject: string) => (await auth.listEvents(subject)).map(({ type }) => type)

describe('deleting a person who was created by mistake', () => {
  test('removes them, ends their sessions, frees their seat, and publishes and audits it', async () => {
    const browser = auth.openBrowser()
    const { json } = await browser.signIn('mistake@example.org')
    const { id } = json.user
    const supervisor = await auth.addPerson('supervisor')
    await auth.callAs(admin).put(`/admin/users/${id}/supervisor?supervisor_id=${supervisor.id}`, {})

    expect((await deleteUser(id)).json).toEqual({ success: true })

    expect(await auth.findPerson(id)).toBeNull()
    const claims = auth.database.collection<{ _id: string }>('sign_in_claims')
    expect(await claims.countDocuments({ _id: id })).toBe(0)
    expect((await auth.findPerson(supervisor.id))!.team_size).toBe(0)
    expect(await browser.post('/api/auth/refresh', {})).toMatchObject({ status: 401, json: { code: 'no_session' } })
    const events = await auth.listEvents(id)
    expect(events.slice(-2).map(({ type }) => type)).toEqual(['user.supervisor_changed', 'user.deleted'])
    expect(events.at(-1)!.data).toEqual({
      person_id: id,
      by: admin.id,
      previous_supervisor_id: supervisor.id,
      previous_manager_id: null,
    })
    const [entry] = (await auth.callAs(admin).get('/admin/audit?action=deleted')).json
    expect(entry).toMatchObject({
      by: { id: admin.id },
      subject: { id, email: 'mistake@example.org' },
      before: { role: 'user', supervisor_id: supervisor.id },
      after: { ended_sessions: 1 },
    })
    expect((await deleteUser(id)).json.code).toBe('not_found')
    const again = await auth.openBrowser().signIn('mistake@example.org')
    expect(again.json.user.id).not.toBe(id)
  })

  test('frees the team of a manager and withdraws their pending requests', async () => {
    const [manager, ownSupervisor, wanted] = [
      await auth.addPerson('manager'),
      await auth.addPerson('supervisor'),
      await auth.addPerson('supervisor'),
    ]
    await auth.callAs(admin).put(`/admin/users/${ownSupervisor.id}/manager?manager_id=${manager.id}`, {})
    const request = { requested_supervisor_id: wanted.id, reason: 'needed' }
    expect((await auth.callAs(manager).post('/manager/request-supervisor', request)).status).toBe(200)
    expect((await deleteUser(manager.id)).status).toBe(200)
    expect((await auth.findPerson(ownSupervisor.id))!.manager_id).toBeNull()
    expect((await auth.callAs(admin).get('/admin/supervisor-requests')).json).toEqual([])
  })

  test('is possible for a deactivated person', async () => {
    const person = await auth.addPerson('user')
    await auth.callAs(admin).put(`/admin/users/${person.id}/status`, { status: 'deactivated' })
    expect((await deleteUser(person.id)).status).toBe(200)
  })

  test('happens once, also when it is called at the same time', async () => {
    const person = await auth.addPerson('user')
    const answers = await Promise.all([deleteUser(person.id), deleteUser(person.id), deleteUser(person.id)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect((await listEventTypes(person.id)).filter(type => type === 'user.deleted')).toHaveLength(1)
  })

  test('leaves no session that opens at the same time', async () => {
    for (let round = 0; round < 3; round++) {
      const email = `deleted${round}@example.org`
      const { json } = await auth.openBrowser().signIn(email)
      const browser = auth.openBrowser()
      const sessionId = await browser.beginSignIn(email)
      await Promise.all([browser.post('/api/auth/login', { session_id: sessionId }), deleteUser(json.user.id)])
      const open = { person_id: json.user.id, ended_at: null }
      expect(await auth.database.collection('sessions').countDocuments(open)).toBe(0)
    }
  })

  test.each<[string, RecordKind]>([
    ['listPlaybackRecords', 'assignments'],
    ['listWatchRecords', 'comments'],
    ['listChatRecords', 'messages'],
  ])('is refused while %s knows something', async (operation, kind) => {
    const person = await auth.addPerson('user')
    owners.records.set(`${operation}:${person.id}`, [kind])
    const answer = await deleteUser(person.id)
    expect(answer).toMatchObject({ status: 409, json: { code: 'conflict' } })
    expect(answer.json.detail).toContain(`(${kind}). Deactivate them instead.`)
    expect(await auth.findPerson(person.id)).not.toBeNull()
  })

  test('is refused after a request by or for them was reviewed', async () => {
    const [manager, supervisor] = [await auth.addPerson('manager'), await auth.addPerson('supervisor')]
    const request = { requested_supervisor_id: supervisor.id, reason: 'needed' }
    const { json } = await auth.callAs(manager).post('/manager/request-supervisor', request)
    const review = { action: 'reject', comment: 'Rejected by admin' }
    await auth.callAs(admin).post(`/admin/supervisor-requests/${json.request.id}/review`, review)
    for (const { id } of [manager, supervisor]) expect((await deleteUser(id)).json.detail).toContain('(requests)')
  })

  test('is refused while a service does not answer', async () => {
    const person = await auth.addPerson('user')
    owners.unavailable = true
    expect((await deleteUser(person.id)).status).toBe(503)
    owners.unavailable = false
    expect(await auth.findPerson(person.id)).not.toBeNull()
  })

  test('is not possible for administrators and unknown people', async () => {
    expect((await deleteUser(admin.id)).json.code).toBe('conflict')
    expect((await deleteUser('nobody')).json.code).toBe('not_found')
  })
})
