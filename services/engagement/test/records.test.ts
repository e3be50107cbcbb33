import { createHash, createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Conditions } from '@watchline/contracts/conditions'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { IssuedDocument, RecordSeal, WatchingRecord } from '@watchline/contracts/records'
import { canonicalJson } from '@watchline/kit/core/canonical-json'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { assignTask as assignTaskTo, dayMs, dueOf, verifyDocument, watchVideo } from './_records.ts'
import {
  callAs,
  collectionOf,
  createEngagementWorld,
  createPeople,
  type EngagementWorld,
  iso,
  type PeopleByName,
} from './_util.ts'

let world: EngagementWorld
let url: string
let people: PeopleByName
/** The first day of the history. */
let firstDay: string

beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world)
  url = (await world.start()).url
  firstDay = iso(world.clock.now()).slice(0, 10)
})
afterAll(() => world.close())

const caller = (name: keyof PeopleByName) => callAs(world, url, people[name])
const assignTask = (person: PersonSnapshot, title?: string) =>
  assignTaskTo(world, [person], { by: people.supervisor, ...(title && { title }) })
const watch = (person: PersonSnapshot, playlistId: string, videoId: string, to: number) =>
  watchVideo(world, url, person, { playlistId, videoId, to })

async function readRecord(name: keyof PeopleByName, query = ''): Promise<WatchingRecord> {
  const answer = await caller(name).get(`/records/people/${people.trainee1.id}${query}`)
  expect(answer.status).toBe(200)
  return answer.json
}

test('a record tells what was assigned by whom, each due date, sessions, ranges, and the completion', async () => {
  const playlistId = await assignTask(people.trainee1)
  const assignedAt = world.clock.now()
  await watch(people.trainee1, playlistId, 'v0', 20)
  const changedAt = world.clock.now()
  await world.publish('assignment.due_changed', {
    ...{ playlist_id: playlistId, title: 'Fire safety', by: people.manager.id, changed: [people.trainee1.id] },
    ...{ due: dueOf(changedAt + 7 * dayMs), changed_at: iso(changedAt) },
  })
  world.clock.advance(dayMs)
  await watch(people.trainee1, playlistId, 'v0', 60)
  await watch(people.trainee1, playlistId, 'v1', 30)

  const record = await readRecord('supervisor')
  const [task] = record.tasks
  expect(record.people.map(({ name }) => name)).toEqual([
    people.trainee1.name,
    people.supervisor.name,
    people.manager.name,
  ])
  expect(task).toMatchObject({ title: 'Fire safety', completed: true, completion_rate: 100, exceptions: [] })
  expect(task!.assignments).toEqual([
    {
      ...{ assigned_at: iso(assignedAt), assigned_by: 1, due: dueOf(assignedAt + dayMs) },
      due_changes: [{ at: iso(changedAt), by: 2, due: dueOf(changedAt + 7 * dayMs) }],
      ...{ ended_at: null, ended_by: null },
    },
  ])
  expect(task!.videos.map(({ length, ranges }) => [length, ranges])).toEqual([
    [60, [[0, 60]]],
    [30, [[0, 30]]],
  ])
  expect(task!.sessions).toHaveLength(3)
  expect(task!.sessions.every(({ started_at, ended_at }) => started_at! < ended_at!)).toBe(true)
  expect(record.totals).toMatchObject({ tasks: 1, completed_tasks: 1, credited_seconds: 90, watch_time: 110 })

  // The same figures as on the screens of staff.
  const { member, playlists } = (await caller('supervisor').get(`/engagement/members/${people.trainee1.id}`)).json
  expect(record.totals.watch_time).toBe(member.watch_time)
  expect(task!.completion_rate).toBe(playlists[0].completion_rate)
  expect(await readRecord('trainee1')).toEqual(record)
})

test('exceptions stand as what they are, and what a reset ended stays apart from the new attempt', async () => {
  const playlistId = await assignTask(people.trainee2, 'Chemicals')
  const decide = async (action: 'exempt' | 'take_back' | 'mark_done' | 'reset', reason: string) => {
    world.clock.advance(60_000)
    const at = iso(world.clock.now())
    await world.publish('assignment.overridden', {
      ...{ playlist_id: playlistId, title: 'Chemicals', by: people.supervisor.id, changed: [people.trainee2.id] },
      ...{ action, reason, changed_at: at },
    })
    return { action, at, by: 1, reason }
  }
  const read = async (): Promise<WatchingRecord> =>
    (await caller('trainee2').get(`/records/people/${people.trainee2.id}`)).json
  await watch(people.trainee2, playlistId, 'v0', 60)
  await watch(people.trainee2, playlistId, 'v1', 30)
  const reset = await decide('reset', 'Watched by somebody else')
  await watch(people.trainee2, playlistId, 'v0', 20)
  const done = await decide('mark_done', 'Took the course elsewhere')

  const { tasks, totals } = await read()
  expect(tasks).toMatchObject([
    {
      ...{ completed: false, completed_at: null, credited_seconds: 20, watch_time: 20 },
      override: { kind: 'marked_done', at: done.at, by: 1, reason: done.reason },
      exceptions: [reset, done],
      earlier_attempts: [{ ended_at: reset.at, completed: true, credited_seconds: 90, watch_time: 90 }],
    },
  ])
  expect(tasks[0]!.earlier_attempts[0]!.videos.map(({ ranges }) => ranges)).toEqual([[[0, 60]], [[0, 30]]])
  const expected = { completed_tasks: 0, marked_done_tasks: 1, exempt_tasks: 0, credited_seconds: 20, watch_time: 110 }
  expect(totals).toMatchObject(expected)
  const { member } = (await caller('supervisor').get(`/engagement/members/${people.trainee2.id}`)).json
  expect(member.watch_time).toBe(110)
  const lines = (await caller('trainee2').get('/engagement/record/export')).text.split('\r\n')
  expect(lines.map(line => line.split(',').slice(-2).join())).toEqual([
    'credited_seconds,attempt_ended_at',
    '20,',
    '0,',
    `60,${reset.at}`,
    `30,${reset.at}`,
    '',
  ])

  const takenBack = await decide('take_back', 'A mistake')
  await watch(people.trainee2, playlistId, 'v0', 60)
  await watch(people.trainee2, playlistId, 'v1', 30)
  expect((await read()).tasks).toMatchObject([
    { completed: true, completion_rate: 100, override: null, exceptions: [reset, done, takenBack] },
  ])
})

test('a period counts the credit of its days, and days add up to everything', async () => {
  const nextDay = iso(Date.parse(firstDay) + dayMs).slice(0, 10)
  const first = await readRecord('trainee1', `?until=${firstDay}`)
  const later = await readRecord('trainee1', `?from=${nextDay}`)
  expect(first.totals).toMatchObject({ credited_in_period: 20, credited_seconds: 90, sessions: 1 })
  expect(later.totals).toMatchObject({ credited_in_period: 70, sessions: 2 })
  expect(await readRecord('trainee1', '?from=2001-01-01&until=2001-01-31')).toMatchObject({
    tasks: [],
    totals: { tasks: 0, credited_seconds: 0 },
  })
})

test('the conditions of a task and their changes stand in the record', async () => {
  const person = people.trainee2
  const playlist = world.playlist([20], { title: 'Under conditions' })
  const { playlist_id: id, title } = playlist
  await world.publish('playlist.created', playlist)
  world.assign(playlist, person)
  const due = dueOf(world.clock.now() + dayMs)
  const conditions = {
    grace_days: 7,
    required_percent: 95,
    max_rate: 1,
    attention_checks: false,
    allow_skipping: false,
  }
  const by = people.supervisor.id
  await world.publish('playlist.assigned', {
    ...{ playlist_id: id, title, by, assigned: [person.id], due, conditions },
    assigned_date: iso(world.clock.now()),
  })
  const change = async (fields: object) => {
    world.clock.advance(60_000)
    const facts = { playlist_id: id, title, by, changed: [person.id], due, changed_at: iso(world.clock.now()) }
    await world.publish('assignment.due_changed', { ...facts, ...fields })
  }
  // Earlier versions named no conditions.
  await change({})
  await change({ conditions: { ...conditions, required_percent: 80 } })
  await change({ conditions: null })
  await change({ conditions: null })
  const path = `/records/people/${person.id}?playlist_id=${id}`
  await eventually(async () => {
    const [task] = (await caller('trainee2').get(path)).json.tasks
    expect(task.assignments).toMatchObject([{ conditions }])
    expect(task.assignments[0].due_changes.map((entry: { conditions?: unknown }) => entry.conditions)).toEqual([
      undefined,
      { ...conditions, required_percent: 80 },
      null,
      undefined,
    ])
  })
  // As a version before `allow_skipping` stored it, and issued it.
  const facts = collectionOf(world, 'task_facts')
  await facts.updateMany(
    { playlist_id: id, 'conditions.allow_skipping': false },
    { $unset: { 'conditions.allow_skipping': 1 } },
  )
  const issuedBefore = await issue('trainee2', person.id, { playlist_id: id })
  const file = await download('trainee2', issuedBefore.code)
  expect(file.record).not.toHaveProperty('tasks.0.assignments.0.conditions.allow_skipping')
  expect((await verifyFile(file)).json.status).toBe('valid')
})

const yearly = { interval: 1, unit: 'year', from: 'completion', opens_days_before: 30 } as const

/** Assigns a task that repeats every year, and returns how to open its next occurrence. */
async function assignRecurring(person: PersonSnapshot, title: string) {
  const playlist = world.playlist([20], { title })
  const { playlist_id: id } = playlist
  await world.publish('playlist.created', playlist)
  world.assign(playlist, person)
  const due = dueOf(world.clock.now() + dayMs)
  const recurrence = { ...yearly, first_due: due.local }
  await world.publish('playlist.assigned', {
    ...{ playlist_id: id, title, by: people.supervisor.id, assigned: [person.id], due, recurrence },
    assigned_date: iso(world.clock.now()),
  })
  const reopen = async (
    previous_due: typeof due,
    next: typeof due,
    skipped: (typeof due)[] = [],
    conditions: Conditions | null = null,
  ) => {
    world.clock.advance(60_000)
    const recurred_at = iso(world.clock.now())
    await world.publish('assignment.recurred', {
      ...{ playlist_id: id, title, people: [person.id], due: next, recurrence, previous_due, skipped, recurred_at },
      conditions,
    })
    return recurred_at
  }
  return { id, due, reopen, recurrence }
}

test('each occurrence stands with its due date and its outcome, and what was watched of it', async () => {
  const person = people.trainee2
  const { id, due, reopen } = await assignRecurring(person, 'Yearly briefing')
  await watch(person, id, 'v0', 20)
  const completedAt = world.clock.now()
  const read = async (): Promise<WatchingRecord['tasks'][number]> =>
    (await caller('trainee2').get(`/records/people/${person.id}?playlist_id=${id}`)).json.tasks[0]
  const before = await read()
  // The name of a time zone may disappear from the tz database. UTC is the organisation's.
  const facts = collectionOf(world, 'task_facts')
  const dated = { person_id: person.id, playlist_id: id, 'due.at': { $exists: true } }
  await facts.updateMany(dated, { $set: { 'due.time_zone': 'Nowhere/Land' } })
  const unknownZone = await read()
  expect(unknownZone.valid_until).toBe(before.valid_until)
  expect(unknownZone.assignments).toMatchObject([{ due: { ...due, time_zone: 'Nowhere/Land' } }])
  await facts.updateMany(dated, { $set: { 'due.time_zone': due.time_zone } })
  expect(before).toMatchObject({ completed: true, assignments: [{ recurrence: yearly }] })
  const expected = `${Number(before.completed_at!.slice(0, 4)) + 1}${before.completed_at!.slice(4, 10)}`
  expect(before.valid_until).toBe(`${expected}${due.local.slice(10)}:00.000Z`)

  const next = dueOf(completedAt + 365 * dayMs)
  const opened = await reopen(due, next)
  const [skipped, last] = [dueOf(completedAt + 730 * dayMs), dueOf(completedAt + 1095 * dayMs)]
  const openedAgain = await reopen(next, last, [skipped])
  await watch(person, id, 'v0', 5)
  const task = await read()
  expect(task).toMatchObject({ completed: false, completed_at: null, credited_seconds: 5 })
  expect(task).not.toHaveProperty('valid_until')
  expect(task.occurrences).toEqual([
    {
      ...{ due, outcome: 'completed', closed_at: before.completed_at, valid_until: next.at },
      ...{ opened_at: before.assignments[0]!.assigned_at, ended_at: opened },
    },
    { due: next, outcome: 'missed', closed_at: null, opened_at: opened, ended_at: openedAgain },
    { due: skipped, outcome: 'missed', closed_at: null, opened_at: null, ended_at: openedAgain },
  ])
  expect(task.earlier_attempts).toMatchObject([
    { ended_at: opened, occurrence_due: due, completed: true, credited_seconds: 20 },
  ])
  expect(task.present_occurrence).toEqual({ opened_at: openedAgain, due: last })
  const { playlists } = (await caller('supervisor').get(`/engagement/members/${person.id}`)).json
  expect(playlists.find(({ playlist_id }: { playlist_id: string }) => playlist_id === id)).toMatchObject({
    earlier_attempts: [{ ended_at: opened, by: null, occurrence_due: due, completed: true }],
    occurrences: task.occurrences,
    present_occurrence: task.present_occurrence,
  })
})

test.each([
  ['was withdrawn', ['unassigned']],
  ['was assigned again', ['unassigned', 'assigned']],
  ['was deleted with its playlist', ['deleted']],
] as const)('the history of a recurring task that %s stays on screens as in the record', async (_, changes) => {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  const { id, due, reopen, recurrence } = await assignRecurring(person, 'Yearly exercise')
  await watch(person, id, 'v0', 20)
  const second = dueOf(Date.parse(due.at) + 365 * dayMs)
  await reopen(due, second)
  const third = dueOf(Date.parse(second.at) + 365 * dayMs)
  await reopen(second, third)
  for (const change of changes) {
    world.clock.advance(60_000)
    const [by, at] = [people.supervisor.id, iso(world.clock.now())]
    if (change === 'unassigned')
      await world.publish('playlist.unassigned', { playlist_id: id, by, unassigned: [person.id], unassigned_date: at })
    else if (change === 'assigned')
      await world.publish('playlist.assigned', {
        ...{ playlist_id: id, title: 'Yearly exercise', by, assigned: [person.id], assigned_date: at, due: third },
        recurrence,
      })
    else await world.publish('playlist.deleted', { playlist_id: id, revision: 2, by, deleted_at: at })
  }
  const isOpen = changes.some(change => change === 'assigned')
  await eventually(async () => {
    const row = await collectionOf(world, 'assignments').findOne({ _id: `${person.id}:${id}` })
    expect(row).toMatchObject({ assigned: isOpen, at: new Date(world.clock.now()) })
  })

  const record: WatchingRecord = (await callAs(world, url, person).get(`/records/people/${person.id}`)).json
  const { occurrences, present_occurrence } = record.tasks[0]!
  expect(occurrences).toMatchObject([{ outcome: 'completed' }, { outcome: 'missed' }])
  expect(present_occurrence).toEqual(isOpen ? { opened_at: iso(world.clock.now()), due: third } : undefined)
  const screens = await Promise.all([
    callAs(world, url, person).get('/engagement/record'),
    caller('supervisor').get(`/engagement/members/${person.id}`),
  ])
  for (const { json } of screens) {
    expect(json.playlists).toMatchObject([{ playlist_id: id, occurrences, earlier_attempts: [{ completed: true }] }])
    expect(json.playlists[0].present_occurrence).toEqual(present_occurrence)
  }
})

test('the search for recurring tasks reads nothing of a person without one', async () => {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  await assignTask(person)
  const recurred = { person_id: person.id, previous_due: { $exists: true } }
  const { executionStats } = await collectionOf(world, 'task_facts')
    .find(recurred)
    .hint('recurred')
    .explain('executionStats')
  expect(executionStats).toMatchObject({ nReturned: 0, totalKeysExamined: 0, totalDocsExamined: 0 })
})

test('occurrences and earlier attempts count in the totals of the record as in the report of the person', async () => {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  const { id, due, reopen } = await assignRecurring(person, 'Monthly briefing')
  const from = iso(world.clock.now()).slice(0, 10)
  let present = due
  for (let month = 1; month <= 3; month += 1) {
    await watch(person, id, 'v0', 20)
    const next = dueOf(Date.parse(present.at) + 30 * dayMs)
    await reopen(present, next)
    world.clock.advance(30 * dayMs)
    present = next
  }
  await watch(person, id, 'v0', 5)
  const period = `from=${from}&until=${iso(world.clock.now()).slice(0, 10)}`
  const record: WatchingRecord = (await callAs(world, url, person).get(`/records/people/${person.id}?${period}`)).json
  const all = {
    ...{ credited_seconds: 65, credited_in_period: 65, completed_occurrences: 3, missed_occurrences: 0 },
    ...{ marked_done_occurrences: 0, exempt_occurrences: 0 },
  }
  expect(record.totals).toMatchObject({ completed_tasks: 0, credited_in_period: 5, all_attempts: all })
  expect(record.tasks).toMatchObject([{ credited_in_period: 5, all_attempts: all }])
  await eventually(async () => {
    const report = (await caller('supervisor').get(`/engagement/report?by=person&${period}`)).json
    const row = report.rows.find((found: { id: string }) => found.id === person.id)
    expect(row).toMatchObject({ credited_seconds: 65, credited_in_period: 65 })
    expect(row.completed_in_time + row.completed_late).toBe(3)
  })
  // The second occurrence was open on the first day, too. The third one was not.
  const firstDay = `from=${from}&until=${from}`
  const ofDay = (await callAs(world, url, person).get(`/records/people/${person.id}?${firstDay}`)).json
  expect(ofDay.totals.all_attempts).toMatchObject({ credited_in_period: 20, completed_occurrences: 2 })
})

test('each occurrence stands with its conditions, and the present one with the due date after the last change', async () => {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  const { id, due, reopen, recurrence } = await assignRecurring(person, 'Strict briefing')
  const conditions = {
    ...{ grace_days: 7, required_percent: 95, max_rate: null, attention_checks: false, allow_skipping: true },
  }
  const change = async (changed: typeof due, fields: object) => {
    world.clock.advance(60_000)
    await world.publish('assignment.due_changed', {
      ...{ playlist_id: id, title: 'Strict briefing', by: people.supervisor.id, changed: [person.id], due: changed },
      ...{ recurrence, changed_at: iso(world.clock.now()), ...fields },
    })
  }
  await change(due, { conditions })
  const opened = await reopen(due, dueOf(Date.parse(due.at) + 365 * dayMs), [], conditions)
  const moved = dueOf(Date.parse(due.at) + 370 * dayMs)
  await change(moved, { conditions: null })
  await eventually(async () => {
    const { tasks } = (await callAs(world, url, person).get(`/records/people/${person.id}`)).json
    expect(tasks).toMatchObject([{ present_occurrence: { opened_at: opened, due: moved } }])
    expect(tasks[0].occurrences).toEqual([
      {
        ...{ due, opened_at: expect.any(String), ended_at: opened, outcome: 'missed', closed_at: null },
        conditions,
      },
    ])
  })
})

test('a certificate names the end of its completion, also while the next occurrence is open', async () => {
  const person = people.trainee2
  const { id, due, reopen } = await assignRecurring(person, 'Yearly drill')
  const certify = () => caller('trainee2').post(`/records/people/${person.id}/certificates`, { playlist_id: id })
  expect((await certify()).status).toBe(409)
  await watch(person, id, 'v0', 20)
  const { code } = (await certify()).json
  const file = await download('trainee2', code)
  const until = (file.record as { valid_until?: string }).valid_until!
  expect(until.slice(0, 4)).toBe(String(new Date(world.clock.now()).getUTCFullYear() + 1))
  expect((await verifyOf({ code })).json).toMatchObject({ status: 'valid', details: { valid_until: until } })
  expect((await verifyFile(file)).json).toMatchObject({ status: 'valid', details: { valid_until: until } })
  expect(
    (await verifyOf({ document: JSON.stringify(file).replace(until, '2099-01-01T00:00:00.000Z') })).json.status,
  ).toBe('changed')
  await reopen(due, { at: until, local: until.slice(0, 16), time_zone: 'UTC' })
  expect((await certify()).json.code).toBe(code)
})

test.each([
  ['withdrawn', 'supervisor', 1, undefined],
  ['withdrawn from a group', 'supervisor', 1, 'withdrawn_from_group'],
  ['lost with a group', null, null, 'left_group'],
  ['lost with a role', null, null, 'role_changed'],
  ['lost in an earlier version', null, null, undefined],
] as const)('a task that was %s keeps its history', async (_, endedBy, index, cause) => {
  const playlistId = await assignTask(people.trainee1, 'Ladders')
  world.clock.advance(60_000)
  const endedAt = iso(world.clock.now())
  await world.publish('playlist.unassigned', {
    ...{ playlist_id: playlistId, by: endedBy && people[endedBy].id, unassigned: [people.trainee1.id] },
    ...{ unassigned_date: endedAt, ...(cause && { cause }) },
  })
  const { tasks } = await readRecord('trainee1', `?playlist_id=${playlistId}`)
  expect(tasks).toMatchObject([
    { title: 'Ladders', completed: false, assignments: [{ ended_at: endedAt, ended_by: index }] },
  ])
  expect(tasks[0]!.assignments[0]!.ended_cause).toBe(cause)
})

test('a task of a deleted playlist ended with the deletion, and not with a group', async () => {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  const playlistId = await assignTask(person, 'Ladders')
  world.clock.advance(60_000)
  const deletedAt = iso(world.clock.now())
  await world.publish('playlist.deleted', {
    ...{ playlist_id: playlistId, revision: 2, by: people.supervisor.id, deleted_at: deletedAt },
  })
  await eventually(async () => {
    const { tasks } = (await callAs(world, url, person).get(`/records/people/${person.id}`)).json
    expect(tasks).toMatchObject([
      { deleted: true, assignments: [{ ended_at: deletedAt, ended_by: null, ended_cause: 'playlist_deleted' }] },
    ])
  })
})

test.each([
  ['watched', 'mark_done', 'marked_done', 20],
  ['watched', 'exempt', 'exempt', 20],
  ['unwatched', 'mark_done', 'marked_done', 0],
] as const)('the exception of a task of a deleted playlist stays (%s, %s)', async (_, action, kind, seconds) => {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  const playlistId = await assignTask(person, 'Ladders')
  if (seconds > 0) await watch(person, playlistId, 'v0', seconds)
  world.clock.advance(60_000)
  const [by, at] = [people.supervisor.id, iso(world.clock.now())]
  await world.publish('assignment.overridden', {
    ...{ playlist_id: playlistId, title: 'Ladders', by, changed: [person.id] },
    ...{ action, reason: 'Took the course elsewhere', changed_at: at },
  })
  world.clock.advance(60_000)
  await world.publish('playlist.deleted', {
    ...{ playlist_id: playlistId, revision: 2, by, deleted_at: iso(world.clock.now()) },
  })
  const row = { _id: `${person.id}:${playlistId}` }
  await eventually(async () =>
    expect(await collectionOf(world, 'assignments').findOne(row)).toMatchObject({
      ...{ assigned: false, override_kind: kind },
    }),
  )
  const { tasks, totals } = (await callAs(world, url, person).get(`/records/people/${person.id}`)).json
  const override = { kind, at, reason: 'Took the course elsewhere' }
  expect(tasks).toMatchObject([{ deleted: true, completed: false, override }])
  expect(totals).toMatchObject({ [`${kind}_tasks`]: 1 })
})

test('a task from before records has its date, without an author', async () => {
  const playlist = world.playlist([60])
  await world.publish('playlist.created', playlist)
  const [personId, playlistId] = [people.trainee2.id, playlist.playlist_id]
  await collectionOf(world, 'assignments').insertOne({
    ...{ _id: `${personId}:${playlistId}`, person_id: personId, playlist_id: playlistId },
    ...{ assigned: true, at: new Date(world.clock.now()) },
  })
  const { tasks } = (await caller('trainee2').get(`/records/people/${personId}?playlist_id=${playlistId}`)).json
  expect(tasks).toMatchObject([
    { assignments: [{ assigned_at: iso(world.clock.now()), assigned_by: null, due: null }] },
  ])
})

test('only the person and those who see their details read a record, and each look is noted', async () => {
  const path = `/records/people/${people.trainee1.id}`
  const statuses = async (...names: (keyof PeopleByName)[]) =>
    Promise.all(names.map(async name => (await caller(name).get(path)).status))
  expect(await statuses('trainee1', 'supervisor', 'manager', 'director', 'admin')).toEqual([200, 200, 200, 200, 200])
  expect(await statuses('trainee2', 'otherSupervisor', 'otherManager')).toEqual([404, 404, 404])
  const views = (await caller('trainee1').get('/engagement/record/views')).json
  const viewers = new Set(views.map(({ viewer_id }: { viewer_id: string }) => viewer_id))
  expect(viewers).toEqual(
    new Set(['supervisor', 'manager', 'director', 'admin'].map(name => people[name as 'admin'].id)),
  )
})

test.each([
  '?from=2026-02-01&until=2026-01-31',
  '?from=2026-02-30',
  '?from=0001-01-01',
  '?until=9999-12-31',
  '?from=yesterday',
  '?playlist_id=no%20id',
])('a record of %s is refused', async query => {
  expect((await caller('trainee1').get(`/records/people/${people.trainee1.id}${query}`)).status).toBe(422)
})

const sha256 = (value: unknown) => createHash('sha256').update(canonicalJson(value)).digest('hex')

async function issue(name: keyof PeopleByName, personId: string, body: Record<string, string> = {}) {
  const answer = await caller(name).post(`/records/people/${personId}/issued`, body)
  expect(answer.status).toBe(200)
  return answer.json as { code: string; number: number }
}

async function download(name: keyof PeopleByName, code: string): Promise<IssuedDocument> {
  const answer = await caller(name).get(`/records/issued/${code}/json`)
  expect(answer.status).toBe(200)
  return JSON.parse(answer.text)
}

const verifyOf = (body: { code: string } | { document: string }) => verifyDocument(url, body)
const verifyFile = (document: unknown) => verifyOf({ document: JSON.stringify(document) })

async function readKeys() {
  const { keys } = (await (await fetch(`${url}/api/records/keys`)).json()) as { keys: { kid: string; pem: string }[] }
  return keys
}

async function readChain() {
  const { text } = await caller('admin').get('/records/chain')
  const lines = text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line))
  return { links: lines.slice(0, -1) as { seal: RecordSeal; signature: string }[], head: lines.at(-1).head }
}

test('after a promotion the record and its documents stay for those who lead the person', async () => {
  const trainee = world.addPerson('user', { supervisor_id: people.supervisor.id })
  const other = world.addPerson('supervisor', { manager_id: people.manager.id })
  await assignTask(trainee)
  const as = (person: PersonSnapshot) => callAs(world, url, person)
  const path = `/records/people/${trainee.id}`
  const { code } = (await as(trainee).post(`${path}/issued`, {})).json
  const promoted = world.changePerson(trainee, {
    role: 'supervisor',
    supervisor_id: null,
    manager_id: people.manager.id,
  })
  await world.publish('user.role_changed', { person: promoted, by: null, previous_role: 'user' })
  const statusesOf = async (person: PersonSnapshot) => [
    (await as(person).get(path)).status,
    (await as(person).get(`/records/issued/${code}/json`)).status,
  ]
  await eventually(async () => expect(await statusesOf(people.manager)).toEqual([200, 200]))
  for (const person of [world.addPerson('admin'), world.addPerson('director'), people.manager, promoted])
    expect(await statusesOf(person)).toEqual([200, 200])
  for (const person of [people.trainee2, people.supervisor, people.otherSupervisor, other, world.addPerson('manager')])
    expect(await statusesOf(person)).toEqual([404, 404])
  expect((await as(people.manager).get(`/records/people/${other.id}`)).status).toBe(404)
})

test('an issued record has a signature and a place in the chain that anybody can check', async () => {
  const { code, number } = await issue('supervisor', people.trainee1.id)
  const { record, people: named, seal, signature } = await download('trainee1', code)
  const { people: _, ...shown } = await readRecord('trainee1')
  expect(record).toEqual({ ...shown, code, people: named.map(sha256) })
  expect(named.map(({ name }) => name)).toContain(people.trainee1.name)
  expect(seal).toMatchObject({ number, kind: 'record', record_sha256: sha256(record) })
  const keys = await readKeys()
  const key = keys.find(({ kid }) => kid === seal.key_id)!
  const isSigned = verify(
    null,
    Buffer.from(canonicalJson(seal)),
    createPublicKey(key.pem),
    Buffer.from(signature, 'base64'),
  )
  expect(isSigned).toBe(true)
  expect((await verifyOf({ code: `${code.slice(0, 5).toLowerCase()}-${code.slice(5)}` })).json).toMatchObject({
    ...{ status: 'valid', number, kind: 'record' },
    details: {
      ...{ name: people.trainee1.name, tasks: shown.tasks.length, credited_seconds: shown.totals.credited_seconds },
      credited_with_earlier_attempts: shown.totals.all_attempts!.credited_seconds,
    },
  })
})

test('the same record is issued once; a changed one replaces it', async () => {
  const first = await issue('trainee1', people.trainee1.id)
  const again = await Promise.all([1, 2, 3].map(() => issue('supervisor', people.trainee1.id)))
  expect(again.map(({ number }) => number)).toEqual([first.number, first.number, first.number])
  await assignTask(people.trainee1, 'First aid')
  const next = await issue('trainee1', people.trainee1.id)
  expect(next.number).toBeGreaterThan(first.number)
  expect((await verifyOf(first)).status).toBe(422)
  expect((await verifyOf({ code: first.code })).json).toMatchObject({ status: 'replaced', number: first.number })
  expect((await verifyFile(await download('trainee1', first.code))).json.status).toBe('replaced')
  expect((await verifyOf({ code: next.code })).json.status).toBe('valid')
})

test('two replicas that issue at once make one chain without a fork', async () => {
  const other = await world.start({ ports: await world.otherPorts() })
  const days = Array.from({ length: 12 }, (_, index) => `2026-01-${String(index + 10)}`)
  const urls = [url, other.url]
  const answers = await Promise.all(
    days.map((from, index) =>
      callAs(world, urls[index % 2]!, people.director).post(`/records/people/${people.trainee1.id}/issued`, { from }),
    ),
  )
  expect(answers.map(({ status }) => status)).toEqual(days.map(() => 200))
  const { links, head } = await readChain()
  expect(links.map(({ seal }) => seal.number)).toEqual(links.map((_, index) => index + 1))
  const hashes = ['0'.repeat(64), ...links.map(({ seal }) => sha256(seal))]
  expect(links.map(({ seal }) => seal.previous_sha256)).toEqual(hashes.slice(0, -1))
  expect(head).toEqual({ number: links.length, sha256: hashes.at(-1) })
})

test('a changed file, a changed register and a removed document show', async () => {
  const { code, number } = await issue('trainee1', people.trainee1.id, { from: '2025-01-01' })
  const file = await download('trainee1', code)
  const text = JSON.stringify(file)
  const statusOf = async (document: string) => (await verifyOf({ document })).json.status
  expect(await statusOf(JSON.stringify(file, null, 4))).toBe('valid')
  expect(await statusOf(text.replace('"credited_seconds":90', '"credited_seconds":91'))).toBe('changed')
  expect(await statusOf(text.replace(people.trainee1.name, 'Somebody else'))).toBe('changed')
  expect(await statusOf(text.replace('"record":{', '"record":{"note":1,'))).toBe('changed')
  // Readers of JSON differ in which of two equal fields they take.
  expect(await statusOf(text.replace('"record":{', '"record":{"code":"X","code":'.concat(`"${code}",`)))).not.toBe(
    'valid',
  )
  expect(await statusOf(JSON.stringify({ ...file, signature: 'AAAA' }))).toBe('changed')
  expect(await statusOf(JSON.stringify({ ...file, people: [] }))).toBe('valid')
  expect(await statusOf(JSON.stringify({ ...file, people: [{ ...file.people[0], role: 'admin' }] }))).toBe('changed')

  const register = collectionOf(world, 'issued_records')
  const filter = { _id: number as never }
  const row = (await register.findOne(filter))!
  await register.updateOne(filter, { $set: { content: row.content.replace('credited_seconds', 'credited-seconds') } })
  expect((await verifyOf({ code })).json.status).toBe('changed')
  await register.deleteOne(filter)
  expect(await statusOf(text)).toBe('removed')
  expect((await verifyOf({ code })).json.status).toBe('unknown')
  const { links } = await readChain()
  expect(links.map(({ seal }) => seal.number)).not.toContain(number)
  await register.insertOne(row)
})

test.each([
  ['{"a":'.repeat(120_000), 200],
  ['['.repeat(600_000), 200],
  ['"'.repeat(399_990), 200],
  ['no json', 200],
  ['null', 200],
  ['x'.repeat(800_001), 422],
])('text that is no document is unknown, and too long text is refused', async (document, status) => {
  const answer = await verifyOf({ document })
  expect([answer.status, answer.json.status]).toEqual([status, status === 200 ? 'unknown' : undefined])
})

test('codes cannot be tried one after the other', async () => {
  const tryCode = () =>
    fetch(`${url}/api/records/verify`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '198.51.100.1' },
      body: JSON.stringify({ code: '0'.repeat(20) }),
    })
  for (let index = 0; index < 30; index += 1) expect((await tryCode()).status).toBe(200)
  expect((await tryCode()).status).toBe(429)
})

test('others neither issue nor download a record', async () => {
  const { code } = await issue('trainee1', people.trainee1.id)
  for (const name of ['trainee2', 'otherSupervisor', 'otherManager'] as const) {
    expect((await caller(name).post(`/records/people/${people.trainee1.id}/issued`, {})).status).toBe(404)
    expect((await caller(name).get(`/records/issued/${code}/json`)).status).toBe(404)
  }
  for (const name of ['trainee1', 'supervisor', 'manager'] as const)
    expect((await caller(name).get('/records/chain')).status).toBe(403)
})

test('earlier keys stay published, and their documents valid', async () => {
  const { code } = await issue('trainee1', people.trainee1.id)
  const { privateKey } = generateKeyPairSync('ed25519')
  const recordPrivateKey = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  const next = await world.start({ ports: await world.otherPorts(), config: { recordPrivateKey } })
  const issuedNext = await callAs(world, next.url, people.trainee1).post(
    `/records/people/${people.trainee1.id}/issued`,
    { from: '2024-01-01' },
  )
  expect((await verifyOf({ code })).json.status).toBe('valid')
  expect((await verifyOf({ code: issuedNext.json.code })).json.status).toBe('valid')
  expect(await readKeys()).toHaveLength(2)
})

test('an erased person’s documents can still be verified, and name nobody', async () => {
  const { code } = await issue('supervisor', people.trainee1.id)
  const file = await download('supervisor', code)
  // Completions of the tests above may still get their certificates.
  const due = { certificate_due_at: { $exists: true } }
  await eventually(async () => expect(await collectionOf(world, 'task_facts').countDocuments(due)).toBe(0))
  const before = await readChain()
  await world.publish('user.erased', makeErasure(people.manager))
  await world.publish('user.erased', makeErasure(people.trainee1))
  const completed = { 'event.type': 'user.erasure_completed' }
  await eventually(async () => expect(await collectionOf(world, 'outbox').countDocuments(completed)).toBe(2))

  const stored = JSON.stringify(await collectionOf(world, 'issued_records').find().toArray())
  for (const { name, id } of [people.trainee1, people.manager]) {
    expect(stored).not.toContain(name)
    expect(stored).not.toContain(id)
  }
  expect(await readChain()).toEqual(before)
  const { json } = await verifyOf({ code })
  expect(json).toMatchObject({ status: 'valid', kind: 'record' })
  expect(json.details).toBeUndefined()
  expect((await verifyFile(file)).json).toEqual(json)
  expect((await caller('supervisor').get(`/records/issued/${code}/json`)).status).toBe(404)
})

test('a reason of changed terms stands in the record, its files and the history, until an erasure removes it', async () => {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  const playlistId = await assignTaskTo(world, [person], { by: people.supervisor, title: 'Ladders' })
  const change = async (fields: object) => {
    world.clock.advance(60_000)
    const at = iso(world.clock.now())
    const due = dueOf(world.clock.now() + 7 * dayMs)
    await world.publish('assignment.due_changed', {
      ...{ playlist_id: playlistId, title: 'Ladders', by: people.supervisor.id, changed: [person.id] },
      ...{ due, changed_at: at, ...fields },
    })
    return { at, due }
  }
  // Earlier versions named no reason.
  const first = await change({})
  const second = await change({ reason: 'Ill for a week' })
  const third = await change({ reason: 'The room is closed' })
  const byGroups = await change({ by: null })
  const trainee = callAs(world, url, person)
  const path = `/records/people/${person.id}`
  const readChanges = async () => {
    const { tasks } = (await trainee.get(path)).json
    return tasks[0].assignments[0].due_changes
  }
  await eventually(async () =>
    expect(await readChanges()).toEqual([
      { ...first, by: 1 },
      { ...second, by: 1, reason: 'Ill for a week' },
      { ...third, by: 1, reason: 'The room is closed' },
      { ...byGroups, by: null },
    ]),
  )
  const { id, name, role } = people.supervisor
  const explained_changes = [
    { ...third, by: { id, name, role }, reason: 'The room is closed' },
    { ...second, by: { id, name, role }, reason: 'Ill for a week' },
  ]
  expect((await trainee.get('/engagement/record')).json.playlists).toMatchObject([{ explained_changes }])
  // The supervisor's team is in memory, which follows the database.
  await eventually(async () => {
    const member = (await caller('supervisor').get(`/engagement/members/${person.id}`)).json
    expect(member.playlists).toMatchObject([{ explained_changes }])
  })
  expect((await caller('otherSupervisor').get(`/engagement/members/${person.id}`)).status).toBe(404)
  expect((await trainee.get('/engagement/record/data')).text).toContain('Ill for a week')

  const { code } = (await caller('supervisor').post(`${path}/issued`, {})).json
  const file = await trainee.get(`/records/issued/${code}/json`)
  expect(file.text).toContain('Ill for a week')
  expect((await verifyOf({ document: file.text })).json.status).toBe('valid')
  const forged = file.text.replace('Ill for a week', 'Well for a week')
  expect((await verifyOf({ document: forged })).json.status).toBe('changed')

  await world.publish('user.erased', makeErasure(person))
  await eventually(async () => {
    for (const name of ['task_facts', 'issued_records', 'outbox', 'assignments'])
      expect(JSON.stringify(await collectionOf(world, name).find().toArray())).not.toMatch(/Ill for|room is closed/)
  })
})
