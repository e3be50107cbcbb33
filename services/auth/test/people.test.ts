import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import { listOrderKey } from '@watchline/identity/name-key'
import type { apiClient } from '@watchline/testing/api-client'
import { rolloutMs } from '../src/jobs/correct-name-keys.ts'
import { routes } from '../src/routes/index.ts'
import { nameKeyForm } from '../src/store/person-model.ts'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

type Caller = ReturnType<typeof apiClient>

let auth: AuthWorld
const person = {} as Record<
  'admin' | 'director' | 'manager' | 'supervisor' | 'supervisor2' | 'member' | 'loner',
  Person
>

beforeAll(async () => {
  auth = await startAuth()
  person.admin = await auth.addPerson('admin', { name: 'Root Admin' })
  person.director = await auth.addPerson('director', { name: 'Director One' })
  person.manager = await auth.addPerson('manager', { name: 'Manager One' })
  person.supervisor = await auth.addPerson('supervisor', { name: 'Supervisor One' })
  person.supervisor2 = await auth.addPerson('supervisor', { name: 'Supervisor Two' })
  person.member = await auth.addPerson('user', { name: 'Trainee One', email: 'trainee1.desk+1@example.org' })
  person.loner = await auth.addPerson('user', { name: 'Lone (50%) .*' })
  await auth
    .callAs(person.admin)
    .put(`/admin/users/${person.member.id}/supervisor?supervisor_id=${person.supervisor.id}`)
  const people = auth.database.collection<{ _id: string }>('people')
  await people.updateOne({ _id: person.supervisor.id }, { $set: { manager_id: person.manager.id } })
  await people.updateOne({ _id: person.manager.id }, { $inc: { team_size: 1 } })
})
afterAll(() => auth.stop())

const names = (answer: { json: { name: string }[] }) => answer.json.map(({ name }) => name)

async function expectRefused(path: string, roles: (keyof typeof person)[]) {
  expect((await auth.anonymous.get(path)).json).toMatchObject({ code: 'no_session' })
  for (const role of roles)
    expect((await auth.callAs(person[role]).get(path)).json).toMatchObject({ code: 'forbidden' })
}

async function readPages(caller: Caller, path: string, limit: number) {
  const pages: string[][] = []
  let cursor: string | null = null
  do {
    const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
    const answer = await caller.get(`${path}${query}`)
    expect(answer.status).toBe(200)
    pages.push(names(answer))
    cursor = answer.headers.get('x-next-cursor')
  } while (cursor)
  return pages
}

describe('the administrator’s list of users', () => {
  test('has everybody except administrators, by name, as a plain array', async () => {
    const answer = await auth.callAs(person.admin).get('/admin/users')
    expect(names(answer)).toEqual([
      'Director One',
      'Lone (50%) .*',
      'Manager One',
      'Supervisor One',
      'Supervisor Two',
      'Trainee One',
    ])
    expect(answer.headers.get('x-total-count')).toBe('6')
    expect(answer.headers.get('x-next-cursor')).toBeNull()
    const [, loner, manager, supervisor, , member] = answer.json
    expect(member).toMatchObject({ supervisor_id: person.supervisor.id, supervisor_name: 'Supervisor One' })
    expect(loner).toMatchObject({ supervisor_id: null, supervisor_name: null })
    expect(supervisor).toMatchObject({ user_count: 1, manager_id: person.manager.id })
    expect(manager).toMatchObject({ supervisor_count: 1 })
    expect(JSON.stringify(answer.json)).not.toMatch(/issuer|subject|search|team_size|version/)
  })

  test('comes in pages without gaps or repeats', async () => {
    const pages = await readPages(auth.callAs(person.admin), '/admin/users', 4)
    expect(pages.map(page => page.length)).toEqual([4, 2])
    expect(new Set(pages.flat()).size).toBe(6)
    expect((await readPages(auth.callAs(person.admin), '/admin/users', 6)).length).toBe(1)
  })

  test.each([
    ['the beginning of a name', 'tra', ['Trainee One']],
    ['the beginnings of several words, in any order', 'on tra', ['Trainee One']],
    ['any case', 'TRAINEE', ['Trainee One']],
    ['accents left out or put in', 'träinéè', ['Trainee One']],
    ['an address', 'trainee1.desk+1@example.org', ['Trainee One']],
    ['a later part of an address', 'desk+1@exam', ['Trainee One']],
    ['characters with a meaning in regular expressions', '(50%) .*', ['Lone (50%) .*']],
    ['a pattern, which matches nobody', '^.*$', []],
    ['the middle of a word, which matches nobody', 'rainee', []],
    ['a matching and another word, which matches nobody', 'trainee supervisor', []],
  ])('finds by %s', async (_name, search, found) => {
    const answer = await auth.callAs(person.admin).get(`/admin/users?search=${encodeURIComponent(search)}`)
    expect(names(answer)).toEqual(found)
    expect(answer.headers.get('x-total-count')).toBe(String(found.length))
  })

  test('filters by role', async () => {
    const list = (query: string) => auth.callAs(person.admin).get(`/admin/users?${query}`)
    expect(names(await list('role=supervisor'))).toEqual(['Supervisor One', 'Supervisor Two'])
    expect(names(await list('role=supervisor&search=two'))).toEqual(['Supervisor Two'])
    expect((await list('role=admin')).status).toBe(422)
  })

  test.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'cursor=made-up',
    'cursor=W10',
    'role=king',
    'sort=email',
    'order=random',
    'without_team=maybe',
    'search[$ne]=',
    'role=user&role=admin',
  ])('refuses %s, or ignores an unknown parameter', async query => {
    const { status } = await auth.callAs(person.admin).get(`/admin/users?${query}`)
    expect(status).toBe(query.startsWith('search[') ? 200 : 422)
  })

  test('is for administrators only', () =>
    expectRefused('/admin/users', ['director', 'manager', 'supervisor', 'member']))

  test('filters users without a team', async () => {
    const list = (query: string) => auth.callAs(person.admin).get(`/admin/users?${query}`)
    const answer = await list('without_team=true')
    expect(names(answer)).toEqual(['Lone (50%) .*'])
    expect(answer.headers.get('x-total-count')).toBe('1')
    expect(names(await list('without_team=true&role=user&search=lone'))).toEqual(['Lone (50%) .*'])
    expect(names(await list('without_team=true&search=trainee'))).toEqual([])
    // Only users have a team.
    expect(names(await list('without_team=true&role=supervisor'))).toEqual([])
    expect(names(await list('without_team=false'))).toHaveLength(6)
  })

  test('says when people were last seen', async () => {
    const list = async () => (await auth.callAs(person.admin).get('/admin/users?search=trainee')).json
    expect(await list()).toMatchObject([{ last_seen: null }])
    const renewedAt = new Date('2026-11-20T10:00:00.000Z')
    const sessions = auth.database.collection<{ _id: string }>('sessions')
    await sessions.insertMany(
      ['first', 'second'].map((_id, days) => ({
        _id,
        person_id: person.member.id,
        rotated_at: new Date(renewedAt.getTime() - days * 86_400_000),
      })),
    )
    // Sessions of earlier versions have no time of use.
    expect(await list()).toMatchObject([{ last_seen: renewedAt.toISOString() }])
    const usedAt = new Date('2026-11-19T15:00:00.000Z')
    await sessions.updateMany({ person_id: person.member.id }, { $set: { used_at: usedAt } })
    expect(await list()).toMatchObject([{ last_seen: usedAt.toISOString() }])
    expect((await auth.callAs(person.director).get('/users?search=trainee')).json[0]).not.toHaveProperty('last_seen')
    await sessions.deleteMany({ person_id: person.member.id })
  })

  test('names the leaders of people', async () => {
    const { json } = await auth.callAs(person.admin).get('/admin/users?role=supervisor')
    expect(json).toMatchObject([
      { name: 'Supervisor One', manager_name: 'Manager One' },
      { name: 'Supervisor Two', manager_name: null },
    ])
  })

  test('the next starts order people by name who were stored without a key, until no older version can run', async () => {
    const people = auth.database.collection<{ _id: string }>('people')
    const spoilKeys = async () => {
      await people.updateOne({ _id: person.loner.id }, { $unset: { name_key: 1 } })
      await people.updateOne({ _id: person.director.id }, { $set: { name_key: 'zz' } })
    }
    const list = async () => names(await auth.callAs(person.admin).get('/admin/users'))
    const restart = async () => (await startAuth({}, { world: auth.world })).service.stop()
    const states = auth.database.collection<{ _id: string }>('name_key_states')
    const ordered = ['Director One', 'Lone (50%) .*']
    await states.deleteMany({})
    // The second start is a day later, so it is the last one that reads everybody.
    for (const pauseMs of [0, rolloutMs]) {
      await spoilKeys()
      auth.clock.advance(pauseMs)
      await restart()
      expect((await list()).slice(0, 2)).toEqual(ordered)
    }
    await spoilKeys()
    await restart()
    expect((await list()).slice(0, 2)).not.toEqual(ordered)

    await states.updateOne({ _id: 'people' }, { $set: { form: 0 } })
    await restart()
    expect((await list()).slice(0, 2)).toEqual(ordered)
    expect(await states.find().toArray()).toMatchObject([{ form: nameKeyForm, is_final: false }])
  })

  test('the key of a name has the form of its number', () => {
    // After a change of these keys, increment `nameKeyForm`.
    const halved = `${'x'.repeat(199)}😀`
    const keys = ['Zoë 9', 'ÉCOLE 10b', ' ﬁn ', 'x'.repeat(300), halved].map(listOrderKey)
    expect([nameKeyForm, ...keys]).toEqual([
      ...[2, 'zoe \u00019', 'ecole \u000210b', 'fin', 'x'.repeat(200), `${'x'.repeat(199)}\ufffd`],
    ])
  })

  test('the next start makes people searchable who were stored without search words', async () => {
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: person.loner.id }, { $unset: { search_words: 1 }, $set: { search_key: 'lone' } })
    expect(names(await auth.callAs(person.admin).get('/admin/users?search=lone'))).toEqual([])
    const restarted = await startAuth({}, { world: auth.world })
    try {
      expect(names(await auth.callAs(person.admin).get('/admin/users?search=lone'))).toEqual(['Lone (50%) .*'])
    } finally {
      await restarted.service.stop()
    }
  })
})

describe('the counts', () => {
  test('are given by role, without administrators', async () => {
    expect((await auth.callAs(person.admin).get('/admin/user-counts')).json).toEqual({
      total: 6,
      user: 2,
      supervisor: 2,
      manager: 1,
      director: 1,
      managed_supervisors: 1,
      pending_requests: 0,
      deactivated: { user: 0, supervisor: 0, manager: 0, director: 0 },
    })
  })
  test('are for administrators only', () =>
    expectRefused('/admin/user-counts', ['director', 'manager', 'supervisor', 'member']))
})

describe('the list of supervisors', () => {
  test('has the team sizes, for administrators and managers', async () => {
    for (const role of ['admin', 'manager'] as const) {
      const { json, headers } = await auth.callAs(person[role]).get('/admin/supervisors')
      expect(json).toMatchObject([
        { name: 'Supervisor One', user_count: 1 },
        { name: 'Supervisor Two', user_count: 0 },
      ])
      expect(headers.get('x-total-count')).toBe('2')
    }
    expect(names(await auth.callAs(person.manager).get('/admin/supervisors?search=two'))).toEqual(['Supervisor Two'])
  })

  test('names their managers to administrators only', async () => {
    const [supervisor1] = (await auth.callAs(person.admin).get('/admin/supervisors')).json
    expect(supervisor1).toMatchObject({ name: 'Supervisor One', manager_name: 'Manager One' })
    const [seenByManager] = (await auth.callAs(person.manager).get('/admin/supervisors')).json
    expect(seenByManager).not.toHaveProperty('manager_name')
  })

  test('filters those without a manager as available', async () => {
    const answer = await auth.callAs(person.manager).get('/admin/supervisors?available=true')
    expect(names(answer)).toEqual(['Supervisor Two'])
    expect(answer.headers.get('x-total-count')).toBe('1')
    expect(names(await auth.callAs(person.manager).get('/admin/supervisors?available=false'))).toHaveLength(2)
    expect(names(await auth.callAs(person.manager).get('/admin/supervisors?available=true&search=one'))).toEqual([])
    expect((await auth.callAs(person.manager).get('/admin/supervisors?available=maybe')).status).toBe(422)
  })

  test('is for administrators and managers only', () =>
    expectRefused('/admin/supervisors', ['director', 'supervisor', 'member']))
})

describe('the list of managers', () => {
  test('has the number of their supervisors', async () => {
    const answer = await auth.callAs(person.admin).get('/admin/managers')
    expect(answer.json).toMatchObject([{ name: 'Manager One', supervisor_count: 1, role: 'manager' }])
    expect(answer.headers.get('x-total-count')).toBe('1')
    expect(names(await auth.callAs(person.admin).get('/admin/managers?search=nobody'))).toEqual([])
  })
  test('is for administrators only', () =>
    expectRefused('/admin/managers', ['director', 'manager', 'supervisor', 'member']))
})

describe('a manager’s own supervisors', () => {
  test('are listed with their team sizes', async () => {
    const answer = await auth.callAs(person.manager).get('/manager/supervisors')
    expect(answer.json).toMatchObject([{ name: 'Supervisor One', user_count: 1 }])
    expect(answer.headers.get('x-total-count')).toBe('1')
    expect(names(await auth.callAs(person.manager).get('/manager/supervisors?search=two'))).toEqual([])
    expect(names(await auth.callAs(person.manager).get('/manager/supervisors?search=one'))).toEqual(['Supervisor One'])
    const secondManager = await auth.addPerson('manager')
    expect((await auth.callAs(secondManager).get('/manager/supervisors')).json).toEqual([])
    await auth.database.collection<{ _id: string }>('people').deleteOne({ _id: secondManager.id })
  })
  test('are for managers only', () =>
    expectRefused('/manager/supervisors', ['admin', 'director', 'supervisor', 'member']))
})

describe('the team', () => {
  test('of a supervisor has their users', async () => {
    expect(names(await auth.callAs(person.supervisor).get('/users'))).toEqual(['Trainee One'])
    expect((await auth.callAs(person.supervisor2).get('/users')).json).toEqual([])
    expect((await auth.callAs(person.supervisor2).get('/users?search=trainee')).json).toEqual([])
  })

  test('of a manager has their supervisors and the teams of those', async () => {
    expect(names(await auth.callAs(person.manager).get('/users'))).toEqual(['Supervisor One', 'Trainee One'])
    expect(names(await auth.callAs(person.manager).get('/users?role=supervisor'))).toEqual(['Supervisor One'])
    expect((await auth.callAs(await auth.addPerson('manager')).get('/users')).json).toEqual([])
  })

  test('of a director or administrator has everybody, in pages', async () => {
    for (const role of ['director', 'admin'] as const) {
      const caller = auth.callAs(person[role])
      const pages = await readPages(caller, '/users', 3)
      expect(pages.flat()).toEqual(names(await caller.get('/users')))
      expect(pages.flat()).not.toContain('Root Admin')
      expect((await caller.get('/users?role=admin')).json).toEqual([])
    }
  })

  test('of a director or administrator can be narrowed to a manager, a supervisor and a role', async () => {
    for (const role of ['director', 'admin'] as const) {
      const list = async (query: string) => names(await auth.callAs(person[role]).get(`/users?${query}`))
      expect(await list(`supervisor_id=${person.supervisor.id}`)).toEqual(['Trainee One'])
      expect(await list(`manager_id=${person.manager.id}`)).toEqual(['Supervisor One', 'Trainee One'])
      expect(await list(`manager_id=${person.manager.id}&role=supervisor`)).toEqual(['Supervisor One'])
      expect(await list(`manager_id=${person.manager.id}&role=user&search=one`)).toEqual(['Trainee One'])
      expect(await list('supervisor_id=nobody')).toEqual([])
      expect(await list(`manager_id=${person.manager.id}&only_staff=true`)).toEqual(['Supervisor One'])
      expect(await list('only_staff=true&role=user')).toEqual([])
    }
    expect((await auth.callAs(person.director).get('/users?supervisor_id=a%20b')).status).toBe(422)
  })

  test('names the leaders to those who see everybody', async () => {
    const read = async (role: 'director' | 'supervisor', query: string) =>
      (await auth.callAs(person[role]).get(`/users${query}`)).json
    const [supervisor, trainee] = await read('director', `?manager_id=${person.manager.id}`)
    expect(supervisor).toMatchObject({
      name: 'Supervisor One',
      supervisor_name: null,
      manager_name: expect.any(String),
    })
    expect(trainee).toMatchObject({ name: 'Trainee One', supervisor_name: 'Supervisor One' })
    expect((await read('supervisor', ''))[0]).not.toHaveProperty('supervisor_name')
  })

  test('of other callers cannot be narrowed to another person’s', async () => {
    for (const role of ['supervisor', 'manager'] as const)
      for (const name of ['supervisor_id', 'manager_id'])
        expect((await auth.callAs(person[role]).get(`/users?${name}=${person.supervisor2.id}`)).status).toBe(403)
  })

  test('is refused to users', () => expectRefused('/users', ['member']))
})

test('every operation of this service is mounted', () => {
  const declared = operations.filter(operation => operation.service === 'auth')
  expect(routes.map(route => route.operation.name).sort()).toEqual(declared.map(operation => operation.name).sort())
})
