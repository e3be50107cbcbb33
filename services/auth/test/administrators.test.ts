import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { getAdminInvitation } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { type AuthWorld, rootAdmin, startAuth } from './_util.ts'

const guest = { name: 'Second Admin', email: 'second@example.org' }
const password = 'another horse 10'

let auth: AuthWorld
let root: { id: string }
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.stop())
beforeEach(async () => {
  for (const name of ['people', 'credentials', 'admin_seats', 'admin_invitations', 'audit'])
    await auth.database.collection(name).deleteMany({})
  root = (await auth.anonymous.post('/admin/setup', rootAdmin)).json.admin
})

const as = (caller: { id: string }) => auth.callAs(caller)
const passwordOf = ({ id }: { id: string }) => (id === root.id ? rootAdmin.password : password)
const listAll = async (caller = root) => (await as(caller).get('/admin/administrators')).json
const listEventTypes = async (subject: string) => (await auth.listEvents(subject)).map(({ type }) => type)
const readAudit = async (action: string) => (await as(root).get(`/admin/audit?action=${action}`)).json
const accept = (token: string) => auth.anonymous.post('/admin/accept-invitation', { token, password })
const check = (token: string) => auth.anonymous.post('/admin/accept-invitation/check', { token })

async function invite(fields = {}, caller = root) {
  const answer = await as(caller).post('/admin/administrators', { ...guest, password: passwordOf(caller), ...fields })
  return { answer, token: String(answer.json.link).split('#invite=')[1]!, id: answer.json.invitation?.id as string }
}

async function addAdmin(email = guest.email): Promise<{ id: string; email: string }> {
  return (await accept((await invite({ email })).token)).json.admin
}

async function signIn(email: string, secret = password) {
  const browser = auth.openBrowser()
  const answer = await browser.post('/api/admin/login', { email, password: secret })
  return { browser, answer }
}

describe('an invitation', () => {
  test('lets the invited person set a password and sign in, once', async () => {
    const { answer, token } = await invite({ email: ' Second@Example.org ' })
    expect(answer).toMatchObject({
      status: 201,
      json: {
        success: true,
        invitation: { ...guest, invited_by: { id: root.id, name: rootAdmin.name } },
        link: `${auth.config.publicUrl}/admin#invite=${token}`,
      },
    })
    expect((await check(token)).json).toEqual({ ...guest, expires_at: answer.json.invitation.expires_at })
    const accepted = await accept(token)
    expect(accepted).toMatchObject({ status: 200, json: { success: true, admin: { ...guest, role: 'admin' } } })
    const { id } = accepted.json.admin
    expect(id).toBe(answer.json.invitation.id)
    expect((await signIn(guest.email)).answer.json).toMatchObject({ success: true, admin: { id } })
    expect(await listEventTypes(id)).toEqual(['user.created'])
    for (const again of [await accept(token), await check(token)])
      expect(again).toMatchObject({ status: 404, json: { code: 'invalid_invitation' } })
    const [entry] = await readAudit('admin_created')
    expect(entry).toMatchObject({ by: { id }, subject: { id }, after: { invited_by_id: root.id } })
    expect((await readAudit('admin_invited'))[0]).toMatchObject({ by: { id: root.id }, subject: guest })
    expect((await readAudit('admin_signed_in'))[0]).toMatchObject({ by: { id, name: guest.name } })
    expect(await listAll()).toMatchObject({
      administrators: [
        { id: root.id, sign_in: 'password', last_seen: null },
        { id, sign_in: 'password', last_seen: new Date(auth.clock.now()).toISOString() },
      ],
      invitations: [],
    })
  })

  test('is stored as a hash', async () => {
    const { token } = await invite()
    const stored = await auth.database.collection('admin_invitations').find().toArray()
    const audited = await auth.database.collection('audit').find().toArray()
    expect(stored).toHaveLength(1)
    expect(JSON.stringify([stored, audited, await auth.listEvents()])).not.toContain(token)
  })

  test('is accepted by one of several concurrent calls', async () => {
    const { token } = await invite()
    const answers = await Promise.all([accept(token), accept(token), accept(token)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404])
    expect((await listAll()).administrators).toHaveLength(2)
  })

  test('expires', async () => {
    const { token } = await invite()
    auth.clock.advance(limits.adminInvitationTtlMs - 1)
    expect((await check(token)).status).toBe(200)
    auth.clock.advance(1)
    expect((await accept(token)).json.code).toBe('invalid_invitation')
    expect((await listAll()).invitations).toEqual([])
  })

  test('of the same address replaces the earlier one, also at the same time', async () => {
    const invitations = [await invite(), ...(await Promise.all([invite(), invite()]))]
    expect(invitations.map(({ answer }) => answer.status)).toEqual([201, 201, 201])
    const statuses = await Promise.all(invitations.map(async ({ token }) => (await check(token)).status))
    expect(statuses[0]).toBe(404)
    expect(statuses.sort()).toEqual([200, 404, 404])
  })

  test('can be withdrawn', async () => {
    const { token, id } = await invite()
    expect((await listAll()).invitations).toMatchObject([{ id, ...guest }])
    expect((await as(root).delete(`/admin/invitations/${id}`)).status).toBe(200)
    expect((await as(root).delete(`/admin/invitations/${id}`)).status).toBe(404)
    expect((await accept(token)).json.code).toBe('invalid_invitation')
    expect((await readAudit('admin_invitation_withdrawn'))[0]).toMatchObject({ by: { id: root.id }, subject: guest })
  })

  test('of an administrator is a conflict, and a short password uses nothing up', async () => {
    expect((await invite({ email: rootAdmin.email })).answer).toMatchObject({
      status: 409,
      json: { code: 'conflict', detail: `${rootAdmin.email} is already an administrator.` },
    })
    const { token } = await invite()
    const short = await auth.anonymous.post('/admin/accept-invitation', { token, password: 'short' })
    expect(short.status).toBe(422)
    const { id } = (await accept(token)).json.admin
    expect((await invite({}, { id })).answer.status).toBe(409)
  })
})

const remove = (id: string, by = root) => as(by).delete(`/admin/administrators/${id}`, { password: passwordOf(by) })

const reactivate = (id: string) => as(root).put(`/admin/users/${id}/status`, { status: 'active' })

describe('inviting an administrator again who was removed', () => {
  const findAll = () => auth.database.collection('people').find({ email: guest.email }).toArray()

  test('gives them the same account back, also after several removals', async () => {
    const { id } = await addAdmin()
    for (const name of ['Married Name', guest.name]) {
      await remove(id)
      const invitation = await invite({ name })
      expect((await readAudit('admin_invited'))[0]).toMatchObject({ subject: { id, name } })
      expect((await accept(invitation.token)).json.admin).toMatchObject({ id, name, email: guest.email, role: 'admin' })
    }
    expect(await findAll()).toMatchObject([{ _id: id, role: 'admin', team_size: 0 }])
    expect(await auth.findPerson(id)).not.toHaveProperty('deactivated_at')
    expect((await signIn(guest.email)).answer.json).toMatchObject({ success: true, admin: { id } })
    expect((await listAll()).administrators.map((admin: { id: string }) => admin.id).sort()).toEqual(
      [root.id, id].sort(),
    )
    const restored = ['user.role_changed', 'user.reactivated']
    const removed = ['user.role_changed', 'user.deactivated']
    expect(await listEventTypes(id)).toEqual(['user.created', ...removed, ...restored, ...removed, ...restored])
    const [event] = (await auth.listEvents(id)).filter(({ type }) => type === 'user.reactivated')
    expect(event!.data).toMatchObject({ by: root.id, person: { id, role: 'admin', name: 'Married Name' } })
    expect((await readAudit('admin_created'))[0]).toMatchObject({
      by: { id },
      subject: { id },
      before: { role: 'user' },
      after: { role: 'admin', invited_by_id: root.id },
    })
  })

  test('ends the relations that somebody gave them meanwhile', async () => {
    const { id } = await addAdmin()
    await remove(id)
    const trainee = await auth.addPerson('user')
    // In earlier versions they could be reactivated.
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: id }, { $unset: { deactivated_at: 1 } })
    await as(root).put(`/admin/users/${id}/role`, { role: 'supervisor' })
    await as(root).put(`/admin/users/${trainee.id}/supervisor?supervisor_id=${id}`, {})
    const { token } = await invite()
    expect((await accept(token)).json.admin).toMatchObject({ id })
    expect(await findAll()).toMatchObject([{ _id: id, role: 'admin', team_size: 0 }])
    expect(await auth.findPerson(trainee.id)).toMatchObject({ supervisor_id: null })
    expect((await readAudit('admin_created'))[0]).toMatchObject({
      before: { role: 'supervisor' },
      after: { freed_users: 1 },
    })
    expect((await listEventTypes(id)).slice(-1)).toEqual(['user.role_changed'])
  })

  test('conflicts with no reactivation, removal or second acceptance at the same time', async () => {
    const { id } = await addAdmin()
    await remove(id)
    const { token } = await invite()
    const [first, second] = await Promise.all([accept(token), accept(token), reactivate(id), reactivate(id)])
    expect([first.status, second.status].sort()).toEqual([200, 404])
    expect(await findAll()).toMatchObject([{ _id: id, role: 'admin' }])
    expect((await listEventTypes(id)).filter(type => type === 'user.reactivated')).toHaveLength(1)
  })

  test('is the only way back, because nothing else lets them sign in', async () => {
    const { id } = await addAdmin()
    await remove(id)
    const detail =
      'This person was an administrator and has no account at the sign-in provider. Invite them again under Settings, Administrators.'
    expect(await reactivate(id)).toMatchObject({ status: 409, json: { code: 'conflict', detail } })
    expect(await auth.findPerson(id)).toMatchObject({ deactivated_at: expect.any(String) })
    expect((await accept((await invite()).token)).json.admin).toMatchObject({ id })

    const account = await auth.addPerson('user')
    await as(root).put(`/admin/users/${account.id}/status`, { status: 'deactivated' })
    expect((await reactivate(account.id)).status).toBe(200)
  })

  test('makes a new account if the old one was deleted, and never takes one of the sign-in provider', async () => {
    const { id } = await addAdmin()
    await remove(id)
    const { token } = await invite()
    await auth.database.collection<{ _id: string }>('people').deleteOne({ _id: id })
    await auth.addPerson('user', { email: guest.email })
    const created = (await accept(token)).json.admin
    expect(created.id).not.toBe(id)
    expect((await findAll()).map(({ role }) => role).sort()).toEqual(['admin', 'user'])
    expect((await listEventTypes(created.id))[0]).toBe('user.created')
  })

  test('names the person when the invitation is withdrawn', async () => {
    const { id } = await addAdmin()
    await remove(id)
    const invitation = await invite()
    expect((await as(root).delete(`/admin/invitations/${invitation.id}`)).status).toBe(200)
    expect((await readAudit('admin_invitation_withdrawn'))[0]).toMatchObject({ subject: { id } })
    expect(await auth.findPerson(id)).toMatchObject({ role: 'user', deactivated_at: expect.any(String) })
  })
})

describe('removing an administrator', () => {
  test('ends role, password, sessions and open invitations', async () => {
    const second = await addAdmin()
    const { browser } = await signIn(guest.email)
    const open = await invite({ email: 'third@example.org' }, second)
    expect((await remove(second.id)).json).toEqual({ success: true })
    expect((await browser.post('/api/auth/refresh', {})).status).toBe(401)
    expect((await as(second).get('/admin/administrators')).status).toBe(401)
    expect((await signIn(guest.email)).answer.json.code).toBe('invalid_credentials')
    expect((await check(open.token)).status).toBe(404)
    expect(await auth.findPerson(second.id)).toMatchObject({ role: 'user', deactivated_at: expect.any(String) })
    expect(await listEventTypes(second.id)).toEqual(['user.created', 'user.role_changed', 'user.deactivated'])
    expect((await readAudit('admin_removed'))[0]).toMatchObject({
      by: { id: root.id },
      subject: { id: second.id },
      before: { role: 'admin' },
      after: { role: 'user', ended_sessions: 1, withdrawn_invitations: 1 },
    })
    expect((await remove(second.id)).status).toBe(404)
    expect((await invite()).answer.status).toBe(201)
  })

  test('is refused for the last one, and possible for oneself before', async () => {
    const last = await remove(root.id)
    expect(last).toMatchObject({ status: 409, json: { code: 'last_admin' } })
    const second = await addAdmin()
    expect((await remove(root.id)).status).toBe(200)
    expect((await remove(second.id, second)).json.code).toBe('last_admin')
    expect((await auth.anonymous.post('/admin/setup', rootAdmin)).json.code).toBe('admin_exists')
  })

  test('is refused for oneself as the last one with a password: the provider of the others may be gone', async () => {
    const provided = await auth.addPerson('admin')
    expect((await remove(root.id)).json.code).toBe('last_admin')
    const second = await addAdmin()
    expect((await remove(root.id)).status).toBe(200)
    expect((await remove(second.id, second)).json.code).toBe('last_admin')
    // Another administrator, who is signed in now, may leave all sign-ins to the provider.
    expect((await as(provided).delete(`/admin/administrators/${second.id}`)).status).toBe(200)
  })

  test('keeps one when all remove each other at the same time', async () => {
    const [second, third] = [await addAdmin('b@example.org'), await addAdmin('c@example.org')]
    const answers = await Promise.all([
      remove(root.id, second),
      remove(second.id, third),
      remove(third.id, root),
      remove(third.id, third),
      remove(second.id, second),
      remove(root.id, root),
    ])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    expect(await auth.database.collection('people').countDocuments({ role: 'admin' })).toBe(1)
  })

  test('and other people is not possible through their own role', async () => {
    const second = await addAdmin()
    const change = await as(root).put(`/admin/users/${second.id}/role`, { role: 'user' })
    expect(change.status).toBe(409)
    expect((await remove((await auth.addPerson('director')).id)).status).toBe(404)
  })
})

test('each change of administrators is published once, for the others', async () => {
  const second = await addAdmin()
  await remove(second.id)
  const [factor] = [{ person_id: root.id, kind: 'totp', name: 'Phone', added_at: new Date(), last_used_at: null }]
  await auth.database.collection<{ _id: string }>('second_factors').insertOne({ _id: 'factor-1', ...factor } as never)
  expect((await as(root).delete('/admin/second-factors/factor-1', { password: rootAdmin.password })).status).toBe(200)
  expect((await auth.listEvents('administrators')).slice(-4).map(({ data }) => data)).toEqual([
    { change: 'invited', person_id: root.id, by: root.id },
    { change: 'joined', person_id: second.id, by: second.id },
    { change: 'removed', person_id: second.id, by: root.id },
    { change: 'second_factor_removed', person_id: root.id, by: root.id },
  ])
})

describe('the proof before a change that could take over the installation', () => {
  async function callEach(caller: ReturnType<typeof as>, proof: object) {
    const person = await auth.addPerson('user')
    const { version } = (await caller.get('/admin/claim-rules')).json
    return [
      await caller.post('/admin/administrators', { name: 'Third Admin', email: 'third@example.org', ...proof }),
      await caller.delete('/admin/administrators/nobody', proof),
      await caller.post(`/admin/users/${person.id}/erase`, { confirm_email: person.email, ...proof }),
      await caller.put('/admin/claim-rules', { rules: [], version, ...proof }),
    ]
  }
  const codesOf = (answers: Awaited<ReturnType<typeof callEach>>) => answers.map(({ json }) => json.code)
  const accepted = [undefined, 'not_found', undefined, undefined]
  const refusedWith = (code: string) => [code, code, code, code]

  test('is the password of administrators who have one', async () => {
    expect(codesOf(await callEach(as(root), {}))).toEqual(refusedWith('invalid_credentials'))
    expect((await listAll()).invitations).toEqual([])
    const wrong = await as(root).delete('/admin/administrators/nobody', { password: 'not the password' })
    expect(wrong).toMatchObject({ status: 401, json: { detail: 'The password is wrong' } })
    expect(codesOf(await callEach(as(root), { password: rootAdmin.password }))).toEqual(accepted)
  })

  test('is a sign-in of the last ten minutes for those who have a second factor or no password', async () => {
    const provided = await auth.addPerson('admin')
    const [withFactor, withProvider] = [as(root), as(provided)]
    auth.clock.advance(limits.freshSignInMs - 1_000)
    expect(codesOf(await callEach(withProvider, {}))).toEqual(accepted)
    auth.clock.advance(2_000)
    expect(codesOf(await callEach(withProvider, {}))).toEqual(refusedWith('sign_in_again'))
    const proof = { password: rootAdmin.password }
    expect(codesOf(await callEach(withFactor, proof))).toEqual(accepted)
    await auth.database
      .collection('second_factors')
      .insertOne({ person_id: root.id, kind: 'totp', name: 'Phone', added_at: new Date(), last_used_at: null })
    expect(codesOf(await callEach(withFactor, proof))).toEqual(refusedWith('sign_in_again'))
    const change = { current_password: rootAdmin.password, new_password: password }
    expect((await withFactor.post('/admin/password', change)).json.code).toBe('sign_in_again')
    expect((await as(root).post('/admin/password', change)).status).toBe(200)
  })
})

test('only notification finds an invitation for its mail, by the hash of the token, while it is valid', async () => {
  const { answer, token } = await invite()
  const { invitation } = answer.json
  const tokenHash = createHash('sha256').update(token).digest('hex')
  const findAs = (service: 'notification' | 'chat', hash: string) =>
    createInternalClient({ url: auth.url, credentials: auth.world.credentialsOf(service) }).find(getAdminInvitation, {
      params: { tokenHash: hash },
    })
  expect(await findAs('notification', tokenHash)).toEqual({
    ...{ ...guest, id: invitation.id, invited_by_name: rootAdmin.name },
    expires_at: invitation.expires_at,
  })
  expect(await findAs('notification', '0'.repeat(64))).toBeUndefined()
  await expect(findAs('chat', tokenHash)).rejects.toThrow('answered 403')
  auth.clock.advance(limits.adminInvitationTtlMs)
  expect(await findAs('notification', tokenHash)).toBeUndefined()
})
