import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defaultConditions } from '@watchline/contracts/conditions'
import { getCompletion, getTeamDigest } from '@watchline/contracts/internal-operations'
import { createInternalClient } from '@watchline/kit/http/internal-client'
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

test('a task is overdue only after its grace period, by the clocks of its due date, for everybody', async () => {
  const { trainee3, otherSupervisor } = people
  const playlist = world.playlist([10])
  await world.publish('playlist.created', playlist)
  world.assign(playlist, trainee3)
  const { playlist_id: id } = playlist
  const now = world.clock.now()
  const conditions = {
    grace_days: 2,
    required_percent: 90,
    max_rate: null,
    attention_checks: false,
    allow_skipping: true,
  }
  await world.publish('playlist.assigned', {
    ...{ playlist_id: id, title: 'Safety', by: 'somebody', assigned: [trainee3.id] },
    ...{ assigned_date: at(now), due: dueOf(now + hour), conditions },
  })
  const graceUntil = new Date(Date.parse(`${at(now + hour).slice(0, 16)}Z`) + 48 * hour)
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ grace_until: graceUntil }))
  const client = createInternalClient({ url, credentials: world.credentialsOf('notification') })
  const boss = () => callAs(world, url, otherSupervisor)
  const readAll = async () => {
    const [team, risks, report, digest] = await Promise.all([
      boss().get('/engagement/team'),
      boss().get('/engagement/at-risk'),
      boss().get('/engagement/report?by=person'),
      client.call(getTeamDigest, { params: { supervisorId: otherSupervisor.id } }),
    ])
    return {
      team: team.json.overdue_count,
      reasons: risks.json.tasks.flatMap(({ reasons }: { reasons: string[] }) => reasons),
      grace: risks.json.tasks[0]?.grace_until,
      report: report.json.total?.overdue,
      digest: [digest.overdue, digest.in_grace, digest.due_soon],
    }
  }
  world.clock.advance(2 * hour)
  expect(await readAll()).toMatchObject({ team: 0, grace: graceUntil.toISOString(), report: 0, digest: [0, 1, 0] })
  expect((await readAll()).reasons).toEqual(['behind'])
  world.clock.advance(47 * hour)
  expect(await readAll()).toMatchObject({ team: 1, report: 1, digest: [1, 0, 0] })
  expect((await readAll()).reasons).toContain('overdue')
  const { json: detail } = await boss().get(`/engagement/members/${trainee3.id}`)
  const terms = { due: dueOf(now + hour).at, grace_until: graceUntil.toISOString() }
  expect(detail.playlists).toMatchObject([{ playlist_id: id, ...terms }])
  await world.publish('playlist.unassigned', {
    ...{ playlist_id: id, by: 'somebody', unassigned: [trainee3.id], unassigned_date: at(world.clock.now()) },
  })
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ assigned: false }))
})

test('a completed task whose playlist grows stays closed for everybody, and says that there is more to watch', async () => {
  const { trainee3, otherSupervisor } = people
  const playlist = world.playlist([10])
  await world.publish('playlist.created', playlist)
  world.assign(playlist, trainee3)
  const { playlist_id: id } = playlist
  await assign(id, [trainee3], world.clock.now(), world.clock.now() + hour)
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ assigned: true }))
  const me = callAs(world, url, trainee3)
  const lock = createLock(world, trainee3.id, id)
  const track = (body: Record<string, unknown>) => me.post('/engagement/track', { playlist_id: id, ...body })
  await lock.acquire()
  await play(world, track, id, { to: 10 }, lock.renew)
  await lock.release()
  const grown = { ...playlist, videos: [...playlist.videos, ...world.playlist([3]).videos], revision: 2 }
  grown.videos[1] = { ...grown.videos[1]!, id: 'v1', title: 'Video 1' }
  await world.publish('playlist.changed', grown)
  await eventually(async () => expect((await me.get(`/engagement/watched/${id}`)).json.total_videos).toBe(2))
  world.clock.advance(2 * hour)

  const client = createInternalClient({ url, credentials: world.credentialsOf('notification') })
  const boss = callAs(world, url, otherSupervisor)
  const readAll = async () => {
    const [team, risks, report, digest, member, record, own, ownRecord] = await Promise.all([
      boss.get('/engagement/team'),
      boss.get('/engagement/at-risk'),
      boss.get(`/engagement/report?by=person&playlist_ids=${id}`),
      client.call(getTeamDigest, { params: { supervisorId: otherSupervisor.id } }),
      boss.get(`/engagement/members/${trainee3.id}`),
      boss.get(`/records/people/${trainee3.id}?playlist_id=${id}`),
      me.get(`/engagement/watched/${id}`),
      me.get('/engagement/record'),
    ])
    const ofPlaylist = (list: { playlist_id: string }[]) => list.find(({ playlist_id }) => playlist_id === id)
    return {
      team: [team.json.overdue_count, team.json.members[0].overdue_tasks, team.json.members[0].progress],
      risks: risks.json.tasks.filter((task: { playlist_id: string }) => task.playlist_id === id),
      report: [report.json.total.completed_in_time, report.json.total.overdue],
      digest: [digest.overdue, digest.in_grace, digest.due_soon],
      drawer: ofPlaylist(member.json.playlists),
      record: record.json.tasks[0],
      own: own.json,
      ownRecord: ofPlaylist(ownRecord.json.playlists),
    }
  }
  const grownTask = { completed: true, new_since_completion: true, completion_rate: 76.9 }
  expect(await readAll()).toMatchObject({
    team: [0, 0, 'finished'],
    risks: [],
    report: [1, 0],
    digest: [0, 0, 0],
    drawer: grownTask,
    record: { completed: true, completion_rate: 76.9 },
    own: grownTask,
    ownRecord: grownTask,
  })
  const { drawer } = await readAll()
  expect(drawer).not.toHaveProperty('due')

  // The next attempt must be completed again, with the new video.
  await world.publish('assignment.overridden', {
    ...{ playlist_id: id, title: 'Safety', by: otherSupervisor.id, changed: [trainee3.id], action: 'reset' },
    ...{ reason: 'A new video', changed_at: at(world.clock.now()) },
  })
  await eventually(async () =>
    expect(await readAll()).toMatchObject({
      team: [1, 1, 'under_way'],
      risks: [{ reasons: ['overdue'] }],
      report: [0, 1],
      digest: [1, 0, 0],
      drawer: { completed: false },
      own: { completed: false },
    }),
  )
  expect((await readAll()).own).not.toHaveProperty('new_since_completion')
  await world.publish('playlist.unassigned', {
    ...{ playlist_id: id, by: 'somebody', unassigned: [trainee3.id], unassigned_date: at(world.clock.now()) },
  })
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ assigned: false }))
})

test('the pace of a task counts from the change of its due date, and not from a change of its conditions', async () => {
  const { trainee3, otherSupervisor } = people
  const day = 24 * hour
  const playlist = world.playlist([10])
  await world.publish('playlist.created', playlist)
  world.assign(playlist, trainee3)
  const { playlist_id: id } = playlist
  const start = world.clock.now()
  await assign(id, [trainee3], start)
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ assigned: true }))
  const risks = async () => {
    const { json } = await callAs(world, url, otherSupervisor).get('/engagement/at-risk')
    return json.tasks.flatMap(({ reasons }: { reasons: string[] }) => reasons)
  }
  world.clock.advance(300 * day)
  const setAt = world.clock.now()
  await changeDue(id, [trainee3], setAt, setAt + 4 * day)
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ due_set_at: new Date(setAt) }))
  expect(await risks()).toEqual(['not_started'])
  world.clock.advance(2 * day)
  expect(await risks()).toEqual(['behind', 'not_started'])
  const conditions = { ...defaultConditions, required_percent: 80 }
  const changedAt = world.clock.now()
  await world.publish('assignment.due_changed', {
    ...{ playlist_id: id, title: 'Safety', by: 'somebody', changed: [trainee3.id], changed_at: at(changedAt) },
    ...{ due: dueOf(setAt + 4 * day), conditions, keeps_due: true, changes_conditions: true },
  })
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ conditions }))
  expect(await storedDue(trainee3, id)).toMatchObject({
    due_set_at: new Date(setAt),
    due_changed_at: new Date(changedAt),
  })
  expect(await risks()).toEqual(['behind', 'not_started'])
  const movedAt = world.clock.now() + 1
  await changeDue(id, [trainee3], movedAt, setAt + 6 * day)
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ due_set_at: new Date(movedAt) }))
  expect(await risks()).toEqual(['not_started'])
  await world.publish('playlist.unassigned', {
    ...{ playlist_id: id, by: 'somebody', unassigned: [trainee3.id], unassigned_date: at(world.clock.now() + 2) },
  })
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ assigned: false }))
})

test('a grace period in a time zone that disappeared counts in the zone of the organisation', async () => {
  const { trainee3 } = people
  const playlist = world.playlist([10])
  await world.publish('playlist.created', playlist)
  world.assign(playlist, trainee3)
  const { playlist_id: id } = playlist
  const now = world.clock.now()
  const due = { at: at(now + hour), local: '2030-01-31T17:00', time_zone: 'Atlantis/Capital' }
  const conditions = { ...defaultConditions, grace_days: 2 }
  await world.publish('playlist.assigned', {
    ...{ playlist_id: id, title: 'Safety', by: 'somebody', assigned: [trainee3.id] },
    ...{ assigned_date: at(now), due, conditions },
  })
  const graceUntil = new Date('2030-02-02T17:00:00.000Z')
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ grace_until: graceUntil }))
  await world.publish('playlist.unassigned', {
    ...{ playlist_id: id, by: 'somebody', unassigned: [trainee3.id], unassigned_date: at(now + 1) },
  })
  await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject({ assigned: false }))
})

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

test('a task that was completed without a due date stays completed when it gets one with a repetition', async () => {
  const { trainee1 } = people
  const playlist = world.playlist([10])
  await world.publish('playlist.created', playlist)
  world.assign(playlist, trainee1)
  const { playlist_id: id } = playlist
  await assign(id, [trainee1], world.clock.now())
  await eventually(async () => expect(await storedDue(trainee1, id)).toMatchObject({ due_at: null }))
  const lock = createLock(world, trainee1.id, id)
  await lock.acquire()
  const watcher = callAs(world, url, trainee1)
  await play(world, body => watcher.post('/engagement/track', body), id, { to: 10 }, lock.renew)
  await lock.release()
  const changedAt = world.clock.now()
  const due = dueOf(changedAt + hour)
  await world.publish('assignment.due_changed', {
    ...{ playlist_id: id, title: 'Safety', by: 'somebody', changed: [trainee1.id], due, keeps_due: true },
    recurrence: { interval: 1, unit: 'year', from: 'due_date', opens_days_before: 30, first_due: due.local },
    ...{ changed_at: at(changedAt), conditions: null },
  })
  await eventually(async () => expect(await storedDue(trainee1, id)).toMatchObject({ due_at: new Date(due.at) }))
  world.clock.advance(2 * hour)
  expect(await overdueTasks()).toMatchObject({ 'Trainee One': 0 })
  const { tasks } = (await supervisor.get(`/records/people/${trainee1.id}`)).json
  expect(tasks.find(({ playlist_id }: { playlist_id: string }) => playlist_id === id)).toMatchObject({
    ...{ completed: true, valid_until: expect.any(String) },
  })
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

describe('the list of tasks at risk', () => {
  const day = 24 * hour
  /** Two trainees of a new supervisor; titles tell how their tasks stand. */
  async function createTeamAtRisk() {
    const boss = world.addPerson('supervisor', { manager_id: people.manager.id })
    const one = world.addPerson('user', { supervisor_id: boss.id, name: 'Trainee Four' })
    const two = world.addPerson('user', { supervisor_id: boss.id, name: 'Trainee Five', email_verified: false })
    for (const person of [boss, one, two]) await world.publish('user.created', { person, by: null })
    const now = world.clock.now()
    const addTask = async (title: string, person: typeof one, assignedAt: number, dueAt?: number) => {
      const playlist = { ...world.playlist([20]), title }
      await world.publish('playlist.created', playlist)
      world.assign(playlist, person)
      await assign(playlist.playlist_id, [person], assignedAt, dueAt)
      return playlist.playlist_id
    }
    const tasks = {
      overdue: await addTask('Overdue', one, now - 2 * hour, now - hour),
      behind: await addTask('Behind', one, now - 4 * day, now + 4 * day),
      inTime: await addTask('In time', one, now - 4 * day, now + 8 * day),
      fresh: await addTask('Fresh', two, now - hour),
      old: await addTask('Old', two, now - day),
    }
    const caller = callAs(world, url, boss)
    const list = async (query = '') => (await caller.get(`/engagement/at-risk${query}`)).json
    const titlesOf = (page: { tasks: { playlist_title: string }[] }) => page.tasks.map(task => task.playlist_title)
    const titles = async (query = '') => titlesOf(await list(query))
    await eventually(async () => expect(await list()).toMatchObject({ counts: { tasks: 4 } }))
    return { boss, one, two, caller, tasks, list, titles, titlesOf, now }
  }

  test('is a look at the details of the listed people', async () => {
    const { boss, one, two, list } = await createTeamAtRisk()
    const viewsOf = async (person: typeof one) =>
      (await callAs(world, url, person).get('/engagement/record/views')).json.filter(
        ({ viewer_id }: { viewer_id: string }) => viewer_id === boss.id,
      )
    await collectionOf(world, 'detail_views').deleteMany({ viewer_id: boss.id })
    world.clock.advance(day)
    await list('?reason=overdue')
    expect([await viewsOf(one), await viewsOf(two)]).toMatchObject([[{ what: 'record' }], []])
    for (let poll = 0; poll < 3; poll += 1) await list()
    expect((await list()).tasks.find((task: { user_id: string }) => task.user_id === two.id)).toMatchObject({
      email_verified: false,
    })
    expect([await viewsOf(one), await viewsOf(two)]).toMatchObject([[{ what: 'record' }], [{ what: 'record' }]])
    world.clock.advance(-day)
  })

  test('shows each reason, in the order of the due dates, and every filter narrows it', async () => {
    const { boss, one, two, caller, tasks, list, titles, now } = await createTeamAtRisk()
    const task = (playlist_title: string, fields: object) => expect.objectContaining({ playlist_title, ...fields })
    expect(await list()).toEqual({
      counts: { tasks: 4, people: 2, overdue: 1, behind: 1, not_started: 3 },
      tasks: [
        task('Overdue', { user_id: one.id, name: 'Trainee Four', reasons: ['overdue'] }),
        task('Behind', { due: at(now + 4 * day), completion_rate: 0, reasons: ['behind', 'not_started'] }),
        task('In time', { reasons: ['not_started'] }),
        task('Old', { user_id: two.id, due: null, assigned_at: at(now - day), reasons: ['not_started'] }),
      ],
    })
    expect((await caller.get('/engagement/team')).json.tasks_at_risk).toEqual({ overdue: 1, behind: 1, not_started: 3 })
    expect(await titles('?reason=behind')).toEqual(['Behind'])
    expect(await list('?reason=overdue')).toMatchObject({ counts: { not_started: 3 } })
    expect(await titles(`?playlist_id=${tasks.old}`)).toEqual(['Old'])
    expect(await titles('?search=FOUR')).toEqual(['Overdue', 'Behind', 'In time'])
    const viewers = [boss.id, people.director.id]
    world.owners.groups.set('newcomers', { members: [two.id, people.trainee1.id].sort(), viewers })
    expect(await list('?group_id=newcomers')).toMatchObject({
      counts: { tasks: 1, people: 1 },
      tasks: [task('Old', {})],
    })
    expect(await titles('?group_id=newcomers&search=FOUR')).toEqual([])
    for (const group of ['newcomers', 'nothing'])
      expect((await callAs(world, url, people.manager).get(`/engagement/at-risk?group_id=${group}`)).status).toBe(404)
    expect(await titles(`?due_from=${at(now)}&due_until=${at(now + 4 * day)}`)).toEqual(['Behind'])
    const director = callAs(world, url, people.director)
    const narrowed = await director.get(`/engagement/at-risk?supervisor_id=${boss.id}&reason=overdue`)
    expect(narrowed.json.tasks).toMatchObject([{ playlist_title: 'Overdue' }])
    const ofGroup = await director.get(`/engagement/at-risk?supervisor_id=${boss.id}&group_id=newcomers`)
    expect(ofGroup.json.tasks).toMatchObject([{ user_id: two.id }])
    // The owner of the group lets both managers filter by it; each sees people of their own teams
    // only.
    const { manager, otherManager } = people
    world.owners.groups.set('newcomers', { members: [two.id], viewers: [manager.id, otherManager.id] })
    const inGroup = (person: typeof manager) => callAs(world, url, person).get('/engagement/at-risk?group_id=newcomers')
    const managed = (await inGroup(manager)).json
    expect(managed).toMatchObject({ counts: { tasks: 1, people: 1 }, tasks: [{ user_id: two.id }] })
    const foreign = (await inGroup(otherManager)).json
    expect(foreign).toMatchObject({ counts: { tasks: 0, people: 0, overdue: 0 }, tasks: [] })
    const ofManager = await callAs(world, url, people.manager).get(`/engagement/at-risk?playlist_id=${tasks.behind}`)
    expect(ofManager.json.tasks).toMatchObject([{ user_id: one.id }])
  })

  test('gives the supervisor’s digest the tasks that are overdue or due within a week', async () => {
    const { boss, one, tasks, now } = await createTeamAtRisk()
    const client = createInternalClient({ url, credentials: world.credentialsOf('notification') })
    const digest = (supervisorId: string) => client.call(getTeamDigest, { params: { supervisorId } })
    const person = { person_id: one.id, person_name: 'Trainee Four' }
    expect(await digest(boss.id)).toEqual({
      overdue: 1,
      in_grace: 0,
      due_soon: 1,
      tasks: [
        { ...person, playlist_id: tasks.overdue, playlist_title: 'Overdue', due: at(now - hour) },
        { ...person, playlist_id: tasks.behind, playlist_title: 'Behind', due: at(now + 4 * day) },
      ],
    })
    await changeDue(tasks.overdue, [one], now, null)
    await eventually(async () => expect(await digest(boss.id)).toMatchObject({ overdue: 0, due_soon: 1 }))
    expect(await digest('unknown')).toEqual({ overdue: 0, in_grace: 0, due_soon: 0, tasks: [] })
    const chat = createInternalClient({ url, credentials: world.credentialsOf('chat') })
    await expect(chat.call(getTeamDigest, { params: { supervisorId: boss.id } })).rejects.toThrow()
  })

  test('gives no digest of people who have left the team, and none without auth', async () => {
    const client = createInternalClient({ url, credentials: world.credentialsOf('notification') })
    const changes = [{ supervisor_id: 'another' }, { role: 'manager' as const }, { deactivated_at: at(0) }]
    for (const change of changes) {
      const { boss, one } = await createTeamAtRisk()
      const digest = () => client.call(getTeamDigest, { params: { supervisorId: boss.id } })
      expect(await digest()).toMatchObject({ overdue: 1, due_soon: 1 })
      world.owners.unavailable = true
      try {
        await expect(digest()).rejects.toThrow('503')
      } finally {
        world.owners.unavailable = false
      }
      // The event about the change is on its way.
      world.changePerson(one, change)
      expect(await digest()).toEqual({ overdue: 0, in_grace: 0, due_soon: 0, tasks: [] })
    }
  })

  test('is read page by page without a gap', async () => {
    const { caller, titles, titlesOf } = await createTeamAtRisk()
    const read: string[] = []
    let cursor = ''
    do {
      const page = await caller.get(`/engagement/at-risk?limit=1${cursor}`)
      expect(page.headers.get('x-total-count')).toBe('4')
      read.push(...titlesOf(page.json))
      const next = page.headers.get('x-next-cursor')
      cursor = next ? `&cursor=${next}` : ''
    } while (cursor)
    expect(read).toEqual(await titles())
  })

  test('can be ordered by person, playlist, completion and due date, page by page', async () => {
    const { caller, titles, titlesOf } = await createTeamAtRisk()
    const readAll = async (order: string) => {
      const read: string[] = []
      for (let cursor: string | null = ''; cursor !== null; ) {
        const page = await caller.get(`/engagement/at-risk?limit=1&${order}${cursor && `&cursor=${cursor}`}`)
        read.push(...titlesOf(page.json))
        cursor = page.headers.get('x-next-cursor')
      }
      return read
    }
    expect(await readAll('sort=playlist')).toEqual(['Behind', 'In time', 'Old', 'Overdue'])
    expect(await readAll('sort=playlist&order=desc')).toEqual(['Overdue', 'Old', 'In time', 'Behind'])
    // Trainee Five has one task. The tasks of one person are in the order of their due dates.
    expect(await readAll('sort=name')).toEqual(['Old', 'Overdue', 'Behind', 'In time'])
    expect(await readAll('sort=name&order=desc')).toEqual(['Overdue', 'Behind', 'In time', 'Old'])
    expect(await readAll('sort=completion&order=desc')).toEqual(await titles())
    // Only the last task has no due date.
    const [undated, ...dated] = (await titles()).toReversed()
    expect(await readAll('order=desc')).toEqual([...dated, undated])
  })

  test('refuses an unknown order and the cursor of another one, and answers a cursor of an earlier version', async () => {
    const { caller, titlesOf, one, tasks, now } = await createTeamAtRisk()
    const position = {
      ...{ personId: one.id, playlistId: tasks.overdue },
      ...{ assignedAt: now - 2 * hour, dueAt: now - hour },
    }
    const cursor = Buffer.from(JSON.stringify(position)).toString('base64url')
    const answer = await caller.get(`/engagement/at-risk?cursor=${cursor}`)
    expect(titlesOf(answer.json)).toEqual(['Behind', 'In time', 'Old'])
    expect((await caller.get(`/engagement/at-risk?sort=name&cursor=${cursor}`)).status).toBe(422)
    expect((await caller.get('/engagement/at-risk?sort=mood')).status).toBe(422)
  })

  test('of everybody has the same filters and pages, from memory', async () => {
    const { one, two, tasks, now } = await createTeamAtRisk()
    // This replica has no figures in memory yet.
    const director = callAs(world, (await world.start()).url, people.director)
    const list = async (query: string) => {
      const { headers, json } = await director.get(`/engagement/at-risk?${query}`)
      const titles = json.tasks.map((task: { playlist_title: string }) => task.playlist_title)
      return { counts: json.counts, total: headers.get('x-total-count'), titles, next: headers.get('x-next-cursor') }
    }
    const behind = { tasks: 1, people: 1, overdue: 0, behind: 1, not_started: 1 }
    const ofPlaylist = `playlist_id=${tasks.behind}`
    expect(await list(ofPlaylist)).toMatchObject({ counts: behind, total: '1', titles: ['Behind'] })
    expect(await list(`${ofPlaylist}&reason=overdue`)).toMatchObject({ counts: behind, total: '0', titles: [] })
    expect(await list(`${ofPlaylist}&search=FOUR`)).toMatchObject({ titles: ['Behind'] })
    expect(await list(`${ofPlaylist}&search=five`)).toMatchObject({ counts: { tasks: 0, people: 0 }, titles: [] })
    expect(await list(`${ofPlaylist}&due_until=${at(now + 3 * day)}`)).toMatchObject({ titles: [] })
    expect(await list(`${ofPlaylist}&due_from=${at(now + 4 * day)}`)).toMatchObject({ titles: ['Behind'] })
    expect(await list('playlist_id=unknown')).toMatchObject({ counts: { tasks: 0 }, total: '0', titles: [] })
    const whole = await list('limit=500')
    expect(whole.total).toBe(String(whole.counts.tasks))
    expect(whole.counts.people).toBeGreaterThanOrEqual(new Set([one.id, two.id]).size)
    const read: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await list(`limit=2${cursor && `&cursor=${cursor}`}`)
      read.push(...page.titles)
      cursor = page.next
    }
    expect(read).toEqual(whole.titles)
  })

  test('loses a task that is watched up to its pace, completed, or exempt', async () => {
    const { one, two, caller, tasks, titles } = await createTeamAtRisk()
    const watch = async (playlistId: string, to: number) => {
      const lock = createLock(world, one.id, playlistId)
      await lock.acquire()
      const viewer = callAs(world, url, one)
      await play(world, body => viewer.post('/engagement/track', body), playlistId, { to, end: 'pause' }, lock.renew)
      await lock.release()
    }
    await watch(tasks.behind, 12)
    expect(await titles()).toEqual(['Overdue', 'In time', 'Old'])
    await watch(tasks.overdue, 20)
    expect(await titles()).toEqual(['In time', 'Old'])
    await world.publish('assignment.overridden', {
      ...{ playlist_id: tasks.old, title: 'Old', by: people.supervisor.id, changed: [two.id], action: 'exempt' },
      ...{ reason: 'On leave', changed_at: at(world.clock.now()) },
    })
    await eventually(async () => expect(await titles()).toEqual(['In time']))
    expect((await caller.get('/engagement/at-risk')).json.counts).toMatchObject({ tasks: 1, people: 1 })
  })

  test.each([
    ['reason=late', 'reason'],
    ['due_from=tomorrow', 'due_from'],
    [`search=${'x'.repeat(2_000)}`, 'search'],
    ['cursor=nonsense', 'cursor'],
    ['limit=0', 'limit'],
  ])('refuses %s', async (query, field) => {
    const answer = await supervisor.get(`/engagement/at-risk?${query}`)
    expect([answer.status, answer.json.errors?.[0].path]).toEqual([422, field])
  })

  test('is narrowed by directors only', async () => {
    const answer = await supervisor.get(`/engagement/at-risk?supervisor_id=${people.supervisor.id}`)
    expect(answer.status).toBe(403)
  })
})

/** A trainee of a new supervisor, with a task without terms of which nothing was watched. */
async function createUnwatchedTask() {
  const boss = world.addPerson('supervisor', {})
  const trainee = world.addPerson('user', { supervisor_id: boss.id })
  for (const person of [boss, trainee]) await world.publish('user.created', { person, by: null })
  const playlist = world.playlist([20])
  const { playlist_id: id } = playlist
  await world.publish('playlist.created', playlist)
  world.assign(playlist, trainee)
  const now = world.clock.now()
  const readRisks = async () => {
    const { json } = await callAs(world, url, boss).get('/engagement/at-risk')
    return json.tasks.map(({ reasons }: { reasons: string[] }) => reasons)
  }
  return { id, trainee, now, readRisks }
}

describe('an override', () => {
  type Action = 'exempt' | 'mark_done' | 'take_back' | 'reset'
  const overrideTask = (playlistId: string, changed: { id: string }[], action: Action, changedAt: number) =>
    world.publish('assignment.overridden', {
      ...{ playlist_id: playlistId, title: 'Safety', by: people.supervisor.id, changed: changed.map(({ id }) => id) },
      ...{ action, reason: 'On leave', changed_at: at(changedAt) },
    })
  /**
   * A trainee of a new supervisor with an overdue task of two videos, half of the first watched.
   */
  async function createLateTrainee() {
    const boss = world.addPerson('supervisor', { manager_id: people.manager.id })
    const trainee = world.addPerson('user', { supervisor_id: boss.id })
    const playlist = world.playlist([20, 20])
    const { playlist_id: id } = playlist
    await world.publish('playlist.created', playlist)
    world.assign(playlist, trainee)
    const now = world.clock.now()
    await assign(id, [trainee], now - 2 * hour, now - hour)
    const lock = createLock(world, trainee.id, id)
    const me = callAs(world, url, trainee)
    const watch = async (to: number, videoId = 'v0') => {
      await lock.acquire()
      const viewing = { to, videoId, end: 'pause' } as const
      await play(world, body => me.post('/engagement/track', body), id, viewing, lock.renew)
      await lock.release()
    }
    await watch(10)
    const caller = callAs(world, url, boss)
    const team = async () => (await caller.get('/engagement/team')).json
    const record = async () => (await caller.get(`/engagement/members/${trainee.id}`)).json.playlists[0]
    await eventually(async () => expect(await team()).toMatchObject({ overdue_count: 1, assignments: 1 }))
    return { boss, caller, trainee, playlistId: id, me, lock, watch, team, record }
  }

  test('that exempts leaves the figures without the task, and shows who decided it and why', async () => {
    const { trainee, playlistId, team, record, caller, me } = await createLateTrainee()
    await overrideTask(playlistId, [trainee], 'exempt', world.clock.now())
    await eventually(async () =>
      expect(await team()).toMatchObject({
        ...{ overdue_count: 0, assignments: 0, finished_count: 0 },
        members: [{ overdue_tasks: 0, exempt_tasks: 1, total_videos: 0, progress: 'nothing_assigned', watch_time: 10 }],
      }),
    )
    const by = { id: people.supervisor.id, name: people.supervisor.name, role: 'supervisor' }
    const override = { kind: 'exempt', by, at: expect.any(String), reason: 'On leave' }
    expect(await record()).toMatchObject({ completion_rate: 25, completed: false, override })
    expect((await me.get('/engagement/record')).json.playlists).toMatchObject([{ override }])
    for (const csv of [await caller.get('/engagement/export'), await me.get('/engagement/record/export')])
      expect(csv.text).toMatch(/,exempt,[^,]+,[^,]+,On leave/)

    await overrideTask(playlistId, [trainee], 'take_back', world.clock.now() + 1)
    await eventually(async () => expect(await team()).toMatchObject({ overdue_count: 1, assignments: 1 }))
    expect(await record()).toMatchObject({ override: null })
  })

  test('that marks as done closes the task and keeps the true figures, until it is completed by watching', async () => {
    const { trainee, playlistId, team, record, watch } = await createLateTrainee()
    await overrideTask(playlistId, [trainee], 'mark_done', world.clock.now())
    await eventually(async () =>
      expect(await team()).toMatchObject({
        ...{ overdue_count: 0, assignments: 1, finished_count: 1, finished_by_hand_count: 1 },
        members: [
          { marked_done_tasks: 1, completed_videos: 0, completion_rate: 25, watch_time: 10, progress: 'finished' },
        ],
      }),
    )
    expect(await record()).toMatchObject({ completed: false, override: { kind: 'marked_done' } })
    await watch(20)
    await watch(20, 'v1')
    expect(await record()).toMatchObject({ completed: true, override: null })
    expect(await team()).toMatchObject({ members: [{ marked_done_tasks: 0, completion_rate: 100 }] })
  })

  test('that resets begins at zero, keeps the history, and names itself in the next completion', async () => {
    const { trainee, playlistId, team, record, watch, me } = await createLateTrainee()
    await watch(20)
    await watch(20, 'v1')
    const notification = createInternalClient({ url, credentials: world.credentialsOf('notification') })
    const completion = () => notification.call(getCompletion, { params: { personId: trainee.id, playlistId } })
    expect(await completion()).toEqual({ completed: true, reset_at: null })
    const resetAt = world.clock.now()
    for (const id of ['reset-once', 'reset-once']) {
      await world.publish(
        'assignment.overridden',
        {
          ...{ playlist_id: playlistId, title: 'Safety', by: people.supervisor.id, changed: [trainee.id] },
          ...{ action: 'reset', reason: 'Wrong person', changed_at: at(resetAt) },
        },
        { id },
      )
    }
    await eventually(async () =>
      expect(await record()).toMatchObject({
        ...{ completion_rate: 0, completed: false, watch_time: 0, override: null },
        earlier_attempts: [
          {
            ended_at: at(resetAt),
            by: { id: people.supervisor.id },
            reason: 'Wrong person',
            completion_rate: 100,
            completed: true,
            watch_time: 50,
          },
        ],
      }),
    )
    expect(await team()).toMatchObject({ overdue_count: 1, members: [{ completion_rate: 0, watch_time: 50 }] })
    expect((await me.get(`/engagement/watched/${playlistId}`)).json).toMatchObject({
      completed_videos: 0,
      watch_time: 0,
    })

    expect(await completion()).toEqual({ completed: false, reset_at: at(resetAt) })

    await watch(20)
    await watch(20, 'v1')
    expect(await completion()).toEqual({ completed: true, reset_at: at(resetAt) })
    expect(await record()).toMatchObject({ completed: true, watch_time: 40, earlier_attempts: [{ watch_time: 50 }] })
    await eventually(() => {
      const completions = world.of('playlist.completed').filter(({ person_id }) => person_id === trainee.id)
      expect(completions.map(({ reset_at }) => reset_at)).toEqual([undefined, at(resetAt)])
    })
  })

  test('that resets a task of which nothing was watched starts its time again', async () => {
    const { id, trainee, now, readRisks } = await createUnwatchedTask()
    await assign(id, [trainee], now - 36 * 24 * hour, now + 4 * 24 * hour)
    await eventually(async () => expect(await readRisks()).toEqual([['behind', 'not_started']]))
    await overrideTask(id, [trainee], 'reset', now)
    await eventually(async () => expect(await readRisks()).toEqual([]))
  })

  test.each([
    ['in order', [0, 1, 2]],
    ['before the assignment', [2, 1, 0]],
    ['twice', [0, 2, 2, 1]],
  ])('that arrives %s counts by its time, and ends with a new assignment', async (_case, order) => {
    const past = Date.UTC(2020, 0, 1)
    const { trainee3 } = people
    const { playlist_id: id } = world.playlist([10])
    const events = [
      () => assign(id, [trainee3], past),
      () => overrideTask(id, [trainee3], 'exempt', past + 1_000),
      () => overrideTask(id, [trainee3], 'mark_done', past + 2_000),
    ]
    for (const index of order) await events[index]!()
    const expected = { assigned: true, override_kind: 'marked_done', override_at: new Date(past + 2_000) }
    await eventually(async () => expect(await storedDue(trainee3, id)).toMatchObject(expected))
    await assign(id, [trainee3], past + 5_000)
    await overrideTask(id, [trainee3], 'exempt', past + 4_000)
    await eventually(async () =>
      expect(await storedDue(trainee3, id)).toMatchObject({ at: new Date(past + 5_000), override_kind: null }),
    )
  })
})

describe('the next occurrence of a recurring task', () => {
  const reopen = (playlistId: string, person: { id: string }, recurredAt: number, dueAt: number, id?: string) =>
    world.publish(
      'assignment.recurred',
      {
        ...{ playlist_id: playlistId, title: 'Safety', people: [person.id], due: dueOf(dueAt), skipped: [] },
        recurrence: {
          interval: 1,
          unit: 'month',
          from: 'due_date',
          opens_days_before: 7,
          first_due: '2020-01-31T00:00',
        },
        ...{ previous_due: dueOf(recurredAt), recurred_at: at(recurredAt) },
      },
      id === undefined ? undefined : { id },
    )

  test.each([
    ['in order', [0, 1, 2, 3]],
    ['before the assignment', [3, 2, 1, 0]],
    ['twice', [0, 3, 3, 1, 2, 2]],
  ])('that arrives %s counts by its time, without the exception before it', async (_case, order) => {
    const past = Date.UTC(2020, 0, 1)
    const { trainee3 } = people
    const { playlist_id: id } = world.playlist([10])
    const events = [
      () => assign(id, [trainee3], past, past + hour),
      () =>
        world.publish('assignment.overridden', {
          ...{ playlist_id: id, title: 'Safety', by: people.supervisor.id, changed: [trainee3.id] },
          ...{ action: 'exempt', reason: 'On leave', changed_at: at(past + 1_000) },
        }),
      () => reopen(id, trainee3, past + 2_000, past + 2 * hour, `${id}-first`),
      () => reopen(id, trainee3, past + 3_000, past + 3 * hour, `${id}-second`),
    ]
    for (const index of order) await events[index]!()
    await eventually(async () =>
      expect(await storedDue(trainee3, id)).toMatchObject({
        ...{ assigned: true, due_at: new Date(past + 3 * hour), opened_at: new Date(past + 3_000) },
        override_kind: null,
      }),
    )
    const resets = (await storedDue(trainee3, id))!.resets
    expect(resets.map((reset: { at: Date }) => reset.at.getTime()).sort()).toEqual([past + 2_000, past + 3_000])
  })

  test('is open and begins at zero, and is at risk by the time since it opened', async () => {
    const { id, trainee, now, readRisks } = await createUnwatchedTask()
    await assign(id, [trainee], now - 300 * 24 * hour, now - 30 * 24 * hour)
    await eventually(async () => expect(await readRisks()).toEqual([['overdue', 'not_started']]))
    await reopen(id, trainee, now, now + 30 * 24 * hour)
    await eventually(async () => expect(await readRisks()).toEqual([]))
  })
})
