import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { getGroupSnapshot, listGroupMemberIds, listGroupsOfPeople } from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { startFakeProvider } from './_fake-provider.ts'
import { type FakeProvider, signInAt } from './_provider-sign-in.ts'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

let fake: FakeProvider
let auth: AuthWorld
let admin: Person
let director: Person
beforeAll(async () => {
  fake = await startFakeProvider('c')
  auth = await startAuth({ oidcIssuer: fake.issuer, oidcClientId: 'c', claimNames: ['groups', 'roles'] })
  admin = await auth.addPerson('admin')
  director = await auth.addPerson('director')
})
afterAll(async () => {
  await auth.stop()
  await fake.stop()
})

const asAdmin = () => auth.callAs(admin)
const manual = { kind: 'manual' }
const addPeople = (count: number) => Promise.all(Array.from({ length: count }, () => auth.addPerson('user')))
const idsOf = (people: { id: string }[]) => people.map(({ id }) => id)

async function createGroup(source: object = manual, fields: object = {}) {
  const created = await asAdmin().post('/groups', { name: `Group ${newId()}`, source, ...fields })
  expect([created.status, created.json]).toEqual([201, expect.anything()])
  return created.json.group as { id: string; name: string; version: number }
}
const readGroup = async (id: string) => (await asAdmin().get(`/groups/${id}`)).json
const listMembers = async (id: string, query = '') => (await asAdmin().get(`/groups/${id}/members${query}`)).json
const memberIds = async (id: string): Promise<string[]> => idsOf(await listMembers(id)).sort()
const addMembers = (id: string, user_ids: string[], caller = admin) =>
  auth.callAs(caller).post(`/groups/${id}/members`, { user_ids })
const removeMembers = (id: string, user_ids: string[]) => asAdmin().post(`/groups/${id}/members/remove`, { user_ids })

/** Also compares the members with the events, and with the count in the group. */
async function expectMembers(id: string, people: { id: string }[]) {
  const expected = idsOf(people).sort()
  await eventually(async () => expect(await memberIds(id)).toEqual(expected))
  // Lists leave out erased people before their membership ends.
  await eventually(async () =>
    expect(await readGroup(id)).toMatchObject({ pending: false, member_count: expected.length }),
  )
  expect(membersByEvents(await auth.listEvents(id))).toEqual(expected)
}

/** The members that a consumer knows. Fails for a repeated or missing revision. */
function membersByEvents(events: { type: string; data: Record<string, unknown> }[]) {
  const inOrder = events.toSorted((a, b) => Number(a.data.revision) - Number(b.data.revision))
  expect(inOrder.map(({ data }) => data.revision)).toEqual(inOrder.map((_, index) => index + 1))
  const members = new Set<string>()
  for (const { type, data } of inOrder) {
    if (type !== 'group.members_changed') continue
    for (const id of data.removed as string[]) expect(members.delete(id)).toBe(true)
    for (const id of data.added as string[]) {
      expect(members).not.toContain(id)
      members.add(id)
    }
  }
  return [...members].sort()
}

const changeRole = (person: Person, body: object) => asAdmin().put(`/admin/users/${person.id}/role`, body)
const setSupervisor = async (person: Person, supervisor: Person | null) => {
  const query = `supervisor_id=${supervisor?.id ?? ''}`
  expect((await asAdmin().put(`/admin/users/${person.id}/supervisor?${query}`)).status).toBe(200)
}
const setManager = async (supervisor: Person, manager: Person | null) => {
  const query = `manager_id=${manager?.id ?? ''}`
  expect((await asAdmin().put(`/admin/users/${supervisor.id}/manager?${query}`)).status).toBe(200)
}
const auditOf = async (groupId: string) =>
  (await asAdmin().get('/admin/audit?limit=500')).json.filter(
    (entry: { before: Record<string, unknown>; after: Record<string, unknown> }) =>
      (entry.after.group_id ?? entry.before.group_id) === groupId,
  )

describe('a group by hand', () => {
  test('is created, changed and deleted, with events and audit entries', async () => {
    const supervisor = await auth.addPerson('supervisor', { name: 'Supervisor Assigner' })
    const name = `Warehouse ${newId()}`
    const created = await auth.callAs(director).post('/groups', { name, source: manual, assigners: [supervisor.id] })
    const { group } = created.json
    expect(group).toMatchObject({
      name,
      source: manual,
      leader: null,
      assigners: [{ id: supervisor.id, name: 'Supervisor Assigner' }],
      member_count: 0,
      pending: false,
      version: 1,
    })
    const body = { name: `${name} 2`, assigners: [], version: 1 }
    expect((await asAdmin().put(`/groups/${group.id}`, body)).json.group).toMatchObject({
      name: `${name} 2`,
      assigners: [],
      version: 2,
    })
    expect((await asAdmin().put(`/groups/${group.id}`, body)).json.code).toBe('edited_elsewhere')
    expect((await asAdmin().delete(`/groups/${group.id}`)).status).toBe(200)
    expect((await asAdmin().delete(`/groups/${group.id}`)).json.code).toBe('not_found')
    expect((await auth.listEvents(group.id)).map(({ type, data }) => [type, data])).toEqual([
      ['group.changed', { group_id: group.id, name, assigners: [supervisor.id], revision: 1, by: director.id }],
      ['group.changed', { group_id: group.id, name: `${name} 2`, assigners: [], revision: 2, by: admin.id }],
      ['group.deleted', { group_id: group.id, revision: 3, by: admin.id }],
    ])
    expect(await auditOf(group.id)).toMatchObject([
      { action: 'group_deleted', actor: 'administrator', before: { group_name: `${name} 2`, members: 0 } },
      { action: 'group_changed', before: { group_name: name }, after: { group_name: `${name} 2` } },
      { action: 'group_created', actor: 'director', by: { id: director.id }, after: { source: 'manual' } },
    ])
  })

  test('gains and loses members by repeated calls, each of them once', async () => {
    const group = await createGroup()
    const people = [...(await addPeople(2)), await auth.addPerson('supervisor'), await auth.addPerson('manager')]
    const answers = await Promise.all([
      addMembers(group.id, idsOf(people)),
      addMembers(group.id, idsOf(people.slice(1))),
      addMembers(group.id, [people[0]!.id], director),
    ])
    expect(answers.reduce((sum, { json }) => sum + json.added, 0)).toBe(4)
    await expectMembers(group.id, people)
    const removals = await Promise.all([1, 2].map(() => removeMembers(group.id, [people[3]!.id, 'nobody'])))
    expect(removals.map(({ json }) => json.removed).sort()).toEqual([0, 1])
    await expectMembers(group.id, people.slice(0, 3))
    expect((await auditOf(group.id)).find((entry: { subject: unknown }) => entry.subject)).toMatchObject({
      action: 'group_members_changed',
      subject: { id: people[3]!.id },
      after: { members_removed: 1, members: 3 },
    })
  })

  test('takes a thousand people in one call, with several events', async () => {
    const group = await createGroup()
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      _id: newId(),
      name: `Person ${index}`,
      email: `person${index}@thousand.example.org`,
      role: 'user',
      supervisor_id: null,
      manager_id: null,
      picture: null,
      created_at: new Date(),
      version: 1,
      team_size: 0,
      name_key: `person ${index}`,
      search_words: [],
    }))
    await auth.database.collection<{ _id: string }>('people').insertMany(rows as never)
    const { json } = await addMembers(
      group.id,
      rows.map(({ _id }) => _id),
    )
    expect(json).toMatchObject({ added: 1_000, group: { member_count: 1_000 } })
    expect((await auth.listEvents(group.id)).map(({ data }) => (data.added as string[] | undefined)?.length)).toEqual([
      undefined,
      ...Array(5).fill(200),
    ])
    const page = await asAdmin().get(`/groups/${group.id}/members?limit=2`)
    expect(page.json.map((user: { name: string }) => user.name)).toEqual(['Person 0', 'Person 1'])
    expect(page.headers.get('x-total-count')).toBe('1000')
    const next = await listMembers(group.id, `?limit=2&cursor=${page.headers.get('x-next-cursor')}`)
    expect(next.map((user: { name: string }) => user.name)).toEqual(['Person 2', 'Person 3'])
    expect(await listMembers(group.id, '?search=person77@')).toMatchObject([{ name: 'Person 77' }])
    // The members of a deleted group go in the background.
    await asAdmin().delete(`/groups/${group.id}`)
    const stored = auth.database.collection('group_members')
    await eventually(async () => expect(await stored.countDocuments({ group_id: group.id })).toBe(0))
    await eventually(async () => expect(await auth.database.collection('deleted_groups').countDocuments()).toBe(0))
  })

  test('that is deleted while people are added has no members left', async () => {
    const group = await createGroup()
    const people = await addPeople(6)
    const answers = await Promise.all([
      ...people.map(({ id }) => addMembers(group.id, [id])),
      asAdmin().delete(`/groups/${group.id}`),
    ])
    expect(answers.every(({ status }) => status === 200 || status === 404)).toBe(true)
    const stored = auth.database.collection('group_members')
    await eventually(async () => expect(await stored.countDocuments({ group_id: group.id })).toBe(0))
  })

  test.each([
    ['nobody', () => ({ id: 'nobody' }), 'is nobody'],
    ['an administrator', () => admin, 'is an administrator'],
  ])('refuses %s, and then adds nobody', async (_name, findPerson, message) => {
    const group = await createGroup()
    const [person] = await addPeople(1)
    const refused = await addMembers(group.id, [person!.id, findPerson().id])
    expect([refused.status, refused.json.errors]).toEqual([422, [{ path: 'user_ids.1', message }]])
    await expectMembers(group.id, [])
  })

  test('loses whoever is deactivated or erased, and an import that adds them at that moment', async () => {
    const group = await createGroup()
    const people = await addPeople(4)
    const [deactivated, erased, staying, late] = people as [Person, Person, Person, Person]
    await addMembers(group.id, idsOf([deactivated, erased, staying]))
    const [, added] = await Promise.all([
      asAdmin().put(`/admin/users/${late.id}/status`, { status: 'deactivated' }),
      addMembers(group.id, [late.id]),
    ])
    expect([200, 422]).toContain(added.status)
    await asAdmin().put(`/admin/users/${deactivated.id}/status`, { status: 'deactivated' })
    await asAdmin().post(`/admin/users/${erased.id}/erase`, { confirm_email: erased.email })
    await expectMembers(group.id, [staying])
    expect(await auth.database.collection('group_members').countDocuments({ person_id: erased.id })).toBe(0)
    const refused = await addMembers(group.id, [deactivated.id])
    expect(refused.json.errors).toEqual([{ path: 'user_ids.0', message: 'is deactivated' }])
    await asAdmin().put(`/admin/users/${deactivated.id}/status`, { status: 'active' })
    await expectMembers(group.id, [staying])
  })

  test('adds people by a list of addresses, after a preview that changes nothing', async () => {
    const group = await createGroup()
    const [first, second, gone] = (await addPeople(3)) as [Person, Person, Person]
    await asAdmin().put(`/admin/users/${gone.id}/status`, { status: 'deactivated' })
    const { email: shared } = await auth.addPerson('user')
    const { id: sharerId } = await auth.addPerson('manager')
    // As by an account at another provider.
    await auth.database.collection<{ _id: string }>('people').updateOne({ _id: sharerId }, { $set: { email: shared } })
    await addMembers(group.id, [second.id])
    const emails = [
      ` ${first.email.toUpperCase()} `,
      second.email,
      'not an address',
      'nobody@example.org',
      first.email,
      shared,
      gone.email,
      admin.email,
    ]
    const problems = [
      { index: 2, email: 'not an address', problem: 'not_an_address' },
      { index: 3, email: 'nobody@example.org', problem: 'nobody' },
      { index: 4, email: first.email, problem: 'repeated' },
      { index: 5, email: shared, problem: 'several' },
      { index: 6, email: gone.email, problem: 'deactivated' },
      { index: 7, email: admin.email, problem: 'administrator' },
    ]
    const preview = await asAdmin().post(`/groups/${group.id}/import/preview`, { emails })
    expect(preview.json).toEqual({ matched: 1, members: 1, problems })
    await expectMembers(group.id, [second])
    const imported = await asAdmin().post(`/groups/${group.id}/import`, { emails })
    expect(imported.json).toMatchObject({ added: 1, members: 1, problems, group: { member_count: 2 } })
    const repeated = await asAdmin().post(`/groups/${group.id}/import`, { emails })
    expect(repeated.json).toMatchObject({ added: 0, members: 2 })
    await expectMembers(group.id, [first, second])
  })

  test('is in the export of its members and assigners, by name', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const group = await createGroup(manual, { assigners: [supervisor.id] })
    const [person] = await addPeople(1)
    await addMembers(group.id, [person!.id])
    const exported = async (id: string) =>
      (await asAdmin().get(`/auth/record/data?user_id=${id}`)).text
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))
    expect(await exported(person!.id)).toContainEqual({
      kind: 'group_memberships',
      data: expect.objectContaining({ group_id: group.id, group_name: group.name }),
    })
    expect(await exported(supervisor.id)).toContainEqual({
      kind: 'assignable_groups',
      data: { _id: group.id, name: group.name },
    })
  })
})

describe('bad input', () => {
  test('of a new group is refused with its place', async () => {
    const user = await auth.addPerson('user')
    const supervisor = await auth.addPerson('supervisor')
    const group = await createGroup()
    const post = async (body: object) => {
      const { status, json } = await asAdmin().post('/groups', { name: `Bad ${newId()}`, source: manual, ...body })
      return [status, json.errors?.[0]?.path ?? json.code]
    }
    expect(await post({ name: ' ' })).toEqual([422, 'name'])
    expect(await post({ name: 'two\nlines' })).toEqual([422, 'name'])
    expect(await post({ name: group.name.toUpperCase().replace(' ', '  ') })).toEqual([409, 'conflict'])
    expect(await post({ assigners: [supervisor.id, user.id] })).toEqual([422, 'assigners.1'])
    expect(await post({ source: { kind: 'team', supervisor_id: user.id } })).toEqual([422, 'source.supervisor_id'])
    expect(await post({ source: { kind: 'manager', manager_id: 'x' } })).toEqual([422, 'source.manager_id'])
    expect(await post({ source: { kind: 'claim', claim: 'shoe', value: '1' } })).toEqual([422, 'source.claim'])
    expect(await post({ source: { kind: 'moon' } })).toEqual([422, 'source.kind'])
  })

  test('a dynamic group takes nobody by hand', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const group = await createGroup({ kind: 'team', supervisor_id: supervisor.id })
    const [person] = await addPeople(1)
    expect((await addMembers(group.id, [person!.id])).json.code).toBe('conflict')
    expect((await removeMembers(group.id, [person!.id])).json.code).toBe('conflict')
    const emails = [person!.email]
    expect((await asAdmin().post(`/groups/${group.id}/import/preview`, { emails })).json.code).toBe('conflict')
    await expectMembers(group.id, [])
  })

  test('of two calls with one name, one creates the group', async () => {
    const name = `Twice ${newId()}`
    const answers = await Promise.all([1, 2, 3].map(() => asAdmin().post('/groups', { name, source: manual })))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })
})

/** As engagement asks for a filter. */
function findMembers(id: string, viewer_id?: string, after = '') {
  const client = createInternalClient({ url: auth.url, credentials: auth.world.credentialsOf('engagement') })
  const query = { after, limit: 10, ...(viewer_id && { viewer_id }) }
  return client.find(listGroupMemberIds, { params: { id }, query })
}

/** As engagement asks for the record of a group. */
function findGroup(id: string, viewer_id: string) {
  const client = createInternalClient({ url: auth.url, credentials: auth.world.credentialsOf('engagement') })
  return client.find(getGroupSnapshot, { params: { id }, query: { viewer_id } })
}

/** As engagement asks for the rows of a report. */
async function findGroupsOf(personIds: string[], viewer_id?: string) {
  const client = createInternalClient({ url: auth.url, credentials: auth.world.credentialsOf('engagement') })
  const query = { person_ids: personIds, ...(viewer_id && { viewer_id }) }
  const groups = await client.call(listGroupsOfPeople, { query })
  return groups.map(group => ({ ...group, member_ids: group.member_ids.toSorted() }))
}

test('the groups of people are those by whose members the viewer may filter', async () => {
  const [manager, supervisor, stranger] = [
    await auth.addPerson('manager'),
    await auth.addPerson('supervisor'),
    await auth.addPerson('supervisor'),
  ]
  const [one, two, foreign] = (await addPeople(3)) as [Person, Person, Person]
  for (const user of [one, two]) await setSupervisor(user, supervisor)
  await setManager(supervisor, manager)
  const assigned = await createGroup(manual, { assigners: [supervisor.id] })
  const mixed = await createGroup()
  const deleted = await createGroup()
  await addMembers(assigned.id, idsOf([one, foreign]))
  await addMembers(mixed.id, idsOf([one, two, foreign]))
  await addMembers(deleted.id, idsOf([one]))
  expect((await asAdmin().delete(`/groups/${deleted.id}`)).status).toBe(200)
  const everybody = idsOf([one, two, foreign]).sort()
  const read = async (viewerId?: string) =>
    new Map((await findGroupsOf(everybody, viewerId)).map(({ id, member_ids }) => [id, member_ids]))
  const all = new Map([
    [assigned.id, idsOf([one, foreign]).sort()],
    [mixed.id, everybody],
  ])
  for (const viewerId of [undefined, director.id]) expect(await read(viewerId)).toEqual(all)
  expect(await read(supervisor.id)).toEqual(new Map([[assigned.id, all.get(assigned.id)]]))
  // Only users of their teams.
  expect(await read(manager.id)).toEqual(
    new Map([
      [assigned.id, [one.id]],
      [mixed.id, idsOf([one, two]).sort()],
    ]),
  )
  for (const viewerId of [stranger.id, one.id, 'unknown']) expect(await read(viewerId)).toEqual(new Map())
  expect((await findGroupsOf([two.id, 'unknown'])).map(({ name, member_ids }) => [name, member_ids])).toEqual([
    [mixed.name, [two.id]],
  ])
  expect(await findGroupsOf(['unknown'])).toEqual([])
})

describe('a manager may filter by', () => {
  /** A manager with a supervisor, who has two users. */
  async function addTeams() {
    const [manager, supervisor] = [await auth.addPerson('manager'), await auth.addPerson('supervisor')]
    const users = (await addPeople(2)) as [Person, Person]
    for (const user of users) await setSupervisor(user, supervisor)
    await setManager(supervisor, manager)
    const listed = async (query = '') => (await auth.callAs(manager).get(`/group-choices${query}`)).json
    return { manager, supervisor, users, listed }
  }

  test('the groups with users of their teams, and learns nothing about other members', async () => {
    const { manager, supervisor, users, listed } = await addTeams()
    const [stranger] = await addPeople(1)
    const [mixed, foreign, leaders] = [await createGroup(), await createGroup(), await createGroup()]
    await addMembers(mixed.id, idsOf([...users, stranger!]))
    await addMembers(foreign.id, [stranger!.id])
    // Filters narrow users, so a group with their supervisor only would list nobody.
    await addMembers(leaders.id, [supervisor.id])
    expect(await listed()).toEqual([{ id: mixed.id, name: mixed.name }])
    expect(await findMembers(mixed.id, manager.id)).toEqual(idsOf(users).sort())
    const [first, second] = idsOf(users).sort()
    expect([await findMembers(mixed.id, manager.id, first), await findMembers(mixed.id, manager.id, second)]).toEqual([
      [second],
      [],
    ])
    expect(await findGroup(mixed.id, manager.id)).toEqual({ id: mixed.id, name: mixed.name })
    for (const id of [foreign.id, leaders.id, 'unknown']) {
      expect(await findMembers(id, manager.id)).toBeUndefined()
      expect(await findGroup(id, manager.id)).toBeUndefined()
    }
    for (const path of ['', `/${mixed.id}`, `/${mixed.id}/members`])
      expect((await auth.callAs(manager).get(`/groups${path}`)).status).toBe(403)

    await setSupervisor(users[0], null)
    expect(await findMembers(mixed.id, manager.id)).toEqual([users[1].id])
    await setManager(supervisor, null)
    expect(await findMembers(mixed.id, manager.id)).toBeUndefined()
    expect(await findGroup(mixed.id, manager.id)).toBeUndefined()
    expect(await listed()).toEqual([])
  })

  test('more groups than a page holds, found by the beginning of their names or by id', async () => {
    const { manager, users, listed } = await addTeams()
    const word = `Filter${newId()}`
    const groups = await Promise.all(
      Array.from({ length: 6 }, async (_, index) => {
        const { group } = (await asAdmin().post('/groups', { name: `${word} ${index}`, source: manual })).json
        if (index < 5) await addMembers(group.id, [users[0].id])
        return group as { id: string; name: string }
      }),
    )
    const namesOf = (choices: { name: string }[]) => choices.map(({ name }) => name)
    const first = await auth.callAs(manager).get('/group-choices?limit=3')
    expect(first.headers.get('x-total-count')).toBe('5')
    const rest = await listed(`?limit=3&cursor=${first.headers.get('x-next-cursor')}`)
    expect(namesOf([...first.json, ...rest])).toEqual(namesOf(groups.slice(0, 5)))
    expect(namesOf(await listed(`?search=${word}%204`))).toEqual([`${word} 4`])
    expect(namesOf(await listed(`?search=${word}%205`))).toEqual([])
    const ids = idsOf(groups.slice(4)).join()
    expect(namesOf(await listed(`?group_ids=${ids}`))).toEqual([`${word} 4`])
    const ofDirector = await auth.callAs(director).get(`/group-choices?search=${word}&group_ids=${ids}`)
    expect(namesOf(ofDirector.json)).toEqual([`${word} 4`, `${word} 5`])
  })

  test.each([
    'limit=0',
    'limit=501',
    'cursor=x',
    'group_ids=',
    'group_ids=no%20id',
    `group_ids=${Array.from({ length: limits.idListMax + 1 }, (_, index) => index)}`,
    `search=${'x'.repeat(limits.groupNameMaxLength + 1)}`,
  ])('no group by a wrong query: %.30s', async query => {
    const answer = await auth.callAs(director).get(`/group-choices?${query}`)
    expect([answer.status, answer.json.code]).toEqual([422, 'invalid'])
  })
})

test('a supervisor sees the groups that they may assign to, until they lose the role', async () => {
  const [first, second] = [await auth.addPerson('supervisor'), await auth.addPerson('supervisor')]
  const group = await createGroup(manual, { assigners: [first.id, second.id] })
  const other = await createGroup()
  const listed = await auth.callAs(first).get('/groups')
  expect([idsOf(listed.json), listed.headers.get('x-total-count')]).toEqual([[group.id], '1'])
  expect((await auth.callAs(first).get(`/groups/${other.id}`)).status).toBe(404)
  expect((await auth.callAs(first).get(`/groups/${other.id}/members`)).status).toBe(404)
  expect(idsOf((await auth.callAs(first).get('/group-choices')).json)).toEqual([group.id])
  expect(await findMembers(group.id, first.id)).toEqual([])
  expect(await findMembers(other.id, first.id)).toBeUndefined()
  expect(await findMembers(other.id)).toEqual([])
  const searched = await asAdmin().get(`/groups?search=${encodeURIComponent(group.name)}`)
  expect(idsOf(searched.json)).toEqual([group.id])

  await changeRole(first, { role: 'manager' })
  await eventually(async () => expect(idsOf((await readGroup(group.id)).assigners)).toEqual([second.id]))
  expect((await auth.listEvents(group.id)).at(-1)).toMatchObject({
    type: 'group.changed',
    data: { assigners: [second.id], revision: 2, by: null },
  })
})

describe('a dynamic group of', () => {
  test('a team has its users, who come and go', async () => {
    const supervisor = await auth.addPerson('supervisor', { name: 'Supervisor of the Group' })
    const [first, second, third] = (await addPeople(3)) as [Person, Person, Person]
    await setSupervisor(first, supervisor)
    // The second one joins while the group is created.
    const [group] = await Promise.all([
      createGroup({ kind: 'team', supervisor_id: supervisor.id }),
      setSupervisor(second, supervisor),
    ])
    await expectMembers(group.id, [first, second])
    expect(await readGroup(group.id)).toMatchObject({
      leader: { id: supervisor.id, name: 'Supervisor of the Group', available: true },
    })
    await setSupervisor(third, supervisor)
    await setSupervisor(first, null)
    await expectMembers(group.id, [second, third])
    await changeRole(second, { role: 'director' })
    await expectMembers(group.id, [third])
    await changeRole(supervisor, { role: 'user' })
    await expectMembers(group.id, [])
    expect(await readGroup(group.id)).toMatchObject({ leader: { id: supervisor.id, available: false } })
  })

  test('a manager has the users of all teams, and changes with whole teams', async () => {
    const manager = await auth.addPerson('manager')
    const [north, south] = [await auth.addPerson('supervisor'), await auth.addPerson('supervisor')]
    const [first, second, third] = (await addPeople(3)) as [Person, Person, Person]
    await setSupervisor(first, north)
    await setSupervisor(second, north)
    await setSupervisor(third, south)
    await setManager(north, manager)
    const group = await createGroup({ kind: 'manager', manager_id: manager.id })
    await expectMembers(group.id, [first, second])
    await setManager(south, manager)
    await expectMembers(group.id, [first, second, third])
    await Promise.all([setManager(north, null), setSupervisor(third, north)])
    await expectMembers(group.id, [])
    await setManager(north, manager)
    await expectMembers(group.id, [first, second, third])
    await asAdmin().put(`/admin/users/${north.id}/status`, { status: 'deactivated' })
    await expectMembers(group.id, [])
  })

  test('a claim has everybody with the value at their latest sign-in', async () => {
    const subjects = [1, 2, 3].map(() => `person-${newId()}`)
    const signIn = async (sub: string, groups: string[]): Promise<Person> =>
      (await signInAt(auth, fake, { sub, email: `${sub}@example.org`, groups })).login()
    const value = `team-${newId()}`
    const first = await signIn(subjects[0]!, ['others', value])
    const group = await createGroup({ kind: 'claim', claim: 'groups', value })
    await expectMembers(group.id, [first])
    const second = await signIn(subjects[1]!, [value])
    await signIn(subjects[2]!, ['others'])
    await expectMembers(group.id, [first, second])
    await signIn(subjects[0]!, ['others'])
    await expectMembers(group.id, [second])
    // A renewed sign-in keeps the claim from expiring.
    auth.clock.advance(40 * 24 * 3_600_000)
    await signIn(subjects[1]!, [value])
    const claims = auth.database.collection<{ _id: string; at: Date }>('sign_in_claims')
    expect((await claims.findOne({ _id: second.id }))?.at.getTime()).toBe(auth.clock.now())
  })

  test('people is repaired by its daily scan', async () => {
    const supervisor = await auth.addPerson('supervisor')
    const [missing, surplus] = (await addPeople(2)) as [Person, Person]
    const group = await createGroup({ kind: 'team', supervisor_id: supervisor.id })
    await setSupervisor(surplus, supervisor)
    await expectMembers(group.id, [surplus])
    // As if their changes had been made past this service.
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: missing.id }, { $set: { supervisor_id: supervisor.id } })
    await people.updateOne({ _id: surplus.id }, { $set: { supervisor_id: null } })
    auth.clock.advance(25 * 3_600_000)
    await expectMembers(group.id, [missing])
  })
})

test('a member who is renamed is found by the new name', async () => {
  const sub = `person-${newId()}`
  const account = { sub, email: `${sub}@example.org` }
  const person = await (await signInAt(auth, fake, { ...account, name: 'Earlier Name' })).login()
  const group = await createGroup()
  await addMembers(group.id, [person.id])
  await (await signInAt(auth, fake, { ...account, name: 'Later Name' })).login()
  await eventually(async () => expect(idsOf(await listMembers(group.id, '?search=later'))).toEqual([person.id]))
  expect(await listMembers(group.id, '?search=earlier')).toEqual([])
})
