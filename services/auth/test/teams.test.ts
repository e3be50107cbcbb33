import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let auth: AuthWorld
let admin: Person
beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.person('admin')
})
afterAll(() => auth.stop())

const giveRole = (id: string, role: unknown) => auth.as(admin).put(`/admin/users/${id}/role`, { role })
const assign = (id: string, supervisorId: string) =>
  auth.as(admin).put(`/admin/users/${id}/supervisor?supervisor_id=${encodeURIComponent(supervisorId)}`)
const typesOf = async (id: string) => (await auth.events(id)).map(event => event.type)
const lastEvent = async (id: string) => (await auth.events(id)).at(-1)

/** What the supervisor's own document says must be what is true. */
async function expectTeam(supervisorId: string, size: number) {
  const people = auth.database.collection('people')
  expect(await people.countDocuments({ supervisor_id: supervisorId })).toBe(size)
  expect((await auth.row(supervisorId))!.team_size).toBe(size)
}

async function under(managerId: string) {
  const supervisor = await auth.person('supervisor')
  const people = auth.database.collection<{ _id: string }>('people')
  await people.updateOne({ _id: supervisor.id }, { $set: { manager_id: managerId } })
  await people.updateOne({ _id: managerId }, { $inc: { team_size: 1 } })
  return supervisor
}

describe('putting a user into a team', () => {
  test('does so, with an event and a new version', async () => {
    const supervisor = await auth.person('supervisor')
    const user = await auth.person('user')
    const answer = await assign(user.id, supervisor.id)
    expect(answer).toMatchObject({ status: 200, json: { success: true, user: { supervisor_id: supervisor.id } } })
    await expectTeam(supervisor.id, 1)
    expect(await lastEvent(user.id)).toMatchObject({
      type: 'user.supervisor_changed',
      data: {
        person: { id: user.id, supervisor_id: supervisor.id, version: 2 },
        by: admin.id,
        previous_supervisor_id: null,
      },
    })
  })

  test('again is no change and no event, even in a full team', async () => {
    const supervisor = await auth.person('supervisor')
    const users = await Promise.all(Array.from({ length: limits.supervisorCapacity }, () => auth.person('user')))
    for (const user of users) await assign(user.id, supervisor.id)
    expect((await assign(users[0]!.id, supervisor.id)).status).toBe(200)
    expect(await typesOf(users[0]!.id)).toEqual(['user.supervisor_changed'])
    await expectTeam(supervisor.id, limits.supervisorCapacity)
  })

  test('moves between teams, and an empty supervisor_id takes out', async () => {
    const [first, second] = [await auth.person('supervisor'), await auth.person('supervisor')]
    const user = await auth.person('user')
    await assign(user.id, first.id)
    await assign(user.id, second.id)
    await expectTeam(first.id, 0)
    await expectTeam(second.id, 1)
    expect((await lastEvent(user.id))!.data.previous_supervisor_id).toBe(first.id)
    expect((await assign(user.id, '')).json.user.supervisor_id).toBeNull()
    await expectTeam(second.id, 0)
    expect((await assign(user.id, '')).status).toBe(200)
    expect(await typesOf(user.id)).toHaveLength(3)
  })

  test('of 11 at once into one team exactly 10 succeed', async () => {
    const supervisor = await auth.person('supervisor')
    const users = await Promise.all(Array.from({ length: 11 }, () => auth.person('user')))
    const answers = await Promise.all(users.map(user => assign(user.id, supervisor.id)))
    expect(answers.map(answer => answer.status).sort()).toEqual([...Array(10).fill(200), 409])
    const refused = answers.findIndex(answer => answer.status === 409)
    expect(answers[refused]!.json).toMatchObject({
      code: 'supervisor_full',
      detail: 'Supervisor already has 10 users',
    })
    await expectTeam(supervisor.id, 10)
    expect(await typesOf(users[refused]!.id)).toEqual([])
    const told = await Promise.all(users.map(user => typesOf(user.id)))
    expect(told.flat()).toHaveLength(10)
  })

  test('one user into two teams at once ends up in one of them', async () => {
    const [first, second] = [await auth.person('supervisor'), await auth.person('supervisor')]
    const user = await auth.person('user')
    const answers = await Promise.all([assign(user.id, first.id), assign(user.id, second.id)])
    expect(answers.map(answer => answer.status)).toEqual([200, 200])
    const row = await auth.row(user.id)
    const holder = row!.supervisor_id!
    await expectTeam(holder, 1)
    await expectTeam(holder === first.id ? second.id : first.id, 0)
  })

  test('while the supervisor loses the role leaves nobody behind', async () => {
    for (let round = 0; round < 3; round += 1) {
      const supervisor = await auth.person('supervisor')
      const user = await auth.person('user')
      await Promise.all([assign(user.id, supervisor.id), giveRole(supervisor.id, 'user')])
      expect((await auth.row(user.id))!.supervisor_id).toBeNull()
      expect((await auth.row(supervisor.id))!.team_size).toBe(0)
    }
  })

  test('is refused for who is no supervisor, for who is no user, and for nobody', async () => {
    const user = await auth.person('user')
    const other = await auth.person('user')
    const supervisor = await auth.person('supervisor')
    expect(await assign(user.id, other.id)).toMatchObject({ status: 422, json: { code: 'invalid' } })
    expect((await assign(user.id, 'nobody')).status).toBe(422)
    expect((await assign(user.id, user.id)).status).toBe(422)
    expect((await assign(supervisor.id, supervisor.id)).status).toBe(409)
    expect((await assign(admin.id, supervisor.id)).status).toBe(409)
    expect((await assign('nobody', supervisor.id)).status).toBe(404)
    expect((await assign('%24ne', supervisor.id)).status).toBe(404)
    const bare = await auth.as(admin).put(`/admin/users/${user.id}/supervisor`)
    expect(bare.status).toBe(422)
    const twice = await auth
      .as(admin)
      .put(`/admin/users/${user.id}/supervisor?supervisor_id=${supervisor.id}&supervisor_id=${supervisor.id}`)
    expect(twice.status).toBe(422)
    await expectTeam(supervisor.id, 0)
    expect(await typesOf(user.id)).toEqual([])
  })
})

describe('giving a role', () => {
  test('does so, with an event; the same again is no change', async () => {
    const user = await auth.person('user')
    const answer = await giveRole(user.id, 'supervisor')
    expect(answer).toMatchObject({ status: 200, json: { success: true, user: { role: 'supervisor', user_count: 0 } } })
    expect((await giveRole(user.id, 'supervisor')).status).toBe(200)
    const events = await auth.events(user.id)
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      type: 'user.role_changed',
      data: { person: { role: 'supervisor', version: 2 }, by: admin.id, previous_role: 'user' },
    })
  })

  test('leaving user leaves the team', async () => {
    const supervisor = await auth.person('supervisor')
    const user = await auth.person('user')
    await assign(user.id, supervisor.id)
    await giveRole(user.id, 'director')
    await expectTeam(supervisor.id, 0)
    const changed = (await auth.events(user.id)).slice(1)
    expect(changed.map(event => event.type)).toEqual(['user.role_changed', 'user.supervisor_changed'])
    for (const event of changed)
      expect(event.data.person).toMatchObject({ role: 'director', supervisor_id: null, version: 3 })
  })

  test('leaving supervisor frees the team and leaves the manager', async () => {
    const manager = await auth.person('manager')
    const supervisor = await under(manager.id)
    const team = await Promise.all([1, 2, 3].map(() => auth.person('user')))
    for (const member of team) await assign(member.id, supervisor.id)
    const answer = await giveRole(supervisor.id, 'manager')
    expect(answer.json.user).toMatchObject({ role: 'manager', manager_id: null, supervisor_count: 0 })
    await expectTeam(supervisor.id, 0)
    expect((await auth.row(manager.id))!.team_size).toBe(0)
    expect(await typesOf(supervisor.id)).toEqual(['user.role_changed', 'user.manager_changed'])
    for (const member of team)
      expect(await lastEvent(member.id)).toMatchObject({
        type: 'user.supervisor_changed',
        data: { person: { supervisor_id: null, version: 3 }, previous_supervisor_id: supervisor.id, by: admin.id },
      })
  })

  test('leaving manager frees the supervisors, who keep their teams', async () => {
    const manager = await auth.person('manager')
    const supervisor = await under(manager.id)
    const user = await auth.person('user')
    await assign(user.id, supervisor.id)
    await giveRole(manager.id, 'user')
    expect((await auth.row(supervisor.id))!.manager_id).toBeNull()
    await expectTeam(supervisor.id, 1)
    expect(await lastEvent(supervisor.id)).toMatchObject({
      type: 'user.manager_changed',
      data: { person: { manager_id: null, version: 2 }, previous_manager_id: manager.id },
    })
  })

  test('counts at once, without signing in again', async () => {
    const user = await auth.person('user')
    const old = auth.as(user)
    expect((await old.get('/users')).status).toBe(403)
    await giveRole(user.id, 'supervisor')
    expect((await old.get('/users')).status).toBe(200)
  })

  test('an administrator’s cannot be changed, nobody is made one, and nobody is nobody', async () => {
    const other = await auth.person('admin')
    const user = await auth.person('user')
    for (const id of [admin.id, other.id])
      expect(await giveRole(id, 'user')).toMatchObject({ status: 409, json: { code: 'conflict' } })
    for (const role of ['admin', 'king', '', null, { $ne: 'user' }, ['user']])
      expect((await giveRole(user.id, role)).status).toBe(422)
    expect((await giveRole('nobody', 'user')).status).toBe(404)
    expect((await auth.row(user.id))!.version).toBe(1)
    expect((await auth.row(admin.id))!.role).toBe('admin')
  })

  test('two at once are one after the other', async () => {
    const user = await auth.person('user')
    const answers = await Promise.all([giveRole(user.id, 'manager'), giveRole(user.id, 'director')])
    expect(answers.map(answer => answer.status)).toEqual([200, 200])
    const versions = (await auth.events(user.id)).map(event => (event.data.person as { version: number }).version)
    expect(versions.sort()).toEqual([2, 3])
  })
})

test('only the administrator gives roles and teams', async () => {
  const user = await auth.person('user')
  const supervisor = await auth.person('supervisor')
  const path = `/admin/users/${user.id}`
  expect((await auth.anyone.put(`${path}/role`, { role: 'manager' })).status).toBe(401)
  expect((await auth.anyone.put(`${path}/supervisor?supervisor_id=${supervisor.id}`)).status).toBe(401)
  for (const role of ['user', 'supervisor', 'manager', 'director'] as const) {
    const caller = auth.as(await auth.person(role))
    expect((await caller.put(`${path}/role`, { role: 'manager' })).status).toBe(403)
    expect((await caller.put(`${path}/role`, 'not even JSON')).status).toBe(403)
    expect((await caller.put(`${path}/supervisor?supervisor_id=${supervisor.id}`)).status).toBe(403)
  }
  expect(await typesOf(user.id)).toEqual([])
})
