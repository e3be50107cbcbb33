import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { newId } from '@watchline/kit/mongo/database'
import { startFakeProvider } from './_fake-provider.ts'
import { type FakeProvider, signInAt } from './_provider-sign-in.ts'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let fake: FakeProvider
let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  fake = await startFakeProvider('c')
  auth = await startAuth({
    oidcIssuer: fake.issuer,
    oidcClientId: 'c',
    claimNames: ['groups', 'roles', 'realm_access.roles'],
    oidcAdminClaim: { name: 'roles', value: 'watchline-admins' },
    oidcClaimsFromUserInfo: true,
  })
  admin = await auth.addPerson('admin', { name: 'First Admin' })
})
afterAll(async () => {
  await auth.stop()
  await fake.stop()
})

const readRules = async () => (await auth.callAs(admin).get('/admin/claim-rules')).json
const putRules = async (rules: object[], version?: number) =>
  auth.callAs(admin).put('/admin/claim-rules', { rules, version: version ?? (await readRules()).version })
const saveRules = async (...rules: object[]) => expect((await putRules(rules)).status).toBe(200)
const preview = async (...rules: object[]) =>
  (await auth.callAs(admin).post('/admin/claim-rules/preview', { rules })).json
const rule = (value: string, role: string, fields: object = {}) => ({ claim: 'groups', value, role, ...fields })

const subject = () => `person-${newId()}`
async function signIn(sub: string, claims: Record<string, unknown> = {}) {
  const result = await signInAt(auth, fake, { sub, email: `${sub}@example.org`, ...claims })
  expect(result.error).toBeNull()
  return result.login()
}
const auditOf = async (sub: string) =>
  (await auth.callAs(admin).get(`/admin/audit?setup=false&search=${sub}@example.org`)).json

describe('a sign-in with a claim', () => {
  test('gets the role of the first rule that matches, with event and audit entry', async () => {
    await saveRules(rule('supervisors', 'supervisor'), rule('staff', 'director'))
    const sub = subject()
    const user = await signIn(sub, { groups: ['staff', 'supervisors'] })
    expect(user).toMatchObject({ role: 'supervisor' })
    const events = await auth.listEvents(user.id)
    expect(events.map(({ type, data }) => [type, data.by])).toEqual([
      ['user.created', null],
      ['user.role_changed', null],
    ])
    expect(await auditOf(sub)).toMatchObject([
      {
        action: 'role_changed',
        by: null,
        before: { role: 'user' },
        after: { role: 'supervisor', claim: 'groups', claim_value: 'supervisors' },
      },
    ])
    expect(await signIn(sub, { groups: ['supervisors'] })).toMatchObject({ id: user.id, role: 'supervisor' })
    expect(await auth.listEvents(user.id)).toHaveLength(2)
  })

  test.each([
    ['one value', { roles: 'leads' }, 'director'],
    ['a nested claim', { realm_access: { roles: ['leads'] } }, 'director'],
    ['another case', { roles: ['Leads'] }, 'user'],
    ['a longer value', { roles: ['leads-of-others'] }, 'user'],
    ['an object', { roles: { leads: true } }, 'user'],
    ['no value', {}, 'user'],
  ])('as %s: %j → %s', async (_name, claims, role) => {
    await saveRules(
      { claim: 'roles', value: 'leads', role: 'director' },
      { claim: 'realm_access.roles', value: 'leads', role: 'director' },
    )
    expect((await signIn(subject(), claims)).role).toBe(role)
  })

  test('that only the userinfo endpoint sends is read too', async () => {
    await saveRules(rule('supervisors', 'supervisor'))
    const sub = subject()
    fake.state.userInfo = { sub, groups: ['supervisors'] }
    // A new provider object would discover the endpoint; this one discovers it after an hour.
    auth.clock.advance(61 * 60_000)
    expect((await signIn(sub, { email_verified: true })).role).toBe('supervisor')
    fake.state.userInfo = undefined
    auth.clock.advance(61 * 60_000)
  })

  test('joins the team or manager of the rule, and keeps them without a rule', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const manager = await auth.addPerson('manager')
    await saveRules(
      rule('team-a', 'user', { leader_id: supervisor.id }),
      rule('leads', 'supervisor', { leader_id: manager.id }),
    )
    const [member, lead] = [subject(), subject()]
    expect(await signIn(member, { groups: ['team-a'] })).toMatchObject({ supervisor_id: supervisor.id })
    expect(await signIn(lead, { groups: ['leads'] })).toMatchObject({ role: 'supervisor', manager_id: manager.id })
    expect((await auth.findPerson(supervisor.id))!.team_size).toBe(1)
    await saveRules(rule('team-a', 'user'))
    expect(await signIn(member, { groups: ['team-a'] })).toMatchObject({ supervisor_id: supervisor.id })
    expect(await signIn(lead, { groups: [] })).toMatchObject({ role: 'supervisor', manager_id: manager.id })
  })

  test('is not stopped by a full team, which is noted once', async () => {
    const supervisor = await auth.addPerson('supervisor', { name: 'Supervisor Full' })
    await saveRules(rule('crowd', 'user', { leader_id: supervisor.id }))
    const subs = Array.from({ length: 12 }, subject)
    const users = await Promise.all(subs.map(sub => signIn(sub, { groups: ['crowd'] })))
    const inTeam = users.filter(user => user.supervisor_id === supervisor.id)
    expect(inTeam).toHaveLength(10)
    expect((await auth.findPerson(supervisor.id))!.team_size).toBe(10)

    const outside = users.findIndex(user => user.supervisor_id === null)
    const noted = {
      action: 'claim_rule_not_applied',
      by: null,
      after: { reason: 'full', supervisor_id: supervisor.id },
    }
    expect(await auditOf(subs[outside]!)).toMatchObject([noted])
    await signIn(subs[outside]!, { groups: ['crowd'] })
    expect(await auditOf(subs[outside]!)).toHaveLength(1)
    const { problems, problem_count } = await readRules()
    expect(problem_count).toBe(2)
    expect(problems.find((row: { user: Person }) => row.user.id === users[outside].id)).toMatchObject({
      problem: 'full',
      leader_name: 'Supervisor Full',
    })

    await auth.callAs(admin).put(`/admin/users/${inTeam[0].id}/supervisor?supervisor_id=`)
    expect(await signIn(subs[outside]!, { groups: ['crowd'] })).toMatchObject({ supervisor_id: supervisor.id })
    expect((await readRules()).problem_count).toBe(1)
  })

  test('is not stopped by a leader who leads no more', async () => {
    const supervisor = await auth.addPerson('supervisor')
    await saveRules(rule('orphans', 'user', { leader_id: supervisor.id }))
    await auth.callAs(admin).put(`/admin/users/${supervisor.id}/role`, { role: 'director' })
    const sub = subject()
    expect(await signIn(sub, { groups: ['orphans'] })).toMatchObject({ role: 'user', supervisor_id: null })
    expect(await auditOf(sub)).toMatchObject([{ after: { reason: 'not_a_leader' } }])
    expect((await readRules()).rules).toMatchObject([{ leader: { id: supervisor.id, available: false } }])
  })

  test('changes no administrator and nobody who is deactivated', async () => {
    await saveRules(rule('everybody', 'director'))
    const sub = subject()
    const { id } = await signIn(sub, { groups: [] })
    const people = auth.database.collection<{ _id: string; role: string }>('people')
    await signIn(sub, { groups: ['everybody'], roles: ['watchline-admins'] })
    expect((await auth.findPerson(id))!.role).toBe('admin')
    await people.updateOne({ _id: id }, { $set: { role: 'user' } })
    await auth.callAs(admin).put(`/admin/users/${id}/status`, { status: 'deactivated' })
    const refused = await signInAt(auth, fake, { sub, email: `${sub}@example.org`, groups: ['everybody'] })
    expect(refused.error).toBe('deactivated')
    expect((await auth.findPerson(id))!.role).toBe('user')
  })
})

describe('the table', () => {
  test('refuses an older version, so that two administrators do not overwrite each other', async () => {
    const { version } = await readRules()
    const answers = await Promise.all([1, 2].map(() => putRules([rule('race', 'user')], version)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const refused = answers.find(({ status }) => status === 409)
    expect(refused!.json.code).toBe('edited_elsewhere')
    expect((await readRules()).version).toBe(version + 1)
  })

  test('is audited with what was added and removed', async () => {
    await saveRules(rule('a', 'user'), rule('b', 'director'))
    await saveRules(rule('b', 'director'), rule('c', 'manager'))
    const [entry] = (await auth.callAs(admin).get('/admin/audit?action=claim_rules_changed&limit=1')).json
    expect(entry).toMatchObject({
      by: { id: admin.id },
      subject: null,
      before: { rules: 2 },
      after: { rules: 2, added: 'groups contains c: manager', removed: 'groups contains a: user' },
    })
  })

  test.each([
    ['a claim that is not remembered', () => rule('x', 'user', { claim: 'email' }), 'rules.0.claim'],
    ['an administrator', () => rule('x', 'admin'), 'rules.0.role'],
    ['an empty value', () => rule(' ', 'user'), 'rules.0.value'],
    ['an unknown leader', () => rule('x', 'user', { leader_id: 'nobody' }), 'rules.0.leader_id'],
    ['a leader of the wrong role', () => rule('x', 'supervisor', { leader_id: admin.id }), 'rules.0.leader_id'],
    ['a leader of a director', () => rule('x', 'director', { leader_id: admin.id }), 'rules.0.leader_id'],
  ])('refuses %s', async (_name, makeRule, path) => {
    const before = await readRules()
    for (const answer of [
      await putRules([makeRule()]),
      await auth.callAs(admin).post('/admin/claim-rules/preview', { rules: [makeRule()] }),
    ])
      expect(answer).toMatchObject({ status: 422, json: { errors: [{ path }] } })
    expect(await readRules()).toEqual(before)
  })

  test('refuses more than a hundred rules', async () => {
    const rules = Array.from({ length: 101 }, (_, index) => rule(`group ${index}`, 'user'))
    expect((await putRules(rules)).status).toBe(422)
  })
})

describe('the preview', () => {
  test('lists who would change, by their latest claims, and changes nothing', async () => {
    await saveRules()
    const supervisor = await auth.addPerson('supervisor', { name: 'Supervisor Preview' })
    for (let seat = 0; seat < 9; seat += 1) {
      const { id } = await auth.addPerson('user')
      await auth.callAs(admin).put(`/admin/users/${id}/supervisor?supervisor_id=${supervisor.id}`)
    }
    const subs = [subject(), subject(), subject()]
    const users = []
    for (const sub of subs) users.push(await signIn(sub, { groups: ['preview'] }))
    await signIn(subs[2]!, { groups: ['elsewhere'] })
    const found = await preview(
      rule('preview', 'user', { leader_id: supervisor.id }),
      rule('elsewhere', 'manager'),
      rule('nobody', 'director'),
    )
    expect(found.change_count).toBe(3)
    expect(found.checked).toBeGreaterThanOrEqual(3)
    const nameless = { leader_before: null, problem: null }
    expect(found.changes).toHaveLength(3)
    expect(found.changes.filter((change: { rule: number }) => change.rule === 0)).toMatchObject([
      { ...nameless, role_before: 'user', role_after: 'user', leader_after: 'Supervisor Preview' },
      { ...nameless, leader_after: null, problem: 'full' },
    ])
    expect(found.changes.find((change: { rule: number }) => change.rule === 1)).toMatchObject({
      ...nameless,
      user: { id: users[2].id, email: `${subs[2]}@example.org` },
      role_before: 'user',
      role_after: 'manager',
    })
    expect((await auth.findPerson(users[2].id))!.role).toBe('user')
    expect((await readRules()).rules).toEqual([])
  })

  test('belongs to a person’s own data, and goes when they are erased', async () => {
    const user = await signIn(subject(), { groups: ['kept'] })
    const claims = auth.database.collection<{ _id: string }>('sign_in_claims')
    expect(await claims.countDocuments({ _id: user.id })).toBe(1)
    const data = await auth.callAs(admin).get(`/auth/record/data?user_id=${user.id}`)
    expect(data.text).toContain('"values":["kept"]')
    const erased = await auth.callAs(admin).post(`/admin/users/${user.id}/erase`, { confirm_email: user.email })
    expect(erased.status).toBe(200)
    expect(await claims.countDocuments({ _id: user.id })).toBe(0)
  })

  test('remembers only the named claims, bounded', async () => {
    const groups = Array.from({ length: 300 }, (_, index) => `group ${index}`)
    const { id } = await signIn(subject(), { groups: [...groups, 'x'.repeat(500)], phone_number: '0900' })
    const stored = await auth.database
      .collection<{ _id: string; claims: unknown }>('sign_in_claims')
      .findOne({ _id: id })
    expect(stored!.claims).toEqual([{ name: 'groups', values: groups.slice(0, 200) }])
  })
})
