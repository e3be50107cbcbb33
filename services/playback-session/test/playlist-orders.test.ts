import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { writeCursor } from '@watchline/kit/http/paging'
import { eventually } from '@watchline/testing/harness'
import type { PlaybackSessionService } from '../src/service.ts'
import {
  assignPlaylist,
  type Caller,
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  type PlaybackWorld,
  videos,
} from './_util.ts'

let world: PlaybackWorld
let url: string
let service: PlaybackSessionService
beforeAll(async () => {
  world = await createPlaybackWorld()
  ;({ url, service } = await world.start())
})
afterAll(() => world.close())

const choicesPath = '/playlist-choices'

interface Listed {
  id: string
  title: string
  total_duration: number
}

/** Reads a list page by page, which must give each item once and the same total, if any. */
async function readPages(caller: Caller, path: string, query: string, limit: number): Promise<Listed[]> {
  const listed: Listed[] = []
  const totals = new Set<string | null>()
  let cursor: string | null = ''
  while (cursor !== null) {
    const page = await caller.get(`${path}?limit=${limit}&${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`)
    expect(page.status).toBe(200)
    listed.push(...page.json)
    totals.add(page.headers.get('x-total-count'))
    cursor = page.headers.get('x-next-cursor')
  }
  expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length)
  expect([...totals]).toEqual([path === choicesPath ? null : String(listed.length)])
  return listed
}

const titlesOf = (listed: Listed[]) => listed.map(({ title }) => title)

/** A supervisor with playlists; in each order some of them are equal. */
async function createPlaylists(titles = ['Course 10', 'course 9', 'Álgebra', 'Course 10', 'Basics']) {
  const supervisor = world.addPerson('supervisor')
  const boss = callAs(world, url, supervisor)
  const created: { id: string }[] = []
  for (const [index, title] of titles.entries())
    created.push(await createPlaylist(boss, { title, videos: videos(1, [40.5, 20, 40.5, 20, 300][index]) }))
  return { supervisor, boss, created }
}

describe('the playlists by which one may filter', () => {
  /** A manager’s supervisor, and a user of that supervisor who has a playlist of a director. */
  async function createTeam() {
    const director = callAs(world, url, world.addPerson('director'))
    const manager = world.addPerson('manager')
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    const user = world.addPerson('user', { supervisor_id: supervisor.id })
    const theirs = await createPlaylist(director, { title: 'Safety of directors' })
    await assignPlaylist(director, theirs.id, user)
    return { director, manager, supervisor, user, theirs }
  }
  const read = async (person: PersonSnapshot, query = '') =>
    (await callAs(world, url, person).get(`${choicesPath}?${query}`)).json

  test('are those of the own list and those that the own people have, by title', async () => {
    const { director, manager, supervisor, user, theirs } = await createTeam()
    const own = await createPlaylist(callAs(world, url, supervisor), { title: 'Áisles' })
    const ofManager = await createPlaylist(callAs(world, url, manager), { title: 'Zones' })
    const titles = async (person: PersonSnapshot, query = '') => titlesOf(await read(person, query))
    expect(await read(supervisor)).toEqual([
      { id: own.id, title: 'Áisles' },
      { id: theirs.id, title: 'Safety of directors' },
    ])
    expect(await titles(manager)).toEqual(['Safety of directors', 'Zones'])
    expect(await titles(supervisor, 'search=SAFETY')).toEqual(['Safety of directors'])
    expect(await titles(supervisor, `playlist_ids=${own.id},${ofManager.id}`)).toEqual(['Áisles'])
    await director.delete(`/playlists/${theirs.id}/assign`, { assigned_users: [user.id] })
    expect(await titles(supervisor)).toEqual(['Áisles'])
    await callAs(world, url, supervisor).delete(`/playlists/${own.id}`)
    expect(await titles(supervisor)).toEqual([])
    expect((await callAs(world, url, user).get(choicesPath)).status).toBe(403)
  })

  test('come in pages of any size, all of them for a director', async () => {
    const { director, supervisor, theirs } = await createTeam()
    for (const title of ['Course 10', 'course 9', 'Course 10'])
      await createPlaylist(callAs(world, url, supervisor), { title })
    const readTitles = async (caller: Caller, limit: number) =>
      titlesOf(await readPages(caller, choicesPath, '', limit))
    for (const limit of [1, 2, 3, 100])
      expect(await readTitles(callAs(world, url, supervisor), limit)).toEqual([
        ...['course 9', 'Course 10', 'Course 10', 'Safety of directors'],
      ])
    const all = await readPages(director, choicesPath, '', 100)
    expect(all.filter(({ id }) => id === theirs.id)).toHaveLength(1)
    expect(all).toHaveLength((await director.get('/playlists?limit=500')).json.length)
  })
})

describe('the order of playlists and tasks', () => {
  test.each(['/supervisor/tasks', '/playlists'])(
    '%s is by title, duration or date, in pages of any size',
    async path => {
      const { boss, created } = await createPlaylists()
      const byTitle = ['Álgebra', 'Basics', 'course 9', 'Course 10', 'Course 10']
      for (const limit of [1, 2, 3, 5, 100]) {
        expect(titlesOf(await readPages(boss, path, 'sort=title&order=asc', limit))).toEqual(byTitle)
        const durations = (await readPages(boss, path, 'sort=duration', limit)).map(item => item.total_duration)
        expect(durations).toEqual([300, 40.5, 40.5, 20, 20])
        const oldestFirst = (await readPages(boss, path, 'sort=created&order=asc', limit)).map(({ id }) => id)
        expect(oldestFirst).toEqual(created.map(({ id }) => id))
      }
      for (const sort of ['title', 'duration', 'created']) {
        const ascending = await readPages(boss, path, `sort=${sort}&order=asc`, 2)
        expect(await readPages(boss, path, `sort=${sort}&order=desc`, 2)).toEqual(ascending.toReversed())
      }
    },
  )

  test('is newest first without a choice, with the cursors of earlier versions', async () => {
    const { boss, created } = await createPlaylists()
    const newestFirst = created.map(({ id }) => id).toReversed()
    for (const path of ['/supervisor/tasks', '/playlists']) {
      expect((await readPages(boss, path, '', 2)).map(({ id }) => id)).toEqual(newestFirst)
      const second = await collectionOf(world, 'playlists').findOne({ _id: newestFirst[1]! })
      const cursor = writeCursor({ at: second!.created_at.getTime(), id: second!._id })
      const answer = await boss.get(`${path}?cursor=${encodeURIComponent(cursor)}`)
      expect(answer.json.map(({ id }: Listed) => id)).toEqual(newestFirst.slice(2))
    }
  })

  test('holds within a search, and among all playlists and those that a manager shares', async () => {
    const marker = Math.random().toString(36).slice(2)
    const manager = world.addPerson('manager')
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    for (const [title, maker] of [
      ['Course 10', manager],
      ['Course 9', supervisor],
      ['Algebra', manager],
    ] as const) {
      const playlist = await createPlaylist(callAs(world, url, maker), { title: `${title} ${marker}` })
      if (maker === manager)
        await callAs(world, url, manager).put(`/playlists/${playlist.id}/share`, { supervisor_ids: [supervisor.id] })
    }
    await createPlaylist(callAs(world, url, supervisor), { title: `Basics ${marker.slice(0, -1)}` })
    const read = async (person: Parameters<typeof callAs>[2], path: string) =>
      titlesOf(await readPages(callAs(world, url, person), path, `sort=title&order=asc&search=${marker}`, 2)).map(
        title => title.slice(0, -marker.length - 1),
      )
    const all = ['Algebra', 'Course 9', 'Course 10']
    expect(await read(world.addPerson('director'), '/playlists')).toEqual(all)
    expect(await read(supervisor, '/playlists')).toEqual(all)
    expect(await read(supervisor, '/supervisor/tasks')).toEqual(['Algebra', 'Course 10'])
  })

  test('counts playlists with keys that replicas of an earlier version did not write', async () => {
    const { boss, created } = await createPlaylists(['B', 'A', 'C'])
    const playlists = collectionOf(world, 'playlists')
    await playlists.updateOne({ _id: created[0]!.id }, { $unset: { title_order: 1 } })
    await playlists.updateOne({ _id: created[1]!.id }, { $set: { title: 'D', title_key: 'd' } })
    await service.correctTitleKeysOnce()
    expect(titlesOf(await readPages(boss, '/playlists', 'sort=title&order=asc', 1))).toEqual(['B', 'C', 'D'])
  })

  test('of titles that are much longer as keys has cursors with room for them', async () => {
    const titles = ['\u{1f600}'.repeat(100), '1x'.repeat(100), 'ﷺ'.repeat(200), `${'ﷺ'.repeat(199)}a`]
    const { boss } = await createPlaylists(titles)
    expect(titlesOf(await readPages(boss, '/playlists', 'sort=title', 1)).toSorted()).toEqual(titles.toSorted())
  })

  test('reads no more playlists than a search among all of them finds', async () => {
    await createPlaylists()
    const playlists = collectionOf(world, 'playlists')
    for (const [field, least] of [
      ['title_order', ''],
      ['total_duration', 0],
    ] as const) {
      const plan = await playlists
        .find({ $and: [{}, { title_key: { $regex: 'algebra' } }, { [field]: { $gte: least } }, {}] })
        .sort({ [field]: 1, _id: 1 })
        .explain('executionStats')
      const { totalDocsExamined, nReturned } = plan.executionStats
      expect({ field, totalDocsExamined }).toEqual({ field, totalDocsExamined: nReturned })
    }
  })

  test.each(['title_order', 'total_duration'])(
    'by %s reads own and shared playlists in the order of an index',
    async field => {
      const [own, shared] = [{ created_by: 'boss' }, { shared_with: 'boss', created_by: 'manager' }]
      const indexes = { own: { created_by: 1, [field]: 1, _id: 1 }, shared: { shared_with: 1, [field]: 1, _id: 1 } }
      for (const direction of [1, -1] as const) {
        const find = (filter: object) =>
          collectionOf(world, 'playlists')
            .find(filter)
            .sort({ [field]: direction, _id: direction })
        // A hint of an index that does not exist fails.
        for (const query of [
          find(own).hint(indexes.own),
          find(shared).hint(indexes.shared),
          find({ $or: [own, shared] }),
        ]) {
          const plan = JSON.stringify((await query.explain('queryPlanner')).queryPlanner.winningPlan)
          expect(plan).toMatch(new RegExp(`"indexName":"(created_by|shared_with)_1_${field}_1__id_1"`))
          expect(plan).not.toMatch(/"stage":"(SORT|COLLSCAN)"/)
        }
      }
    },
  )
})

describe('the order of tasks by assigned people', () => {
  async function createAssigned() {
    const { supervisor, boss, created } = await createPlaylists(['E', 'D', 'C', 'B', 'A'])
    const team = Array.from({ length: 3 }, () => world.addPerson('user', { supervisor_id: supervisor.id }))
    const [e, d, c, b] = created
    await assignPlaylist(boss, e!.id, team[0]!)
    await assignPlaylist(boss, d!.id, ...team)
    await assignPlaylist(boss, b!.id, team[1]!)
    // Neither people of other teams nor playlists that are no tasks count.
    const director = callAs(world, url, world.addPerson('director'))
    await assignPlaylist(director, c!.id, world.addPerson('user'), world.addPerson('user'))
    await assignPlaylist(director, (await createPlaylist(director, { title: 'F' })).id, ...team)
    return { boss, team, e: e!, b: b! }
  }

  test('is by the number in the team, then by title, in pages of any size', async () => {
    const { boss } = await createAssigned()
    for (const limit of [1, 2, 3, 4, 5, 100]) {
      const read = async (order: string) =>
        titlesOf(await readPages(boss, '/supervisor/tasks', `sort=assigned&order=${order}`, limit)).join('')
      expect([limit, await read('desc'), await read('asc')]).toEqual([limit, 'DBEAC', 'ACBED'])
    }
    const found = await readPages(boss, '/supervisor/tasks', 'sort=assigned&search=b', 1)
    expect(titlesOf(found)).toEqual(['B'])
  })

  test('follows a change of assignments', async () => {
    const { boss, team, e, b } = await createAssigned()
    await assignPlaylist(boss, e.id, team[1]!)
    await boss.delete(`/playlists/${b.id}/assign`, { assigned_users: [team[1]!.id] })
    expect(titlesOf(await readPages(boss, '/supervisor/tasks', 'sort=assigned', 2)).join('')).toBe('DEABC')
  })

  test('is by title for a supervisor without a team', async () => {
    const { boss } = await createPlaylists(['B', 'A'])
    expect(titlesOf(await readPages(boss, '/supervisor/tasks', 'sort=assigned', 1)).join('')).toBe('AB')
  })
})

describe('the order of playlists by all people who have them', () => {
  const mark = () => Math.random().toString(36).slice(2)

  /** Playlists whose titles have a mark, so that a search finds only them. */
  async function createAssigned(marker: string, numbers: Record<string, number>) {
    const director = callAs(world, url, world.addPerson('director'))
    const created = new Map<string, string>()
    for (const [title, number] of Object.entries(numbers)) {
      const { id } = await createPlaylist(director, { title: `${title} ${marker}` })
      created.set(title, id)
      if (number > 0)
        await assignPlaylist(director, id, ...Array.from({ length: number }, () => world.addPerson('user')))
    }
    return { director, created }
  }

  const read = async (caller: Caller, query: string, limit: number) =>
    titlesOf(await readPages(caller, '/playlists', query, limit))
      .map(title => title.split(' ')[0])
      .join('')

  test('sorts the lists of directors and administrators by assignees, then by title, in pages of any size', async () => {
    const marker = mark()
    const { director } = await createAssigned(marker, { E: 2, D: 0, C: 12, B: 2, A: 1, F: 0 })
    for (const limit of [1, 2, 3, 5, 100])
      for (const caller of [director, callAs(world, url, world.addPerson('admin'))]) {
        const search = `sort=assigned&search=${marker}`
        expect([limit, await read(caller, search, limit)]).toEqual([limit, 'CBEADF'])
        expect([limit, await read(caller, `${search}&order=asc`, limit)]).toEqual([limit, 'DFABEC'])
      }
    // Without a search, all playlists follow each other by the number that each one shows.
    const all = (await readPages(director, '/playlists', 'sort=assigned', 7)) as (Listed & { assigned_count: number })[]
    const counts = all.map(({ assigned_count }) => assigned_count)
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
    expect(counts).toContain(12)
  })

  test('follows changes at once on this replica, and on another one soon', async () => {
    const marker = mark()
    const { director, created } = await createAssigned(marker, { A: 1, B: 0, C: 2 })
    const other = callAs(world, (await world.start()).url, world.addPerson('director'))
    const search = `sort=assigned&search=${marker}`
    expect(await read(other, search, 2)).toBe('CAB')
    const people = [1, 2, 3].map(() => world.addPerson('user'))
    await assignPlaylist(director, created.get('B')!, ...people)
    expect(await read(director, search, 2)).toBe('BCA')
    await eventually(async () => expect(await read(other, search, 2)).toBe('BCA'))
    await director.delete(`/playlists/${created.get('B')}/assign`, { assigned_users: people.map(({ id }) => id) })
    expect(await read(director, search, 2)).toBe('CAB')
    await eventually(async () => expect(await read(other, search, 2)).toBe('CAB'))
    await director.delete(`/playlists/${created.get('C')}`)
    expect(await read(director, search, 2)).toBe('AB')
  })

  test('continues behind a playlist that was deleted or got another number meanwhile', async () => {
    const marker = mark()
    const { director, created } = await createAssigned(marker, { A: 1, B: 1, C: 1, D: 0 })
    const path = `/playlists?limit=2&sort=assigned&search=${marker}`
    const cursor = encodeURIComponent((await director.get(path)).headers.get('x-next-cursor')!)
    await director.delete(`/playlists/${created.get('B')}`)
    const following = await director.get(`${path}&cursor=${cursor}`)
    expect(titlesOf(following.json).map(title => title[0])).toEqual(['C', 'D'])
    expect(following.headers.get('x-next-cursor')).toBeNull()
    await assignPlaylist(director, created.get('C')!, world.addPerson('user'))
    expect(titlesOf((await director.get(`${path}&cursor=${cursor}`)).json).map(title => title[0])).toEqual(['D'])
  })

  test('counts only the people whom a supervisor or manager may see', async () => {
    const marker = mark()
    const manager = world.addPerson('manager')
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    const team = [1, 2].map(() => world.addPerson('user', { supervisor_id: supervisor.id }))
    const director = callAs(world, url, world.addPerson('director'))
    // The service learns to know the supervisor by their call, and then the manager's team.
    for (const person of [supervisor, manager]) {
      const boss = callAs(world, url, person)
      const ids: string[] = []
      for (const title of ['A', 'B']) ids.push((await createPlaylist(boss, { title: `${title} ${marker}` })).id)
      await assignPlaylist(director, ids[0]!, ...[1, 2, 3].map(() => world.addPerson('user')))
      await assignPlaylist(director, ids[1]!, ...team)
      expect(await read(boss, `sort=assigned&search=${marker}`, 1)).toBe('BA')
    }
    expect(await read(director, `sort=assigned&search=${marker}`, 1)).toBe('AABB')
  })

  test('reads the titles of all playlists from an index, once for calls at the same time', async () => {
    const marker = mark()
    const { director } = await createAssigned(marker, { A: 1, B: 0, C: 2 })
    const database = world.database('playback-session')
    for (const query of ['', `&search=${marker}`]) {
      // A write ends what the replica has in memory.
      await createPlaylist(director, { title: mark() })
      const { was, filter = 'unset' } = await database.command({ profile: -1 })
      await database.command({ profile: 2, filter: { 'command.projection.title_order': 1 } })
      const since = new Date()
      const path = `/playlists?limit=2&sort=assigned${query}`
      const answers = await Promise.all([1, 2, 3].map(() => director.get(path)))
      answers.push(await director.get(path))
      await database.command({ profile: was, filter })
      const reads = await database
        .collection('system.profile')
        .find({ ts: { $gte: since }, 'command.projection.title_order': 1, 'command.limit': null })
        .toArray()
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      expect(reads.map(({ docsExamined }) => docsExamined)).toEqual([0])
    }
  })
})

describe('an unsupported order', () => {
  test.each([
    'sort=',
    'sort=name',
    'sort=%24where',
    'sort=title&sort=created',
    'sort=title&order=up',
    'order=asc&order=desc',
  ])('?%s is refused', async query => {
    const supervisor = callAs(world, url, world.addPerson('supervisor'))
    for (const path of ['/supervisor/tasks', '/playlists']) {
      const answer = await supervisor.get(`${path}?${query}`)
      expect([answer.status, answer.json.code]).toEqual([422, 'invalid'])
    }
  })

  test('is refused: by assignees with assignee, and every order for users', async () => {
    const refusalOf = async (role: 'director' | 'user', query: string) => {
      const answer = await callAs(world, url, world.addPerson(role)).get(`/playlists?${query}`)
      return [answer.status, answer.json.errors?.[0]?.path]
    }
    expect(await refusalOf('director', 'sort=assigned&assignee=p1')).toEqual([422, 'sort'])
    expect(await refusalOf('user', 'sort=assigned')).toEqual([422, 'sort'])
    expect(await refusalOf('user', 'sort=title')).toEqual([422, 'sort'])
    expect(await refusalOf('user', 'order=asc')).toEqual([422, 'order'])
    expect(await refusalOf('user', 'sort=title&order=asc')).toEqual([422, 'sort'])
  })

  test('is refused with a cursor of another order', async () => {
    const { boss } = await createPlaylists()
    const director = callAs(world, url, world.addPerson('director'))
    const sorts = ['created', 'title', 'duration', 'assigned']
    for (const [caller, path] of [
      [boss, '/supervisor/tasks'],
      [director, '/playlists'],
    ] as const) {
      const cursors = new Map<string, string>()
      for (const sort of sorts)
        cursors.set(sort, (await caller.get(`${path}?limit=1&sort=${sort}`)).headers.get('x-next-cursor')!)
      for (const sort of sorts)
        for (const [origin, cursor] of cursors) {
          const answer = await caller.get(`${path}?sort=${sort}&cursor=${encodeURIComponent(cursor)}`)
          expect([sort, origin, answer.status]).toEqual([sort, origin, sort === origin ? 200 : 422])
        }
    }
  })

  test.each([
    { by: 'assigned', count: -1 },
    { by: 'assigned', count: 1, end: { by: 'title_order', values: [{ $gt: '' }], id: 'x' } },
    { by: 'title_order', values: ['a', 'b'], id: 'x' },
    { by: 'title_order', values: [1], id: 'x' },
    { by: 'title_order', values: ['a'], id: { $gt: '' } },
  ])('is that of the forged cursor %j', async position => {
    const cursor = encodeURIComponent(writeCursor(position))
    for (const [role, path] of [
      ['supervisor', '/supervisor/tasks'],
      ['director', '/playlists'],
    ] as const) {
      const caller = callAs(world, url, world.addPerson(role))
      const answer = await caller.get(`${path}?sort=${position.by.split('_')[0]}&cursor=${cursor}`)
      expect(answer.status).toBe(422)
    }
  })
})
