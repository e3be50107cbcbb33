import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.addPerson('admin')
})
afterAll(() => auth.stop())

const assignRole = (id: string, role: unknown) => auth.callAs(admin).put(`/admin/users/${id}/role`, { role })
const assignSupervisor = (id: string, supervisorId: string) =>
  auth.callAs(admin).put(`/admin/users/${id}/supervisor?supervisor_id=${encodeURIComponent(supervisorId)}`)
const typesOf = async (id: string) => (await auth.listEvents(id)).map(event => event.type)
const lastEvent = async (id: string) => (await auth.listEvents(id)).at(-1)

/** Checks that the supervisor's counted team size is correct. */
async function expectTeam(supervisorId: string, size: number) {
  const people = auth.database.collection('people')
  expect(await people.countDocuments({ supervisor_id: supervisorId })).toBe(size)
  expect((await auth.findPerson(supervisorId))!.team_size).toBe(size)
}

async function createSupervisorUnder(managerId: string) {
  const supervisor = await auth.addPerson('supervisor')
  const people = auth.database.collection<{ _id: string }>('people')
  await people.updateOne({ _id: supervisor.id }, { $set: { manager_id: managerId } })
  await people.updateOne({ _id: managerId }, { $inc: { team_size: 1 } })
  return supervisor
}

describe('assigning a supervisor to a user', () => {
  test('changes the team, publishes an event and increments the version', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const user = await auth.addPerson('user')
    const answer = await assignSupervisor(user.id, supervisor.id)
    expect(answer).toMatchObject({ status: 200, json: { success: true, user: { supervisor_id: supervisor.id } } })
    await expectTeam(supervisor.id, 1)
    expect((await auth.callAs(user).get('/auth/profile')).json).toMatchObject({
      supervisor: { id: supervisor.id, email: supervisor.email, picture: null },
    })
    expect((await auth.callAs(supervisor).get('/auth/profile')).json.supervisor).toBeNull()
    expect(await lastEvent(user.id)).toMatchObject({
      type: 'user.supervisor_changed',
      data: {
        person: { id: user.id, supervisor_id: supervisor.id, supervisor_since: expect.any(String), version: 2 },
        by: admin.id,
        previous_supervisor_id: null,
      },
    })
  })

  test('says when the person joined, through later changes of the person and until they leave', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const user = await auth.addPerson('user')
    const readSince = async () => {
      const event = await lastEvent(user.id)
      return (event!.data as { person: PersonSnapshot }).person.supervisor_since
    }
    const before = auth.clock.now()
    await assignSupervisor(user.id, supervisor.id)
    const since = await readSince()
    expect(Date.parse(since!)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(since!)).toBeLessThanOrEqual(auth.clock.now())
    expect(await auth.findPerson(user.id)).toMatchObject({ supervisor_since: since })
    await assignRole(user.id, 'supervisor')
    expect(await readSince()).toBeNull()
  })

  test('repeated changes nothing and publishes nothing, even in a full team', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const users = await Promise.all(Array.from({ length: limits.supervisorCapacity }, () => auth.addPerson('user')))
    for (const user of users) await assignSupervisor(user.id, supervisor.id)
    expect((await assignSupervisor(users[0]!.id, supervisor.id)).status).toBe(200)
    expect(await typesOf(users[0]!.id)).toEqual(['user.supervisor_changed'])
    await expectTeam(supervisor.id, limits.supervisorCapacity)
  })

  test('moves between teams; an empty supervisor_id leaves the team', async () => {
    const [first, second] = [await auth.addPerson('supervisor'), await auth.addPerson('supervisor')]
    const user = await auth.addPerson('user')
    await assignSupervisor(user.id, first.id)
    await assignSupervisor(user.id, second.id)
    await expectTeam(first.id, 0)
    await expectTeam(second.id, 1)
    expect((await lastEvent(user.id))!.data.previous_supervisor_id).toBe(first.id)
    expect((await assignSupervisor(user.id, '')).json.user.supervisor_id).toBeNull()
    await expectTeam(second.id, 0)
    expect((await assignSupervisor(user.id, '')).status).toBe(200)
    expect(await typesOf(user.id)).toHaveLength(3)
  })

  test('exactly 10 of 11 concurrent calls for one team succeed', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const users = await Promise.all(Array.from({ length: 11 }, () => auth.addPerson('user')))
    const answers = await Promise.all(users.map(user => assignSupervisor(user.id, supervisor.id)))
    expect(answers.map(answer => answer.status).sort()).toEqual([...Array(10).fill(200), 409])
    const refused = answers.findIndex(answer => answer.status === 409)
    expect(answers[refused]!.json).toMatchObject({
      code: 'supervisor_full',
      detail: 'Supervisor already has 10 users',
    })
    await expectTeam(supervisor.id, 10)
    expect(await typesOf(users[refused]!.id)).toEqual([])
    const types = await Promise.all(users.map(user => typesOf(user.id)))
    expect(types.flat()).toHaveLength(10)
  })

  test('of two concurrent calls for one user the last one decides', async () => {
    const [first, second] = [await auth.addPerson('supervisor'), await auth.addPerson('supervisor')]
    const user = await auth.addPerson('user')
    const answers = await Promise.all([assignSupervisor(user.id, first.id), assignSupervisor(user.id, second.id)])
    expect(answers.map(answer => answer.status)).toEqual([200, 200])
    const row = await auth.findPerson(user.id)
    const supervisorId = row!.supervisor_id!
    await expectTeam(supervisorId, 1)
    await expectTeam(supervisorId === first.id ? second.id : first.id, 0)
  })

  test('concurrent with a change of the supervisor’s role leaves nobody in the team', async () => {
    for (let round = 0; round < 3; round += 1) {
      const supervisor = await auth.addPerson('supervisor')
      const user = await auth.addPerson('user')
      await Promise.all([assignSupervisor(user.id, supervisor.id), assignRole(supervisor.id, 'user')])
      expect((await auth.findPerson(user.id))!.supervisor_id).toBeNull()
      expect((await auth.findPerson(supervisor.id))!.team_size).toBe(0)
    }
  })

  test('is refused unless both people exist with the roles user and supervisor', async () => {
    const user = await auth.addPerson('user')
    const secondUser = await auth.addPerson('user')
    const supervisor = await auth.addPerson('supervisor')
    expect(await assignSupervisor(user.id, secondUser.id)).toMatchObject({ status: 422, json: { code: 'invalid' } })
    expect((await assignSupervisor(user.id, 'nobody')).status).toBe(422)
    expect((await assignSupervisor(user.id, user.id)).status).toBe(422)
    expect((await assignSupervisor(supervisor.id, supervisor.id)).status).toBe(409)
    expect((await assignSupervisor(admin.id, supervisor.id)).status).toBe(409)
    expect((await assignSupervisor('nobody', supervisor.id)).status).toBe(404)
    expect((await assignSupervisor('%24ne', supervisor.id)).status).toBe(404)
    const withoutParameter = await auth.callAs(admin).put(`/admin/users/${user.id}/supervisor`)
    expect(withoutParameter.status).toBe(422)
    const twice = await auth
      .callAs(admin)
      .put(`/admin/users/${user.id}/supervisor?supervisor_id=${supervisor.id}&supervisor_id=${supervisor.id}`)
    expect(twice.status).toBe(422)
    await expectTeam(supervisor.id, 0)
    expect(await typesOf(user.id)).toEqual([])
  })
})

describe('assigning a manager to a supervisor', () => {
  const assignManager = (id: string, managerId: string, by = admin) =>
    auth.callAs(by).put(`/admin/users/${id}/manager?manager_id=${encodeURIComponent(managerId)}`)
  const sizeOf = async (managerId: string) => (await auth.findPerson(managerId))!.team_size
  const requests = () => auth.database.collection('supervisor_requests')
  const auditOf = (id: string) =>
    auth.database.collection('audit').find({ 'subject.id': id }).sort({ _id: 1 }).toArray()
  const requestSupervisor = (manager: Person, supervisor: Person) =>
    auth.callAs(manager).post('/manager/request-supervisor', { requested_supervisor_id: supervisor.id })

  /** Checks that the manager's counted team size is correct. */
  async function expectManaged(managerId: string, size: number) {
    expect(await auth.database.collection('people').countDocuments({ manager_id: managerId })).toBe(size)
    expect(await sizeOf(managerId)).toBe(size)
  }

  test('assigns, moves and removes, each with an event and an audit entry', async () => {
    const supervisor = await auth.addPerson('supervisor', { name: 'Supervisor One' })
    const first = await auth.addPerson('manager', { name: 'Manager One' })
    const second = await auth.addPerson('manager', { name: 'Manager Two' })
    const user = await auth.addPerson('user')
    await assignSupervisor(user.id, supervisor.id)
    expect(await assignManager(supervisor.id, first.id)).toMatchObject({
      status: 200,
      json: { success: true, user: { id: supervisor.id, manager_id: first.id, user_count: 1 } },
    })
    await expectManaged(first.id, 1)
    expect((await assignManager(supervisor.id, second.id)).json.user.manager_id).toBe(second.id)
    await expectManaged(first.id, 0)
    await expectManaged(second.id, 1)
    expect((await assignManager(supervisor.id, '')).json.user.manager_id).toBeNull()
    await expectManaged(second.id, 0)
    await expectTeam(supervisor.id, 1)

    const changes = (await auth.listEvents(supervisor.id)).map(({ type, data }) => [
      type,
      data.previous_manager_id,
      (data.person as { manager_id: string | null }).manager_id,
      data.by,
    ])
    expect(changes).toEqual([
      ['user.manager_changed', null, first.id, admin.id],
      ['user.manager_changed', first.id, second.id, admin.id],
      ['user.manager_changed', second.id, null, admin.id],
    ])
    const managerFields = (manager: Person | null, name: string | null) => ({
      manager_id: manager?.id ?? null,
      manager_name: name,
    })
    expect(
      (await auditOf(supervisor.id)).map(({ action, by, before, after }) => [action, by.id, before, after]),
    ).toEqual([
      ['manager_changed', admin.id, managerFields(null, null), managerFields(first, 'Manager One')],
      ['manager_changed', admin.id, managerFields(first, 'Manager One'), managerFields(second, 'Manager Two')],
      ['manager_changed', admin.id, managerFields(second, 'Manager Two'), managerFields(null, null)],
    ])
  })

  test('repeated changes nothing and publishes nothing', async () => {
    const manager = await auth.addPerson('manager')
    const supervisor = await auth.addPerson('supervisor')
    for (const id of ['', manager.id, manager.id]) expect((await assignManager(supervisor.id, id)).status).toBe(200)
    expect(await typesOf(supervisor.id)).toEqual(['user.manager_changed'])
    expect(await auditOf(supervisor.id)).toHaveLength(1)
    await expectManaged(manager.id, 1)
  })

  test('withdraws this manager’s request for the supervisor, and rejects those of others', async () => {
    const [manager, secondManager] = [await auth.addPerson('manager'), await auth.addPerson('manager')]
    const [supervisor, secondSupervisor] = [await auth.addPerson('supervisor'), await auth.addPerson('supervisor')]
    for (const [requester, requested] of [
      [manager, supervisor],
      [manager, secondSupervisor],
      [secondManager, supervisor],
    ] as const)
      expect((await requestSupervisor(requester, requested)).status).toBe(200)
    await assignManager(supervisor.id, manager.id)
    const status = async (manager: Person, supervisor: Person) =>
      (await requests().findOne({ manager_id: manager.id, supervisor_id: supervisor.id }))!.status
    expect(await status(manager, supervisor)).toBe('withdrawn')
    expect(await status(manager, secondSupervisor)).toBe('pending')
    expect(await status(secondManager, supervisor)).toBe('rejected')
    expect((await auditOf(supervisor.id)).at(-1)!.after).toMatchObject({ withdrawn_requests: 1, declined_requests: 1 })
    // Without a manager the supervisor can be requested again.
    await assignManager(supervisor.id, '')
    expect((await requestSupervisor(manager, supervisor)).status).toBe(200)
  })

  test('is refused unless both people have the roles supervisor and manager', async () => {
    const [manager, supervisor, user] = [
      await auth.addPerson('manager'),
      await auth.addPerson('supervisor'),
      await auth.addPerson('user'),
    ]
    expect(await assignManager(supervisor.id, user.id)).toMatchObject({
      status: 422,
      json: { code: 'invalid', detail: 'manager_id is not a manager' },
    })
    for (const id of ['nobody', supervisor.id, admin.id])
      expect((await assignManager(supervisor.id, id)).status).toBe(422)
    for (const id of [user.id, manager.id, admin.id])
      expect(await assignManager(id, manager.id)).toMatchObject({
        status: 409,
        json: { code: 'conflict', detail: 'Only people with the role supervisor have a manager.' },
      })
    for (const id of ['nobody', '%24ne']) expect((await assignManager(id, manager.id)).status).toBe(404)
    expect((await auth.callAs(admin).put(`/admin/users/${supervisor.id}/manager`)).status).toBe(422)
    await expectManaged(manager.id, 0)
    expect(await typesOf(supervisor.id)).toEqual([])
    expect(await auditOf(supervisor.id)).toEqual([])
  })

  test('by two administrators concurrently assigns one manager, and the team sizes are correct', async () => {
    const second = await auth.addPerson('admin')
    const managers = [await auth.addPerson('manager'), await auth.addPerson('manager')]
    for (let round = 0; round < 5; round += 1) {
      const supervisor = await auth.addPerson('supervisor')
      const answers = await Promise.all([
        assignManager(supervisor.id, managers[0]!.id, admin),
        assignManager(supervisor.id, managers[1]!.id, second),
      ])
      expect(answers.map(answer => answer.status)).toEqual([200, 200])
      const last = (await lastEvent(supervisor.id))!.data.person as { manager_id: string; version: number }
      expect(last.version).toBe(3)
      expect((await auth.findPerson(supervisor.id))!.manager_id).toBe(last.manager_id)
    }
    let assigned = 0
    for (const manager of managers) {
      const size = await sizeOf(manager.id)
      await expectManaged(manager.id, size)
      assigned += size
    }
    expect(assigned).toBe(5)
  })

  test('concurrent with an approval assigns the manager once and closes the request once', async () => {
    const manager = await auth.addPerson('manager')
    for (let round = 0; round < 3; round += 1) {
      const supervisor = await auth.addPerson('supervisor')
      const request = await requestSupervisor(manager, supervisor)
      const [assigned, approved] = await Promise.all([
        assignManager(supervisor.id, manager.id),
        auth.callAs(admin).post(`/admin/supervisor-requests/${request.json.request.id}/review`, { action: 'approve' }),
      ])
      expect(assigned.status).toBe(200)
      expect([200, 409]).toContain(approved.status)
      expect((await auth.findPerson(supervisor.id))!.manager_id).toBe(manager.id)
      const stored = await requests().findOne({ supervisor_id: supervisor.id })
      expect(stored!.status).toBe(approved.status === 200 ? 'approved' : 'withdrawn')
      expect(await typesOf(supervisor.id)).toEqual(['user.manager_changed'])
    }
    await expectManaged(manager.id, 3)
  })
})

describe('giving a supervisor back', () => {
  const giveBack = (manager: Person, id: string) => auth.callAs(manager).delete(`/manager/supervisors/${id}`)

  test('leaves the supervisor without a manager and with the team, once, with an event and an audit entry', async () => {
    const manager = await auth.addPerson('manager')
    const supervisor = await createSupervisorUnder(manager.id)
    const user = await auth.addPerson('user')
    await assignSupervisor(user.id, supervisor.id)
    const answers = await Promise.all([giveBack(manager, supervisor.id), giveBack(manager, supervisor.id)])
    answers.push(await giveBack(manager, supervisor.id))
    for (const answer of answers)
      expect(answer).toMatchObject({ status: 200, json: { user: { id: supervisor.id, manager_id: null } } })
    expect((await auth.findPerson(manager.id))!.team_size).toBe(0)
    await expectTeam(supervisor.id, 1)
    const events = (await auth.listEvents(supervisor.id)).filter(({ type }) => type === 'user.manager_changed')
    expect(events).toMatchObject([{ data: { by: manager.id, previous_manager_id: manager.id } }])
    const entries = await auth.database.collection('audit').find({ 'subject.id': supervisor.id }).toArray()
    expect(entries.filter(({ action }) => action === 'manager_changed')).toMatchObject([
      { by: { id: manager.id }, before: { manager_id: manager.id }, after: { manager_id: null } },
    ])
    expect((await auth.callAs(manager).get('/manager/supervisors')).json).toEqual([])
  })

  test('is refused late, after an administrator has put the supervisor under the same manager again', async () => {
    const manager = await auth.addPerson('manager')
    const supervisor = await createSupervisorUnder(manager.id)
    const [{ version }] = (await auth.callAs(manager).get('/manager/supervisors')).json
    const giveBackOnce = () => giveBack(manager, `${supervisor.id}?version=${version}`)
    for (const _ of [1, 2]) expect((await giveBackOnce()).status).toBe(200)
    const path = `/admin/users/${supervisor.id}/manager?manager_id=${manager.id}`
    expect((await auth.callAs(admin).put(path)).status).toBe(200)
    expect(await giveBackOnce()).toMatchObject({ status: 409, json: { code: 'edited_elsewhere' } })
    expect((await auth.findPerson(supervisor.id))!.manager_id).toBe(manager.id)
    expect((await giveBack(manager, `${supervisor.id}?version=none`)).status).toBe(422)
  })

  test('is refused for supervisors of others, for other people, and for everybody but managers', async () => {
    const [manager, otherManager] = [await auth.addPerson('manager'), await auth.addPerson('manager')]
    const supervisor = await createSupervisorUnder(otherManager.id)
    const user = await auth.addPerson('user')
    for (const id of [supervisor.id, user.id, manager.id, 'nobody'])
      expect((await giveBack(manager, id)).status).toBe(404)
    for (const caller of [supervisor, user, admin]) expect((await giveBack(caller, supervisor.id)).status).toBe(403)
    expect((await auth.findPerson(supervisor.id))!.manager_id).toBe(otherManager.id)
  })

  test('at the same time as a move by an administrator leaves the supervisor to one of the two results', async () => {
    for (let round = 0; round < 3; round += 1) {
      const [manager, otherManager] = [await auth.addPerson('manager'), await auth.addPerson('manager')]
      const supervisor = await createSupervisorUnder(manager.id)
      const path = `/admin/users/${supervisor.id}/manager?manager_id=${otherManager.id}`
      const [returned, moved] = await Promise.all([giveBack(manager, supervisor.id), auth.callAs(admin).put(path)])
      expect([[200, 404], 200]).toEqual([expect.arrayContaining([returned.status]), moved.status])
      expect((await auth.findPerson(supervisor.id))!.manager_id).toBe(otherManager.id)
      expect((await auth.findPerson(manager.id))!.team_size).toBe(0)
      expect((await auth.findPerson(otherManager.id))!.team_size).toBe(1)
    }
  })
})

describe('assigning a role', () => {
  test('changes the role and publishes an event; the same role changes nothing', async () => {
    const user = await auth.addPerson('user')
    const answer = await assignRole(user.id, 'supervisor')
    expect(answer).toMatchObject({ status: 200, json: { success: true, user: { role: 'supervisor', user_count: 0 } } })
    expect((await assignRole(user.id, 'supervisor')).status).toBe(200)
    const events = await auth.listEvents(user.id)
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      type: 'user.role_changed',
      data: { person: { role: 'supervisor', version: 2 }, by: admin.id, previous_role: 'user' },
    })
  })

  test('a former user leaves the team', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const user = await auth.addPerson('user')
    await assignSupervisor(user.id, supervisor.id)
    await assignRole(user.id, 'director')
    await expectTeam(supervisor.id, 0)
    const changed = (await auth.listEvents(user.id)).slice(1)
    expect(changed.map(event => event.type)).toEqual(['user.role_changed', 'user.supervisor_changed'])
    for (const event of changed)
      expect(event.data.person).toMatchObject({ role: 'director', supervisor_id: null, version: 3 })
  })

  test('a former supervisor loses the team and the manager', async () => {
    const manager = await auth.addPerson('manager')
    const supervisor = await createSupervisorUnder(manager.id)
    const team = await Promise.all([1, 2, 3].map(() => auth.addPerson('user')))
    for (const member of team) await assignSupervisor(member.id, supervisor.id)
    const answer = await assignRole(supervisor.id, 'manager')
    expect(answer.json.user).toMatchObject({ role: 'manager', manager_id: null, supervisor_count: 0 })
    await expectTeam(supervisor.id, 0)
    expect((await auth.findPerson(manager.id))!.team_size).toBe(0)
    expect(await typesOf(supervisor.id)).toEqual(['user.role_changed', 'user.manager_changed'])
    for (const member of team)
      expect(await lastEvent(member.id)).toMatchObject({
        type: 'user.supervisor_changed',
        data: { person: { supervisor_id: null, version: 3 }, previous_supervisor_id: supervisor.id, by: admin.id },
      })
  })

  test('a former manager loses the supervisors, who keep their teams', async () => {
    const manager = await auth.addPerson('manager')
    const supervisor = await createSupervisorUnder(manager.id)
    const user = await auth.addPerson('user')
    await assignSupervisor(user.id, supervisor.id)
    await assignRole(manager.id, 'user')
    expect((await auth.findPerson(supervisor.id))!.manager_id).toBeNull()
    await expectTeam(supervisor.id, 1)
    expect(await lastEvent(supervisor.id)).toMatchObject({
      type: 'user.manager_changed',
      data: { person: { manager_id: null, version: 2 }, previous_manager_id: manager.id },
    })
  })

  test('takes effect at once, without a new sign-in', async () => {
    const user = await auth.addPerson('user')
    const caller = auth.callAs(user)
    expect((await caller.get('/users')).status).toBe(403)
    await assignRole(user.id, 'supervisor')
    expect((await caller.get('/users')).status).toBe(200)
  })

  test('is refused for administrators, for the role admin and for unknown people', async () => {
    const secondAdmin = await auth.addPerson('admin')
    const user = await auth.addPerson('user')
    for (const id of [admin.id, secondAdmin.id])
      expect(await assignRole(id, 'user')).toMatchObject({ status: 409, json: { code: 'conflict' } })
    for (const role of ['admin', 'king', '', null, { $ne: 'user' }, ['user']])
      expect((await assignRole(user.id, role)).status).toBe(422)
    expect((await assignRole('nobody', 'user')).status).toBe(404)
    expect((await auth.findPerson(user.id))!.version).toBe(1)
    expect((await auth.findPerson(admin.id))!.role).toBe('admin')
  })

  test('two concurrent changes are applied one after the other', async () => {
    const user = await auth.addPerson('user')
    const answers = await Promise.all([assignRole(user.id, 'manager'), assignRole(user.id, 'director')])
    expect(answers.map(answer => answer.status)).toEqual([200, 200])
    const versions = (await auth.listEvents(user.id)).map(event => (event.data.person as { version: number }).version)
    expect(versions.sort()).toEqual([2, 3])
  })
})

test('only an administrator assigns roles and teams', async () => {
  const user = await auth.addPerson('user')
  const supervisor = await auth.addPerson('supervisor')
  const path = `/admin/users/${user.id}`
  expect((await auth.anonymous.put(`${path}/role`, { role: 'manager' })).status).toBe(401)
  expect((await auth.anonymous.put(`${path}/supervisor?supervisor_id=${supervisor.id}`)).status).toBe(401)
  expect((await auth.anonymous.put(`${path}/manager?manager_id=`)).status).toBe(401)
  for (const role of ['user', 'supervisor', 'manager', 'director'] as const) {
    const caller = auth.callAs(await auth.addPerson(role))
    expect((await caller.put(`${path}/role`, { role: 'manager' })).status).toBe(403)
    expect((await caller.put(`${path}/role`, 'not even JSON')).status).toBe(403)
    expect((await caller.put(`${path}/supervisor?supervisor_id=${supervisor.id}`)).status).toBe(403)
    expect((await caller.put(`${path}/manager?manager_id=`)).status).toBe(403)
  }
  expect(await typesOf(user.id)).toEqual([])
})
