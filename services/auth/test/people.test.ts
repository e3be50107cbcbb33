import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { operations } from '@watchline/contracts/operations'
import type { apiClient } from '@watchline/testing/harness'
import { routes } from '../src/routes/index.ts'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

type Caller = ReturnType<typeof apiClient>

let auth: AuthWorld
const who = {} as Record<'admin' | 'director' | 'manager' | 'supervisor' | 'supervisor2' | 'member' | 'loner', Person>

beforeAll(async () => {
  auth = await startAuth()
  who.admin = await auth.person('admin', { name: 'Root Admin' })
  who.director = await auth.person('director', { name: 'Director One' })
  who.manager = await auth.person('manager', { name: 'Manager One' })
  who.supervisor = await auth.person('supervisor', { name: 'Supervisor One' })
  who.supervisor2 = await auth.person('supervisor', { name: 'Supervisor Two' })
  who.member = await auth.person('user', { name: 'Trainee One', email: 'trainee1.desk+1@example.org' })
  who.loner = await auth.person('user', { name: 'Lone (50%) .*' })
  await auth.as(who.admin).put(`/admin/users/${who.member.id}/supervisor?supervisor_id=${who.supervisor.id}`)
  const people = auth.database.collection<{ _id: string }>('people')
  await people.updateOne({ _id: who.supervisor.id }, { $set: { manager_id: who.manager.id } })
  await people.updateOne({ _id: who.manager.id }, { $inc: { team_size: 1 } })
})
afterAll(() => auth.stop())

const names = (answer: { json: { name: string }[] }) => answer.json.map(person => person.name)

async function refusedTo(path: string, roles: (keyof typeof who)[]) {
  expect((await auth.anyone.get(path)).json).toMatchObject({ code: 'no_session' })
  for (const role of roles) expect((await auth.as(who[role]).get(path)).json).toMatchObject({ code: 'forbidden' })
}

async function allPages(from: Caller, path: string, limit: number) {
  const pages: string[][] = []
  let cursor: string | null = null
  do {
    const query = `${path.includes('?') ? '&' : '?'}limit=${limit}${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ''}`
    const answer = await from.get(`${path}${query}`)
    expect(answer.status).toBe(200)
    pages.push(names(answer))
    cursor = answer.headers.get('x-next-cursor')
  } while (cursor)
  return pages
}

describe('the administrator’s list of users', () => {
  test('shows everybody but administrators, newest first, as a plain array', async () => {
    const answer = await auth.as(who.admin).get('/admin/users')
    expect(names(answer)).toEqual([
      'Lone (50%) .*',
      'Trainee One',
      'Supervisor Two',
      'Supervisor One',
      'Manager One',
      'Director One',
    ])
    expect(answer.headers.get('x-total-count')).toBe('6')
    expect(answer.headers.get('x-next-cursor')).toBeNull()
    const [loner, member, , supervisor, manager] = answer.json
    expect(member).toMatchObject({ supervisor_id: who.supervisor.id, supervisor_name: 'Supervisor One' })
    expect(loner).toMatchObject({ supervisor_id: null, supervisor_name: null })
    expect(supervisor).toMatchObject({ user_count: 1, manager_id: who.manager.id })
    expect(manager).toMatchObject({ supervisor_count: 1 })
    expect(JSON.stringify(answer.json)).not.toMatch(/issuer|subject|search|team_size|version/)
  })

  test('comes in pages that fit together', async () => {
    const pages = await allPages(auth.as(who.admin), '/admin/users', 4)
    expect(pages.map(page => page.length)).toEqual([4, 2])
    expect(new Set(pages.flat()).size).toBe(6)
    expect((await allPages(auth.as(who.admin), '/admin/users', 6)).length).toBe(1)
  })

  test.each([
    ['the beginning of a name', 'tra', ['Trainee One']],
    ['the beginnings of several words, in any order', 'on tra', ['Trainee One']],
    ['any case', 'TRAINEE', ['Trainee One']],
    ['accents left out or put in', 'träinéè', ['Trainee One']],
    ['an address', 'trainee1.desk+1@example.org', ['Trainee One']],
    ['a part of an address on', 'desk+1@exam', ['Trainee One']],
    ['signs that mean something to a regular expression', '(50%) .*', ['Lone (50%) .*']],
    ['what matches nobody', '^.*$', []],
    ['the middle of a word, which finds nobody', 'rainee', []],
    ['a word that fits and one that does not', 'trainee supervisor', []],
  ])('finds by %s', async (_name, search, found) => {
    const answer = await auth.as(who.admin).get(`/admin/users?search=${encodeURIComponent(search)}`)
    expect(names(answer)).toEqual(found)
    expect(answer.headers.get('x-total-count')).toBe(String(found.length))
  })

  test('filters by role', async () => {
    const list = (query: string) => auth.as(who.admin).get(`/admin/users?${query}`)
    expect(names(await list('role=supervisor'))).toEqual(['Supervisor Two', 'Supervisor One'])
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
    'search[$ne]=',
    'role=user&role=admin',
  ])('refuses %s, or ignores what is no parameter', async query => {
    const { status } = await auth.as(who.admin).get(`/admin/users?${query}`)
    expect(status).toBe(query.startsWith('search[') ? 200 : 422)
  })

  test('is the administrator’s only', () => refusedTo('/admin/users', ['director', 'manager', 'supervisor', 'member']))

  test('names whom people are under', async () => {
    const { json } = await auth.as(who.admin).get('/admin/users?role=supervisor')
    expect(json).toMatchObject([
      { name: 'Supervisor Two', manager_name: null },
      { name: 'Supervisor One', manager_name: 'Manager One' },
    ])
  })

  test('finds people who were stored before there were words to be found by, after the next start', async () => {
    const people = auth.database.collection<{ _id: string }>('people')
    await people.updateOne({ _id: who.loner.id }, { $unset: { search_words: 1 }, $set: { search_key: 'lone' } })
    expect(names(await auth.as(who.admin).get('/admin/users?search=lone'))).toEqual([])
    const other = await startAuth({}, { world: auth.world })
    try {
      expect(names(await auth.as(who.admin).get('/admin/users?search=lone'))).toEqual(['Lone (50%) .*'])
    } finally {
      await other.service.stop()
    }
  })
})

describe('the counts', () => {
  test('are by role, without administrators', async () => {
    expect((await auth.as(who.admin).get('/admin/user-counts')).json).toEqual({
      total: 6,
      user: 2,
      supervisor: 2,
      manager: 1,
      director: 1,
      managed_supervisors: 1,
      pending_requests: 0,
    })
  })
  test('are the administrator’s only', () =>
    refusedTo('/admin/user-counts', ['director', 'manager', 'supervisor', 'member']))
})

describe('the list of supervisors', () => {
  test('carries the size of their teams, for administrator and manager', async () => {
    for (const role of ['admin', 'manager'] as const) {
      const { json, headers } = await auth.as(who[role]).get('/admin/supervisors')
      expect(json).toMatchObject([
        { name: 'Supervisor Two', user_count: 0 },
        { name: 'Supervisor One', user_count: 1 },
      ])
      expect(headers.get('x-total-count')).toBe('2')
    }
    expect(names(await auth.as(who.manager).get('/admin/supervisors?search=two'))).toEqual(['Supervisor Two'])
  })

  test('names their managers to the administrator only', async () => {
    const [, supervisor1] = (await auth.as(who.admin).get('/admin/supervisors')).json
    expect(supervisor1).toMatchObject({ name: 'Supervisor One', manager_name: 'Manager One' })
    const [, seenByManager] = (await auth.as(who.manager).get('/admin/supervisors')).json
    expect(seenByManager).not.toHaveProperty('manager_name')
  })

  test('of the available ones are those without a manager', async () => {
    const answer = await auth.as(who.manager).get('/admin/supervisors?available=true')
    expect(names(answer)).toEqual(['Supervisor Two'])
    expect(answer.headers.get('x-total-count')).toBe('1')
    expect(names(await auth.as(who.manager).get('/admin/supervisors?available=false'))).toHaveLength(2)
    expect(names(await auth.as(who.manager).get('/admin/supervisors?available=true&search=one'))).toEqual([])
    expect((await auth.as(who.manager).get('/admin/supervisors?available=maybe')).status).toBe(422)
  })

  test('is nobody else’s', () => refusedTo('/admin/supervisors', ['director', 'supervisor', 'member']))
})

describe('the list of managers', () => {
  test('carries how many supervisors they have', async () => {
    const answer = await auth.as(who.admin).get('/admin/managers')
    expect(answer.json).toMatchObject([{ name: 'Manager One', supervisor_count: 1, role: 'manager' }])
    expect(answer.headers.get('x-total-count')).toBe('1')
    expect(names(await auth.as(who.admin).get('/admin/managers?search=nobody'))).toEqual([])
  })
  test('is the administrator’s only', () =>
    refusedTo('/admin/managers', ['director', 'manager', 'supervisor', 'member']))
})

describe('a manager’s own supervisors', () => {
  test('are theirs, with the size of their teams', async () => {
    const answer = await auth.as(who.manager).get('/manager/supervisors')
    expect(answer.json).toMatchObject([{ name: 'Supervisor One', user_count: 1 }])
    expect(answer.headers.get('x-total-count')).toBe('1')
    expect(names(await auth.as(who.manager).get('/manager/supervisors?search=two'))).toEqual([])
    expect(names(await auth.as(who.manager).get('/manager/supervisors?search=one'))).toEqual(['Supervisor One'])
    const other = await auth.person('manager')
    expect((await auth.as(other).get('/manager/supervisors')).json).toEqual([])
    await auth.database.collection<{ _id: string }>('people').deleteOne({ _id: other.id })
  })
  test('are shown to managers only', () =>
    refusedTo('/manager/supervisors', ['admin', 'director', 'supervisor', 'member']))
})

describe('the team', () => {
  test('of a supervisor is their own', async () => {
    expect(names(await auth.as(who.supervisor).get('/users'))).toEqual(['Trainee One'])
    expect((await auth.as(who.supervisor2).get('/users')).json).toEqual([])
    expect((await auth.as(who.supervisor2).get('/users?search=trainee')).json).toEqual([])
  })

  test('of a manager is their supervisors and those in their teams', async () => {
    expect(names(await auth.as(who.manager).get('/users'))).toEqual(['Trainee One', 'Supervisor One'])
    expect(names(await auth.as(who.manager).get('/users?role=supervisor'))).toEqual(['Supervisor One'])
    expect((await auth.as(await auth.person('manager')).get('/users')).json).toEqual([])
  })

  test('of director and administrator is everyone, in pages', async () => {
    for (const role of ['director', 'admin'] as const) {
      const caller = auth.as(who[role])
      const pages = await allPages(caller, '/users', 3)
      expect(pages.flat()).toEqual(names(await caller.get('/users')))
      expect(pages.flat()).not.toContain('Root Admin')
      expect((await caller.get('/users?role=admin')).json).toEqual([])
    }
  })

  test('is not there for a user', () => refusedTo('/users', ['member']))
})

test('every operation of this service is mounted', () => {
  const due = operations.filter(operation => operation.service === 'auth')
  expect(routes.map(route => route.operation.name).sort()).toEqual(due.map(operation => operation.name).sort())
})
