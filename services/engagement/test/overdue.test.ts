import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { projectionsOf, requestRebuild } from '@watchline/kit/messaging/projection-rebuild'
import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import type { Connection } from 'mongoose'
import {
  type Caller,
  callAs,
  collectionOf,
  createEngagementWorld,
  createLock,
  createPeople,
  type EngagementWorld,
  iso,
  type PeopleByName,
  play,
  service,
} from './_util.ts'

const hour = 3600_000
let world: EngagementWorld
let people: PeopleByName
let url: string
let supervisor: Caller
let database: Connection

beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world, { trainee1: 'Trainee One', trainee2: 'Trainee Two', trainee3: 'Trainee Three' })
  url = (await world.start()).url
  supervisor = callAs(world, url, people.supervisor)
  database = createDatabase()
  await openDatabase(database, world.config.mongoUrl, `${world.config.databasePrefix}-${service}`)
})
afterAll(async () => {
  await database.close()
  await world.close()
})

const at = (ms: number) => new Date(ms).toISOString()
const dueOf = (ms: number) => ({ at: at(ms), local: at(ms).slice(0, 16), time_zone: 'UTC' })

/** Publishes that somebody has the playlist since `assignedAt`; times in ms. */
const assign = (playlistId: string, people: { id: string }[], assignedAt: number, dueAt?: number) =>
  world.publish('playlist.assigned', {
    ...{ playlist_id: playlistId, title: 'Safety', by: 'somebody', assigned: people.map(({ id }) => id) },
    ...{ assigned_date: at(assignedAt), due: dueAt === undefined ? null : dueOf(dueAt) },
  })
const changeDue = (playlistId: string, people: { id: string }[], changedAt: number, dueAt: number | null) =>
  world.publish('assignment.due_changed', {
    ...{ playlist_id: playlistId, title: 'Safety', by: 'somebody', changed: people.map(({ id }) => id) },
    ...{ changed_at: at(changedAt), due: dueAt === null ? null : dueOf(dueAt) },
  })

async function overdueTasks(): Promise<Record<string, number>> {
  const { json } = await supervisor.get('/engagement/team')
  return Object.fromEntries(
    json.members.map(({ name, overdue_tasks }: { name: string; overdue_tasks: number }) => [name, overdue_tasks]),
  )
}
const storedDue = async (person: { id: string }, playlistId: string) =>
  collectionOf(world, 'assignments').findOne({ _id: `${person.id}:${playlistId}` })

test('a task is overdue from its due date on, until it is completed or taken away', async () => {
  const { trainee1, trainee2 } = people
  const playlist = world.playlist([10])
  await world.publish('playlist.created', playlist)
  world.assign(playlist, trainee1, trainee2)
  const { playlist_id: id } = playlist
  const now = world.clock.now()
  await assign(id, [trainee1, trainee2], now, now + hour)
  await assign(world.playlist([10]).playlist_id, [trainee1], now)
  await eventually(async () => expect(await storedDue(trainee2, id)).toMatchObject({ due_at: new Date(now + hour) }))
  expect(await overdueTasks()).toEqual({ 'Trainee One': 0, 'Trainee Two': 0 })

  world.clock.advance(hour)
  expect(await overdueTasks()).toEqual({ 'Trainee One': 1, 'Trainee Two': 1 })
  const listed = await supervisor.get('/engagement/team?progress=overdue&limit=1')
  expect(listed.json).toMatchObject({ overdue_count: 2, members: [{ name: 'Trainee One' }] })
  expect(listed.headers.get('x-total-count')).toBe('2')
  const director = await callAs(world, url, people.director).get('/engagement/team?progress=overdue&search=two')
  expect(director.json.members).toMatchObject([{ name: 'Trainee Two', overdue_tasks: 1 }])

  const lock = createLock(world, trainee1.id, id)
  await lock.acquire()
  const watcher = callAs(world, url, trainee1)
  await play(world, body => watcher.post('/engagement/track', body), id, { to: 10 }, lock.renew)
  await lock.release()
  expect(await overdueTasks()).toMatchObject({ 'Trainee One': 0, 'Trainee Two': 1 })
  await world.publish('playlist.unassigned', {
    ...{ playlist_id: id, by: 'somebody', unassigned: [trainee2.id], unassigned_date: iso(world.clock.now()) },
  })
  await eventually(async () => expect(await overdueTasks()).toMatchObject({ 'Trainee Two': 0 }))
  expect((await supervisor.get('/engagement/team')).json.overdue_count).toBe(0)
})

describe('a change of a due date', () => {
  const past = Date.UTC(2020, 0, 1)

  test.each([
    ['after the assignment', [0, 1, 2]],
    ['before the assignment', [2, 1, 0]],
    ['between two others', [1, 2, 0]],
    ['twice', [0, 2, 2, 1]],
  ])('that arrives %s counts by its time', async (_case, order) => {
    const { trainee3 } = people
    const { playlist_id: id } = world.playlist([10])
    const events = [
      () => assign(id, [trainee3], past, past + hour),
      () => changeDue(id, [trainee3], past + 1_000, past + 2 * hour),
      () => changeDue(id, [trainee3], past + 2_000, past + 3 * hour),
    ]
    for (const index of order) await events[index]!()
    const expected = { assigned: true, due_at: new Date(past + 3 * hour), due_changed_at: new Date(past + 2_000) }
    await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject(expected))

    // A new assignment has terms of its own.
    await assign(id, [trainee3], past + 5_000)
    await changeDue(id, [trainee3], past + 4_000, past)
    await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ due_at: null }))
  })

  test('without its event is found by a rebuild', async () => {
    const { trainee3 } = people
    const playlist = world.playlist([10])
    const { playlist_id: id } = playlist
    const key = `${trainee3.id}:${id}`
    // As an earlier version stored it.
    await collectionOf(world, 'assignments').insertOne({
      ...{ _id: key, person_id: trainee3.id, playlist_id: id, assigned: true, at: new Date(past) },
    })
    world.owners.assignments.set(key, {
      ...{ person_id: trainee3.id, playlist_id: id, assigned_date: at(past) },
      due: { at: at(past + hour), changed_at: at(past + 1_000) },
    })
    expect(await requestRebuild(database, 'assignments', new Date())).toBe(true)
    await eventually(async () => {
      const projection = (await projectionsOf(database)).find(({ _id }) => _id === 'assignments')
      expect(projection?.rebuild).toMatchObject({ state: 'done' })
      expect(await storedDue(trainee3, id)).toMatchObject({ due_at: new Date(past + hour) })
    })
  })
})
