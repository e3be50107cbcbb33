import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AssignableRole, assignableRole } from '@watchline/contracts/people'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.person('admin', { name: 'Admin One' })
})
afterAll(() => auth.stop())

const giveRole = (id: string, role: string) => auth.as(admin).put(`/admin/users/${id}/role`, { role })
const assign = (id: string, supervisorId: string) =>
  auth.as(admin).put(`/admin/users/${id}/supervisor?supervisor_id=${supervisorId}`)

/** A request that is pending; with `approve` it is no longer, and the supervisor is the manager's. */
async function request(manager: Person, supervisor: Person, approve = false): Promise<string> {
  const asked = await auth.as(manager).post('/manager/request-supervisor', { requested_supervisor_id: supervisor.id })
  const { id } = asked.json.request
  if (approve) await auth.as(admin).post(`/admin/supervisor-requests/${id}/review`, { action: 'approve' })
  return id
}

/** Somebody of each role, with everybody a person of that role can have around them, and what must be left of it. */
const surroundings: Record<AssignableRole, () => Promise<Surrounding>> = {
  user: async () => {
    const [person, supervisor] = [
      await auth.person('user'),
      await auth.person('supervisor', { name: 'Supervisor One' }),
    ]
    await assign(person.id, supervisor.id)
    return {
      person,
      leader: supervisor,
      events: ['user.role_changed', 'user.supervisor_changed'],
      before: { role: 'user', supervisor_id: supervisor.id, supervisor_name: 'Supervisor One' },
      after: { supervisor_id: null, supervisor_name: null },
    }
  },
  supervisor: async () => {
    const [person, manager] = [await auth.person('supervisor'), await auth.person('manager', { name: 'Manager One' })]
    const rival = await auth.person('manager')
    const requests = [await request(rival, person)]
    await request(manager, person, true)
    const freed = [await auth.person('user'), await auth.person('user')]
    for (const member of freed) await assign(member.id, person.id)
    return {
      person,
      leader: manager,
      freed,
      freedBy: 'user.supervisor_changed',
      requests,
      events: ['user.role_changed', 'user.manager_changed'],
      before: { role: 'supervisor', manager_id: manager.id, manager_name: 'Manager One' },
      after: { manager_id: null, manager_name: null, freed_users: 2, withdrawn_requests: 1 },
    }
  },
  manager: async () => {
    const person = await auth.person('manager')
    const freed = [await auth.person('supervisor'), await auth.person('supervisor')]
    for (const supervisor of freed) await request(person, supervisor, true)
    const kept = await auth.person('user')
    await assign(kept.id, freed[0]!.id)
    const requests = [await request(person, await auth.person('supervisor'))]
    return {
      person,
      freed,
      freedBy: 'user.manager_changed',
      requests,
      kept: { person: kept, supervisor: freed[0]! },
      events: ['user.role_changed'],
      before: { role: 'manager' },
      after: { freed_supervisors: 2, withdrawn_requests: 1 },
    }
  },
  director: async () => ({
    person: await auth.person('director'),
    events: ['user.role_changed'],
    before: { role: 'director' },
    after: {},
  }),
}

interface Surrounding {
  person: Person
  /** Whom they were under. */
  leader?: Person
  /** Who was under them, and the event that says that they no longer are. */
  freed?: Person[]
  freedBy?: string
  /** Pending requests by or for them. */
  requests?: string[]
  /** A team that stays. */
  kept?: { person: Person; supervisor: Person }
  events: string[]
  before: Record<string, unknown>
  after: Record<string, unknown>
}

const pairs = assignableRole.options.flatMap(from =>
  assignableRole.options.filter(to => to !== from).map(to => [from, to] as const),
)

test.each(pairs)('from %s to %s ends what came with the one, and brings nothing with the other', async (from, to) => {
  const around = await surroundings[from]()
  const { person, leader, freed = [], freedBy, requests = [], kept } = around
  const start = (await auth.row(person.id))!.version
  const freedVersions = await Promise.all(freed.map(async each => (await auth.row(each.id))!.version))
  const eventsBefore = (await auth.events()).length
  const answer = await giveRole(person.id, to)
  expect(answer).toMatchObject({
    status: 200,
    json: { success: true, user: { id: person.id, role: to, supervisor_id: null, manager_id: null } },
  })

  // What auth itself keeps.
  const none = { supervisor_id: null, manager_id: null, team_size: 0 }
  expect(await auth.row(person.id)).toMatchObject({ role: to, ...none, version: start + 1 })
  if (leader) expect((await auth.row(leader.id))!.team_size).toBe(0)
  for (const [index, each] of freed.entries())
    expect(await auth.row(each.id)).toMatchObject({
      role: each.role,
      supervisor_id: null,
      manager_id: null,
      version: freedVersions[index]! + 1,
    })
  if (kept) {
    expect((await auth.row(kept.person.id))!.supervisor_id).toBe(kept.supervisor.id)
    expect((await auth.row(kept.supervisor.id))!.team_size).toBe(1)
  }
  const stored = auth.database.collection<{ _id: string; status: string }>('supervisor_requests')
  for (const id of requests) expect((await stored.findOne({ _id: id }))!.status).toBe('withdrawn')
  expect(await stored.countDocuments({ _id: { $in: requests } })).toBe(requests.length)
  expect((await auth.as(person).get('/auth/profile')).json.role).toBe(to)

  // What it tells the others: these events, and no more.
  const told = (await auth.events()).slice(eventsBefore)
  expect(told).toHaveLength(around.events.length + freed.length)
  const own = told.filter(event => event.subject === person.id)
  expect(own.map(event => event.type)).toEqual(around.events)
  for (const event of own)
    expect(event.data).toMatchObject({ by: admin.id, person: { role: to, supervisor_id: null, manager_id: null } })
  expect(own[0]!.data.previous_role).toBe(from)
  if (leader) expect(Object.values(own[1]!.data)).toContain(leader.id)
  for (const each of freed)
    expect(told.filter(event => event.subject === each.id)).toMatchObject([
      { type: freedBy, data: { by: admin.id, person: { supervisor_id: null, manager_id: null } } },
    ])

  // What the audit log says of it: one act.
  const log = (await auth.as(admin).get('/admin/audit?action=role_changed&limit=1')).json[0]
  expect(log).toMatchObject({ action: 'role_changed', subject: { id: person.id } })
  expect(log.before).toEqual(around.before)
  expect(log.after).toEqual({ role: to, ...around.after })
})

test('an administrator can neither take the own role away nor be put under anybody', async () => {
  const supervisor = await auth.person('supervisor')
  const before = (await auth.events()).length
  expect(await giveRole(admin.id, 'user')).toMatchObject({ status: 409, json: { code: 'conflict' } })
  expect((await assign(admin.id, supervisor.id)).status).toBe(409)
  const manager = await auth.person('manager')
  const asked = await auth.as(manager).post('/manager/request-supervisor', { requested_supervisor_id: admin.id })
  expect(asked.status).toBe(404)
  expect(await auth.row(admin.id)).toMatchObject({ role: 'admin', supervisor_id: null, manager_id: null, version: 1 })
  expect((await auth.events()).length).toBe(before)
  expect(await auth.database.collection('audit').countDocuments({ 'subject.id': admin.id })).toBe(0)
})
