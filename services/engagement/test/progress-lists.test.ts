import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import {
  type Caller,
  callAs,
  createEngagementWorld,
  createLock,
  createPeople,
  type EngagementWorld,
  type PeopleByName,
  peopleNames,
  play,
} from './_util.ts'

let world: EngagementWorld
let people: PeopleByName
let playlist: ReturnType<EngagementWorld['playlist']>
const callers = {} as Record<keyof PeopleByName, Caller>

beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world, { trainee1: 'Trainee 10', trainee2: 'Trainee 9', trainee3: 'Trainee 3' })
  playlist = world.playlist([10])
  const more = ['Trainee 30', 'Trainee 4'].map(name =>
    world.addPerson('user', { name, supervisor_id: people.supervisor.id }),
  )
  // Nothing is assigned to this person.
  world.addPerson('user', { name: 'Trainee 1', supervisor_id: people.supervisor.id })
  world.assign(playlist, people.trainee1, people.trainee2, people.trainee3, ...more)
  world.clock.advance(limits.stalledAfterMs)
  world.assign(world.playlist([30]), people.trainee1)
  const { url } = await world.start()
  for (const name of peopleNames) callers[name] = callAs(world, url, people[name])
  const lock = createLock(world, more[1]!.id, playlist.playlist_id)
  await lock.acquire()
  const finisher = callAs(world, url, more[1]!)
  await play(world, body => finisher.post('/engagement/track', body), playlist.playlist_id, { to: 10 }, lock.renew)
  await lock.release()
  world.clock.advance(60_000)
})
afterAll(() => world.close())

const namesOf = (json: { members: { name: string }[] }) => json.members.map(({ name }) => name)

test.each([
  ['supervisor', ['Trainee 9', 'Trainee 10', 'Trainee 30']],
  ['manager', ['Trainee 9', 'Trainee 10', 'Trainee 30']],
  ['director', ['Trainee 3', 'Trainee 9', 'Trainee 10', 'Trainee 30']],
  ['otherManager', []],
] as const)('a %s pages through everybody who is stuck, by name', async (name, expected) => {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const query = `progress=stalled&limit=1${cursor ? `&cursor=${cursor}` : ''}`
    const page = await callers[name].get(`/engagement/team?${query}`)
    expect(page.json.stalled_count).toBe(expected.length)
    expect(page.headers.get('x-total-count')).toBe(String(expected.length))
    names.push(...namesOf(page.json))
    cursor = page.headers.get('x-next-cursor')
  } while (cursor)
  expect(names).toEqual(expected)
})

test.each([
  ['completion', 'desc', ['Trainee 4', 'Trainee 1', 'Trainee 3', 'Trainee 9', 'Trainee 10', 'Trainee 30']],
  ['watch_time', 'asc', ['Trainee 1', 'Trainee 3', 'Trainee 9', 'Trainee 10', 'Trainee 30', 'Trainee 4']],
  ['activity', 'desc', ['Trainee 4', 'Trainee 1', 'Trainee 3', 'Trainee 9', 'Trainee 10', 'Trainee 30']],
  ['name', 'desc', ['Trainee 30', 'Trainee 10', 'Trainee 9', 'Trainee 4', 'Trainee 3', 'Trainee 1']],
  // Those with low completion, then those who are done, then those without a task.
  ['need', 'asc', ['Trainee 3', 'Trainee 9', 'Trainee 10', 'Trainee 30', 'Trainee 4', 'Trainee 1']],
])('a director pages through everybody by %s, %s', async (sort, order, expected) => {
  const names: string[] = []
  let cursor: string | null = null
  do {
    const query = `sort=${sort}&order=${order}&limit=2${cursor ? `&cursor=${cursor}` : ''}`
    const page = await callers.director.get(`/engagement/team?${query}`)
    expect(page.headers.get('x-total-count')).toBe('6')
    names.push(...namesOf(page.json))
    cursor = page.headers.get('x-next-cursor')
  } while (cursor)
  expect(names).toEqual(expected)
})

test('an order applies to searches, states and teams, and to the scope of every role', async () => {
  const read = async (name: keyof PeopleByName, query: string) =>
    namesOf((await callers[name].get(`/engagement/team?${query}`)).json)
  expect(await read('director', 'sort=name&order=desc&progress=stalled&search=trainee%203')).toEqual([
    'Trainee 30',
    'Trainee 3',
  ])
  expect(await read('director', `sort=need&supervisor_id=${people.otherSupervisor.id}`)).toEqual(['Trainee 3'])
  expect(await read('supervisor', 'sort=completion&order=desc&limit=1')).toEqual(['Trainee 4'])
  expect(await read('manager', 'sort=need&limit=1')).toEqual(['Trainee 9'])
  expect((await callers.director.get('/engagement/team?sort=age')).status).toBe(422)
  expect((await callers.trainee1.get('/engagement/team?sort=need')).status).toBe(403)
  const byName = await callers.director.get('/engagement/team?limit=1')
  const cursor = byName.headers.get('x-next-cursor')
  expect((await callers.director.get(`/engagement/team?sort=need&cursor=${cursor}`)).status).toBe(422)
})

test('people who are done are listed apart, and both lists can be searched and narrowed', async () => {
  const done = await callers.manager.get('/engagement/team?progress=finished')
  expect(namesOf(done.json)).toEqual(['Trainee 4'])
  expect(done.json).toMatchObject({ finished_count: 1, stalled_count: 3 })
  const found = await callers.director.get('/engagement/team?progress=stalled&search=trainee%203')
  expect(namesOf(found.json)).toEqual(['Trainee 3', 'Trainee 30'])
  const team = await callers.director.get(
    `/engagement/team?progress=stalled&supervisor_id=${people.otherSupervisor.id}`,
  )
  expect(namesOf(team.json)).toEqual(['Trainee 3'])
  expect((await callers.director.get('/engagement/team?progress=under_way')).status).toBe(422)
  expect((await callers.director.get('/engagement/team?progress=stalled&cursor=nonsense')).status).toBe(422)
  expect((await callers.trainee1.get('/engagement/team?progress=stalled')).status).toBe(403)
})

test('a new task does not hide somebody who is stuck with an earlier one', async () => {
  const { json } = await callers.supervisor.get('/engagement/team')
  const trainee = json.members.find(({ user_id }: { user_id: string }) => user_id === people.trainee1.id)
  expect(trainee).toMatchObject({ total_videos: 2, progress: 'stalled' })
})

test('a director’s list leaves out people whose state has changed since it was made', async () => {
  await callers.director.get('/engagement/team?progress=stalled')
  const lock = createLock(world, people.trainee3.id, playlist.playlist_id)
  await lock.acquire()
  await play(
    world,
    body => callers.trainee3.post('/engagement/track', body),
    playlist.playlist_id,
    { to: 5 },
    lock.renew,
  )
  await lock.release()
  const { json } = await callers.director.get('/engagement/team?progress=stalled')
  expect(namesOf(json)).toEqual(['Trainee 9', 'Trainee 10', 'Trainee 30'])
})
