import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AuthWorld, rootAdmin, startAuth } from './_util.ts'

let auth: AuthWorld
beforeAll(async () => {
  auth = await startAuth()
})
afterAll(() => auth.stop())

const organisation = {
  admin: rootAdmin,
  people: [
    { name: 'Trainee 1', email: 'Trainee1@demo.local', role: 'user' as const, supervisor: 'supervisor1@demo.local' },
    { name: 'Trainee 2', email: 'trainee2@demo.local', role: 'user' as const, supervisor: 'supervisor1@demo.local' },
    {
      name: 'Supervisor 1',
      email: 'supervisor1@demo.local',
      role: 'supervisor' as const,
      manager: 'manager1@demo.local',
    },
    { name: 'Manager 1', email: 'manager1@demo.local', role: 'manager' as const },
  ],
  groups: [
    { name: 'Warehouse', members: ['trainee1@demo.local'], assigners: ['supervisor1@demo.local'] },
    { name: 'North', members: { manager: 'manager1@demo.local' }, assigners: [] },
  ],
}

const storedAdmin = async () => ({ id: String((await byEmail(rootAdmin.email))!._id), version: 1 })
const byEmail = (email: string) => auth.database.collection('people').findOne({ email })

test('an organisation is created by the rules and with events, and its people can sign in', async () => {
  const ids = await auth.service.seed(organisation)
  const [trainee, supervisor, manager] = await Promise.all(
    ['trainee1@demo.local', 'supervisor1@demo.local', 'manager1@demo.local'].map(byEmail),
  )
  expect(trainee).toMatchObject({ name: 'Trainee 1', role: 'user', supervisor_id: supervisor!._id })
  expect(ids.get('trainee1@demo.local')).toBe(trainee!._id)
  expect(ids.get(rootAdmin.email)).toBe((await byEmail(rootAdmin.email))!._id)
  expect(supervisor).toMatchObject({ role: 'supervisor', team_size: 2, manager_id: manager!._id })
  expect(manager).toMatchObject({ role: 'manager', team_size: 1 })
  const types = (await auth.listEvents(String(supervisor!._id))).map(event => event.type)
  expect(types).toEqual(['user.created', 'user.role_changed', 'user.manager_changed'])

  const groups = await auth.callAs(await storedAdmin()).get('/groups')
  expect(groups.json).toMatchObject([
    { name: 'North', leader: { name: 'Manager 1' } },
    { name: 'Warehouse', member_count: 1, assigners: [{ name: 'Supervisor 1' }] },
  ])

  const { json } = await auth.openBrowser().signIn('trainee1@demo.local')
  expect(json.user).toMatchObject({ id: trainee!._id, name: 'Trainee 1', supervisor_id: supervisor!._id })
  expect((await auth.anonymous.post('/admin/login', rootAdmin)).status).toBe(200)
})

test('a repeated seed changes nothing and keeps later changes', async () => {
  const trainee = await byEmail('trainee2@demo.local')
  await auth.callAs(await storedAdmin()).put(`/admin/users/${trainee!._id}/supervisor?supervisor_id=`)
  const before = await auth.listEvents()
  const ids = await auth.service.seed(organisation)
  expect(ids.get('trainee2@demo.local')).toBe(trainee!._id)
  // The group of the manager follows the change in the background.
  const after = (await auth.listEvents()).filter(({ type }) => type !== 'group.members_changed')
  expect(after).toHaveLength(before.filter(({ type }) => type !== 'group.members_changed').length)
  expect((await byEmail('trainee2@demo.local'))!.supervisor_id).toBeNull()
})

test('a repeated seed completes an interrupted one', async () => {
  const people = [
    { name: 'A', email: 'a@demo.local', role: 'user' as const },
    { name: 'B', email: 'b@demo.local', role: 'supervisor' as const },
  ]
  await auth.service.seed({ people: people.slice(0, 1) })
  await auth.service.seed({ people: [{ ...people[0]!, supervisor: 'b@demo.local' }, people[1]!] })
  expect((await byEmail('a@demo.local'))!.supervisor_id).toBe((await byEmail('b@demo.local'))!._id)
})

test('an administrator who was there before stays the only one', async () => {
  const admin = { ...rootAdmin, email: 'second-root@example.org' }
  const ids = await auth.service.seed({ admin, people: [] })
  expect([...ids]).toEqual([])
  expect(await byEmail(admin.email)).toBeNull()
})
