import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { listOrderKey } from '@watchline/identity/name-key'
import { newId } from '@watchline/kit/mongo/database'
import { searchWords } from '../src/rules/search.ts'
import { type AuthWorld, type Person, startAuth } from './_util.ts'

const peopleCount = 3_000
const firstCreatedAt = Date.UTC(2026, 0, 1)

let auth: AuthWorld
let admin: Person
/** Newest first. */
let people: ReturnType<typeof makePeople>

beforeAll(async () => {
  auth = await startAuth()
  admin = await auth.addPerson('admin')
  people = makePeople()
  await auth.database.collection<{ _id: string }>('people').insertMany(people)
  people.sort((a, b) => b.created_at.getTime() - a.created_at.getTime() || compareText(b._id, a._id))
})
afterAll(() => auth.stop())

const compareText = (a: string, b: string) => Number(a > b) - Number(a < b)

function makePeople() {
  return Array.from({ length: peopleCount }, (_, index) => {
    const _id = newId()
    // The oldest third has the word Oldhouse, every second person Trainee, one in a hundred Rare.
    const name = `${index % 2 ? 'Trainee' : 'Officer'} ${index < peopleCount / 3 + 100 ? 'Oldhouse' : 'Newhouse'} ${index % 100 ? 'Plain' : 'Rare'} ${index % 1_500}`
    const email = `p${index}@example.org`
    const role = index % 10 ? ('user' as const) : ('supervisor' as const)
    return {
      _id,
      issuer: 'test',
      subject: _id,
      name,
      email,
      picture: null,
      role,
      // One user in 30 has no team.
      supervisor_id: role === 'user' && index % 30 !== 1 ? `supervisor-${index % 300}` : null,
      manager_id: role === 'supervisor' && index % 20 ? 'a-manager' : null,
      // Groups of three have the same time.
      created_at: new Date(firstCreatedAt + Math.floor(index / 3) * 1_000),
      version: 1,
      team_size: role === 'supervisor' ? index % 7 : 0,
      search_words: searchWords(name, email),
      name_key: listOrderKey(name),
    }
  })
}

/** The ids of all pages of a list, and the different totals they gave. */
async function readAll(path: string, limit = 500, order = 'sort=joined&order=desc') {
  const ids: string[] = []
  const totals = new Set<number>()
  let cursor: string | null = null
  do {
    const query = `${path.includes('?') ? '&' : '?'}${order}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
    const answer = await auth.callAs(admin).get(`${path}${query}`)
    expect(answer.status).toBe(200)
    ids.push(...answer.json.map((person: { id: string }) => person.id))
    totals.add(Number(answer.headers.get('x-total-count')))
    cursor = answer.headers.get('x-next-cursor')
  } while (cursor)
  return { ids, totals: [...totals] }
}

type Row = (typeof people)[number]
const filterIds = (matches: (person: Row) => boolean) => people.filter(matches).map(person => person._id)

describe('a list of thousands', () => {
  test('is complete and in order, with the total', async () => {
    expect(await readAll('/admin/users')).toEqual({ ids: filterIds(() => true), totals: [peopleCount] })
    const users = filterIds(person => person.role === 'user')
    expect(await readAll('/admin/users?role=user')).toEqual({ ids: users, totals: [users.length] })
    const { ids, totals } = await readAll('/admin/supervisors?available=true', 70)
    expect(ids).toEqual(filterIds(person => person.role === 'supervisor' && !person.manager_id))
    expect(totals).toEqual([ids.length])
    const withoutTeam = await readAll('/admin/users?without_team=true', 30)
    expect(withoutTeam.ids).toEqual(filterIds(person => person.role === 'user' && !person.supervisor_id))
    expect(withoutTeam.totals).toEqual([withoutTeam.ids.length])
  })

  const byName = (a: Row, b: Row) => compareText(a.name_key, b.name_key) || compareText(a._id, b._id)
  const orders: [string, (a: Row, b: Row) => number, paths: string[]][] = [
    [
      'sort=name',
      byName,
      ['/admin/users?', '/admin/users?without_team=true', '/admin/users?search=trainee', '/users?'],
    ],
    [
      'sort=role',
      (a, b) => compareText(a.role, b.role) || byName(a, b),
      ['/admin/users?', '/admin/users?search=rare+example'],
    ],
    [
      'sort=joined',
      (a, b) => a.created_at.getTime() - b.created_at.getTime() || compareText(a._id, b._id),
      ['/admin/users?', '/admin/users?without_team=true'],
    ],
    [
      'sort=team_size',
      (a, b) => a.team_size - b.team_size || byName(a, b),
      ['/admin/supervisors?', '/admin/supervisors?available=true&search=oldh'],
    ],
  ]
  test.each(orders.flatMap(([sort, compare, paths]) => paths.map(path => [sort, path, compare] as const)))(
    'is ordered as a whole by %s, in both directions: %s',
    async (sort, path, compare) => {
      const { ids: ascending } = await readAll(path, 130, `${sort}&order=asc`)
      const listed = new Set(ascending)
      expect(listed.size).toBe(ascending.length)
      expect(ascending).toEqual(
        people
          .filter(({ _id }) => listed.has(_id))
          .sort(compare)
          .map(({ _id }) => _id),
      )
      expect((await readAll(path, 130, `${sort}&order=desc`)).ids).toEqual(ascending.toReversed())
    },
  )

  test('refuses the cursor of another order', async () => {
    const page = await auth.callAs(admin).get('/admin/users?sort=joined&limit=1')
    const cursor = page.headers.get('x-next-cursor')
    for (const sort of ['name', 'role'])
      expect((await auth.callAs(admin).get(`/admin/users?sort=${sort}&cursor=${cursor}`)).status).toBe(422)
    expect((await auth.callAs(admin).get(`/admin/users?sort=joined&order=desc&cursor=${cursor}`)).status).toBe(200)
  })

  test.each([
    ['a rare word', 'rare', (name: string) => name.includes('Rare')],
    ['a frequent word', 'trainee', (name: string) => name.startsWith('Trainee')],
    ['a word that only the oldest people have', 'oldhouse', (name: string) => name.includes('Oldhouse')],
    ['a word that everybody has', 'example', () => true],
    ['two frequent words', 'old trainee', (name: string) => /^Trainee Old/.test(name)],
    ['a frequent and a rare word', 'example rare', (name: string) => name.includes('Rare')],
    ['a word that everybody has and one that few have', 'rare example', (name: string) => name.includes('Rare')],
    ['words that nobody has together', 'oldhouse newhouse', () => false],
    ['a frequent word and one that nobody has', 'example nowhere', () => false],
  ])('finds all people by %s, in order', async (_name, search, matches) => {
    const path = `/admin/users?search=${encodeURIComponent(search)}`
    const expected = filterIds(person => matches(person.name))
    // Totals are counted up to a limit.
    expect(await readAll(path)).toEqual({ ids: expected, totals: [Math.min(expected.length, limits.maxCountedTotal)] })
    const supervisors = filterIds(person => matches(person.name) && person.role === 'supervisor')
    expect((await readAll(`${path}&role=supervisor`, 33)).ids).toEqual(supervisors)
    const available = filterIds(person => matches(person.name) && person.role === 'supervisor' && !person.manager_id)
    expect((await readAll(path.replace('users?', 'supervisors?available=true&'), 33)).ids).toEqual(available)
  })

  test.each(['example rare', 'rare example'])('uses the rarer word of %s, also after another search', async search => {
    await auth.callAs(admin).get('/admin/users?search=example+kim')
    await auth.database.command({ profile: 2 })
    expect((await auth.callAs(admin).get(`/admin/users?search=${search.replace(' ', '+')}`)).json).toHaveLength(30)
    await auth.database.command({ profile: 0 })
    const profile = auth.database.collection('system.profile')
    const commands = await profile.find({ ns: /\.people$/ }).toArray()
    await profile.drop()
    // The caller, 30 people to check for the second word, and 30 people to show.
    expect(commands.reduce((sum, command) => sum + command.docsExamined, 0)).toBeLessThanOrEqual(61)
  })

  test.each([
    ['the first page', '/admin/users?limit=20', 25],
    ['the first page by time', '/admin/users?limit=20&sort=joined&order=desc', 25],
    ['the first page by role', '/admin/users?limit=20&sort=role', 25],
    ['the first page by size of team', '/admin/supervisors?limit=20&sort=team_size', 25],
    ['active people', '/users?limit=20', 25],
    ['active people with a rare word', '/users?limit=20&search=rare', 25],
    ['people without a team', '/admin/users?limit=20&without_team=true', 25],
    ['people without a team by time', '/admin/users?limit=20&without_team=true&sort=joined', 25],
    ['a rare word', '/admin/users?limit=20&search=rare', 25],
    ['a frequent word among few', '/admin/supervisors?limit=20&available=true&search=oldh', 25],
    ['a word that everybody has', '/admin/users?limit=20&search=example', 1_025],
    ['a word that only the oldest people have', '/admin/users?limit=20&search=oldhouse&sort=joined&order=desc', 1_025],
  ])('examines few more documents than it shows for %s', async (_name, path, maxExamined) => {
    await auth.database.command({ profile: 2 })
    expect((await auth.callAs(admin).get(path)).json).toHaveLength(20)
    await auth.database.command({ profile: 0 })
    const profile = auth.database.collection('system.profile')
    const commands = await profile.find({ ns: /\.people$/ }).toArray()
    await profile.drop()
    expect(commands.length).toBeGreaterThan(1)
    // The caller, the page and the first person of the next one. Frequent words also scan a
    // thousand people.
    expect(commands.reduce((sum, command) => sum + command.docsExamined, 0)).toBeLessThanOrEqual(maxExamined)
  })
})
