import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AssignableRole, assignableRole } from '@watchline/contracts/people'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.addPerson('admin', { name: 'Admin One' })
})
afterAll(() => auth.stop())

const assignRole = (id: string, role: string) => auth.callAs(admin).put(`/admin/users/${id}/role`, { role })
const assignRoleAndTeam = (id: string, role: string, supervisorId: unknown) =>
  auth.callAs(admin).put(`/admin/users/${id}/role`, { role, supervisor_id: supervisorId })
const assignSupervisor = (id: string, supervisorId: string) =>
  auth.callAs(admin).put(`/admin/users/${id}/supervisor?supervisor_id=${supervisorId}`)

/** Creates a request, pending or approved, and returns its id. */
async function createRequest(manager: Person, supervisor: Person, approve = false): Promise<string> {
  const answer = await auth
    .callAs(manager)
    .post('/manager/request-supervisor', { requested_supervisor_id: supervisor.id })
  const { id } = answer.json.request
  if (approve) await auth.callAs(admin).post(`/admin/supervisor-requests/${id}/review`, { action: 'approve' })
  return id
}

/**
 * A person of each role with all relations that the role can have, and the expected effects of
 * leaving it.
 */
const scenarios: Record<AssignableRole, () => Promise<Scenario>> = {
  user: async () => {
    const [person, supervisor] = [
      await auth.addPerson('user'),
      await auth.addPerson('supervisor', { name: 'Supervisor One' }),
    ]
    await assignSupervisor(person.id, supervisor.id)
    return {
      person,
      leader: supervisor,
      events: ['user.role_changed', 'user.supervisor_changed'],
      before: { role: 'user', supervisor_id: supervisor.id, supervisor_name: 'Supervisor One' },
      after: { supervisor_id: null, supervisor_name: null },
    }
  },
  supervisor: async () => {
    const [person, manager] = [
      await auth.addPerson('supervisor'),
      await auth.addPerson('manager', { name: 'Manager One' }),
    ]
    await createRequest(manager, person, true)
    const freed = [await auth.addPerson('user'), await auth.addPerson('user')]
    for (const member of freed) await assignSupervisor(member.id, person.id)
    return {
      person,
      leader: manager,
      freed,
      freedBy: 'user.supervisor_changed',
      events: ['user.role_changed', 'user.manager_changed'],
      before: { role: 'supervisor', manager_id: manager.id, manager_name: 'Manager One' },
      after: { manager_id: null, manager_name: null, freed_users: 2 },
    }
  },
  manager: async () => {
    const person = await auth.addPerson('manager')
    const freed = [await auth.addPerson('supervisor'), await auth.addPerson('supervisor')]
    for (const supervisor of freed) await createRequest(person, supervisor, true)
    const user = await auth.addPerson('user')
    await assignSupervisor(user.id, freed[0]!.id)
    const requests = [await createRequest(person, await auth.addPerson('supervisor'))]
    return {
      person,
      freed,
      freedBy: 'user.manager_changed',
      requests,
      unchanged: { user, supervisor: freed[0]! },
      events: ['user.role_changed'],
      before: { role: 'manager' },
      after: { freed_supervisors: 2, withdrawn_requests: 1 },
    }
  },
  director: async () => ({
    person: await auth.addPerson('director'),
    events: ['user.role_changed'],
    before: { role: 'director' },
    after: {},
  }),
}

interface Scenario {
  person: Person
  /** The person's supervisor or manager. */
  leader?: Person
  /** The people under them, and the event type that frees those. */
  freed?: Person[]
  freedBy?: string
  /** The ids of pending requests by or for them. */
  requests?: string[]
  /** A team that stays unchanged. */
  unchanged?: { user: Person; supervisor: Person }
  events: string[]
  before: Record<string, unknown>
  after: Record<string, unknown>
}

const pairs = assignableRole.options.flatMap(from =>
  assignableRole.options.filter(to => to !== from).map(to => [from, to] as const),
)

test.each(pairs)('a change from %s to %s revokes the relations of the previous role only', async (from, to) => {
  const scenario = await scenarios[from]()
  const { person, leader, freed = [], freedBy, requests = [], unchanged } = scenario
  const start = (await auth.findPerson(person.id))!.version
  const freedVersions = await Promise.all(freed.map(async member => (await auth.findPerson(member.id))!.version))
  const eventsBefore = (await auth.listEvents()).length
  const answer = await assignRole(person.id, to)
  expect(answer).toMatchObject({
    status: 200,
    json: { success: true, user: { id: person.id, role: to, supervisor_id: null, manager_id: null } },
  })

  // Stored state.
  const none = { supervisor_id: null, manager_id: null, team_size: 0 }
  expect(await auth.findPerson(person.id)).toMatchObject({ role: to, ...none, version: start + 1 })
  if (leader) expect((await auth.findPerson(leader.id))!.team_size).toBe(0)
  for (const [index, member] of freed.entries())
    expect(await auth.findPerson(member.id)).toMatchObject({
      role: member.role,
      supervisor_id: null,
      manager_id: null,
      version: freedVersions[index]! + 1,
    })
  if (unchanged) {
    expect((await auth.findPerson(unchanged.user.id))!.supervisor_id).toBe(unchanged.supervisor.id)
    expect((await auth.findPerson(unchanged.supervisor.id))!.team_size).toBe(1)
  }
  const stored = auth.database.collection<{ _id: string; status: string }>('supervisor_requests')
  for (const id of requests) expect((await stored.findOne({ _id: id }))!.status).toBe('withdrawn')
  expect(await stored.countDocuments({ _id: { $in: requests } })).toBe(requests.length)
  expect((await auth.callAs(person).get('/auth/profile')).json.role).toBe(to)

  // Published events.
  const published = (await auth.listEvents()).slice(eventsBefore)
  expect(published).toHaveLength(scenario.events.length + freed.length)
  const ownEvents = published.filter(event => event.subject === person.id)
  expect(ownEvents.map(event => event.type)).toEqual(scenario.events)
  for (const event of ownEvents)
    expect(event.data).toMatchObject({ by: admin.id, person: { role: to, supervisor_id: null, manager_id: null } })
  expect(ownEvents[0]!.data.previous_role).toBe(from)
  if (leader) expect(Object.values(ownEvents[1]!.data)).toContain(leader.id)
  for (const member of freed)
    expect(published.filter(event => event.subject === member.id)).toMatchObject([
      { type: freedBy, data: { by: admin.id, person: { supervisor_id: null, manager_id: null } } },
    ])

  // Audit log.
  const entry = (await auth.callAs(admin).get('/admin/audit?action=role_changed&limit=1')).json[0]
  expect(entry).toMatchObject({ action: 'role_changed', subject: { id: person.id } })
  expect(entry.before).toEqual(scenario.before)
  expect(entry.after).toEqual({ role: to, ...scenario.after })
})

test('a new user joins a team in the same transaction; a repeated call changes nothing', async () => {
  const person = await auth.addPerson('manager')
  const freed = await auth.addPerson('supervisor')
  await createRequest(person, freed, true)
  const supervisor = await auth.addPerson('supervisor', { name: 'Supervisor One' })
  const before = (await auth.listEvents()).length
  for (let repeat = 0; repeat < 2; repeat += 1)
    expect(await assignRoleAndTeam(person.id, 'user', supervisor.id)).toMatchObject({
      status: 200,
      json: { user: { role: 'user', supervisor_id: supervisor.id, manager_id: null } },
    })
  expect(await auth.findPerson(person.id)).toMatchObject({ role: 'user', supervisor_id: supervisor.id })
  expect((await auth.findPerson(supervisor.id))!.team_size).toBe(1)
  expect((await auth.findPerson(freed.id))!.manager_id).toBeNull()
  const events = (await auth.listEvents()).slice(before).filter(event => event.subject === person.id)
  expect(events.map(event => event.type)).toEqual(['user.role_changed', 'user.supervisor_changed'])
  expect(events[1]!.data.person).toMatchObject({ role: 'user', supervisor_id: supervisor.id })
  const entries = (await auth.callAs(admin).get('/admin/audit?limit=2')).json
  expect(entries.map((entry: { action: string }) => entry.action).sort()).toEqual([
    'role_changed',
    'supervisor_changed',
  ])

  // A user who keeps the role moves; without supervisor_id the team stays.
  const other = await auth.addPerson('supervisor')
  expect((await assignRoleAndTeam(person.id, 'user', other.id)).json.user.supervisor_id).toBe(other.id)
  expect((await assignRole(person.id, 'user')).json.user.supervisor_id).toBe(other.id)
  expect((await auth.findPerson(supervisor.id))!.team_size).toBe(0)
})

test('a refused team leaves the role as it was', async () => {
  const full = await auth.addPerson('supervisor')
  for (let seat = 0; seat < 10; seat += 1) await assignSupervisor((await auth.addPerson('user')).id, full.id)
  const person = await auth.addPerson('supervisor')
  const member = await auth.addPerson('user')
  await assignSupervisor(member.id, person.id)
  const free = await auth.addPerson('supervisor')
  const before = { events: (await auth.listEvents()).length, row: await auth.findPerson(person.id) }

  const refused = await assignRoleAndTeam(person.id, 'user', full.id)
  expect([refused.status, refused.json.code]).toEqual([409, 'supervisor_full'])
  for (const supervisorId of [person.id, member.id, 'unknown', '', null, 7, ['x']])
    expect((await assignRoleAndTeam(person.id, 'user', supervisorId)).status).toBe(422)
  for (const role of ['manager', 'director', 'supervisor'])
    expect((await assignRoleAndTeam(person.id, role, free.id)).status).toBe(422)
  expect(await auth.findPerson(person.id)).toEqual(before.row)
  expect((await auth.findPerson(member.id))!.supervisor_id).toBe(person.id)
  expect((await auth.findPerson(free.id))!.team_size).toBe(0)
  expect((await auth.listEvents()).length).toBe(before.events)
})

test('a new supervisor comes under a manager in the same transaction, or nothing changes', async () => {
  const assign = (id: string, body: object) => auth.callAs(admin).put(`/admin/users/${id}/role`, body)
  const person = await auth.addPerson('director')
  const manager = await auth.addPerson('manager', { name: 'Manager One' })
  const rest = await auth.addPerson('user')
  for (const managerId of [rest.id, person.id, 'unknown', '', null])
    expect((await assign(person.id, { role: 'supervisor', manager_id: managerId })).status).toBe(422)
  for (const role of ['user', 'manager', 'director'])
    expect((await assign(person.id, { role, manager_id: manager.id })).status).toBe(422)
  expect(await auth.findPerson(person.id)).toMatchObject({ role: 'director', version: 1 })

  const body = { role: 'supervisor', manager_id: manager.id }
  expect((await assign(person.id, body)).json.user).toMatchObject({ role: 'supervisor', manager_id: manager.id })
  const eventsOfPerson = await auth.listEvents(person.id)
  expect(eventsOfPerson.map(({ type }) => type)).toEqual(['user.role_changed', 'user.manager_changed'])
  expect(await auth.findPerson(manager.id)).toMatchObject({ team_size: 1 })
  expect((await assign(person.id, body)).status).toBe(200)
  expect(await auth.listEvents(person.id)).toHaveLength(2)
  // The manager stays if the role does.
  expect((await assign(person.id, { role: 'supervisor' })).json.user).toMatchObject({ manager_id: manager.id })
})

test('an administrator keeps their role and cannot be put under a leader', async () => {
  const supervisor = await auth.addPerson('supervisor')
  const before = (await auth.listEvents()).length
  expect(await assignRole(admin.id, 'user')).toMatchObject({ status: 409, json: { code: 'conflict' } })
  expect((await assignSupervisor(admin.id, supervisor.id)).status).toBe(409)
  const manager = await auth.addPerson('manager')
  const answer = await auth.callAs(manager).post('/manager/request-supervisor', { requested_supervisor_id: admin.id })
  expect(answer.status).toBe(404)
  expect(await auth.findPerson(admin.id)).toMatchObject({
    role: 'admin',
    supervisor_id: null,
    manager_id: null,
    version: 1,
  })
  expect((await auth.listEvents()).length).toBe(before)
  expect(await auth.database.collection('audit').countDocuments({ 'subject.id': admin.id })).toBe(0)
})
