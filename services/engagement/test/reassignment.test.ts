import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defaultConditions } from '@watchline/contracts/conditions'
import type { PersonSnapshot } from '@watchline/contracts/people'
import type { RecurrenceInput } from '@watchline/contracts/recurrence'
import { eventually } from '@watchline/testing/harness'
import { assignTask, dayMs, dueOf, verifyDocument, watchVideo } from './_records.ts'
import { callAs, collectionOf, createEngagementWorld, createPeople, type EngagementWorld, iso } from './_util.ts'

let world: EngagementWorld
let url: string
let people: ReturnType<typeof createPeople>
beforeAll(async () => {
  world = await createEngagementWorld()
  people = createPeople(world)
  url = (await world.start()).url
})
afterAll(() => world.close())

const yearly: RecurrenceInput = { interval: 1, unit: 'year', from: 'completion', opens_days_before: 30 }
const monthly: RecurrenceInput = { ...yearly, unit: 'month', opens_days_before: 5 }
const weeklySeries: RecurrenceInput = { interval: 1, unit: 'week', from: 'due_date', opens_days_before: 2 }

interface Task {
  person: PersonSnapshot
  playlistId: string
  /** The first due date. */
  due: ReturnType<typeof dueOf>
}

interface Terms {
  due?: Task['due']
  recurrence?: RecurrenceInput
  percent?: number
}

/** A task of a new person that is due in a day. */
async function assign(recurrence?: RecurrenceInput): Promise<Task> {
  const person = world.addPerson('user', { supervisor_id: people.supervisor.id })
  const due = dueOf(world.clock.now() + dayMs)
  const task = { by: people.supervisor, durations: [20], ...(recurrence && { recurrence }) }
  return { person, due, playlistId: await assignTask(world, [person], task) }
}

/** Watches the video, and returns the time of the completion. */
async function complete({ person, playlistId }: Task, to = 20): Promise<string> {
  await watchVideo(world, url, person, { playlistId, to })
  return eventually(async () => {
    const fact = await collectionOf(world, 'task_facts').findOne(
      { person_id: person.id, playlist_id: playlistId, kind: 'completed' },
      { sort: { at: -1 } },
    )
    return iso(fact!.at.getTime())
  })
}

/** As when somebody leaves a group and joins it again. Returns the time of the new assignment. */
async function assignAgain(task: Task, { due = task.due, recurrence, percent }: Terms = {}): Promise<string> {
  const { person, playlistId } = task
  await world.publish('playlist.unassigned', {
    ...{ playlist_id: playlistId, by: people.supervisor.id, unassigned: [person.id] },
    unassigned_date: iso(world.clock.now()),
  })
  world.clock.advance(60_000)
  const assigned_date = iso(world.clock.now())
  await world.publish('playlist.assigned', {
    ...{ playlist_id: playlistId, title: 'Fire safety', by: people.supervisor.id, assigned: [person.id] },
    ...{ assigned_date, due },
    ...(recurrence && { recurrence: { ...recurrence, first_due: due.local } }),
    ...(percent && { conditions: { ...defaultConditions, required_percent: percent } }),
  })
  await eventually(async () => {
    const row = await collectionOf(world, 'assignments').findOne({ _id: `${person.id}:${playlistId}` })
    expect(row).toMatchObject({ assigned: true, at: new Date(assigned_date) })
  })
  return assigned_date
}

async function reset({ person, playlistId }: Task) {
  world.clock.advance(60_000)
  await world.publish('assignment.overridden', {
    ...{ playlist_id: playlistId, title: 'Fire safety', by: people.supervisor.id, changed: [person.id] },
    ...{ action: 'reset', reason: 'Watched by somebody else', changed_at: iso(world.clock.now()) },
  })
}

const completionsOf = ({ person }: Task) =>
  world.of('playlist.completed').filter(({ person_id }) => person_id === person.id)
const recordOf = async ({ person, playlistId }: Task) =>
  (await callAs(world, url, person).get(`/records/people/${person.id}?playlist_id=${playlistId}`)).json.tasks[0]
const watchOf = async ({ person, playlistId }: Task) =>
  (await callAs(world, url, person).get(`/engagement/watched/${playlistId}`)).json
const ask = ({ person, playlistId }: Task) =>
  callAs(world, url, person).post(`/records/people/${person.id}/certificates`, { playlist_id: playlistId })
const readChain = () => collectionOf(world, 'record_chain').findOne({})

/** The certificates of the person, oldest first, when none is due any more. */
function expectCertificates({ person }: Task, count: number) {
  return eventually(async () => {
    const ofPerson = { person_id: person.id }
    const due = { ...ofPerson, certificate_due_at: { $exists: true } }
    expect(await collectionOf(world, 'task_facts').countDocuments(due)).toBe(0)
    const rows = await collectionOf(world, 'issued_records').find(ofPerson).sort({ _id: 1 }).toArray()
    expect(rows).toHaveLength(count)
    return rows.map(row => ({ code: row.code as string, ...JSON.parse(row.content) }))
  })
}

/** The task is open from zero, and the attempt before is in the record. */
async function expectFreshAttempt(task: Task, assignedDate: string) {
  expect(await watchOf(task)).toMatchObject({ completed: false, completion_rate: 0, watch_time: 0 })
  const record = await recordOf(task)
  expect(record).toMatchObject({ completed: false, completed_at: null, credited_seconds: 0 })
  expect(record.valid_until).toBeUndefined()
  expect(record.earlier_attempts).toMatchObject([{ ended_at: assignedDate, completed: true, credited_seconds: 20 }])
  expect(completionsOf(task)).toHaveLength(1)
  return record
}

describe('a completed task that is assigned again', () => {
  test('keeps the time of its completion and its certificate', async () => {
    const task = await assign(yearly)
    const completedAt = await complete(task)
    const [certificate] = await expectCertificates(task, 1)
    const [{ valid_until }, chain] = [await recordOf(task), await readChain()]
    world.clock.advance(26 * dayMs)

    for (const times of [2, 3]) {
      const assigned_date = await assignAgain(task, { due: dueOf(world.clock.now() + dayMs), recurrence: yearly })
      await eventually(() => expect(completionsOf(task)).toHaveLength(times))
      expect(completionsOf(task).at(-1)).toMatchObject({ completed_at: completedAt, assigned_date })
      expect(await recordOf(task)).toMatchObject({ completed: true, completed_at: completedAt, valid_until })
      expect((await ask(task)).json.code).toBe(certificate.code)
    }
    expect(
      await collectionOf(world, 'task_facts').countDocuments({ person_id: task.person.id, kind: 'completed' }),
    ).toBe(1)
    await expectCertificates(task, 1)
    expect(await readChain()).toEqual(chain)
    expect(certificate).toMatchObject({ completed_at: completedAt, valid_until })
    expect((await verifyDocument(url, { code: certificate.code })).json.status).toBe('valid')
  })

  test('has one certificate also after its next occurrence opened, with the expiry of the completion', async () => {
    const task = await assign(yearly)
    const completedAt = await complete(task)
    const [{ code, valid_until }] = await expectCertificates(task, 1)
    const due = dueOf(world.clock.now() + dayMs)
    await assignAgain(task, { due, recurrence: { ...yearly, interval: 2 } })
    await eventually(() => expect(completionsOf(task)).toHaveLength(2))
    expect((await ask(task)).json.code).toBe(code)
    world.clock.advance(400 * dayMs)
    await world.publish('assignment.recurred', {
      ...{ playlist_id: task.playlistId, title: 'Fire safety', people: [task.person.id], skipped: [] },
      ...{ due: dueOf(world.clock.now() + 300 * dayMs), previous_due: due },
      ...{ recurrence: { ...yearly, interval: 2, first_due: due.local }, recurred_at: iso(world.clock.now()) },
    })
    await eventually(async () =>
      expect((await recordOf(task)).occurrences).toMatchObject([
        { outcome: 'completed', closed_at: completedAt, valid_until },
      ]),
    )
    expect((await ask(task)).json.code).toBe(code)
    await expectCertificates(task, 1)
  })

  test('begins a fresh attempt if the completion has expired', async () => {
    const task = await assign(monthly)
    const completedAt = await complete(task)
    const [first] = await expectCertificates(task, 1)
    world.clock.advance(40 * dayMs)
    const due = dueOf(world.clock.now() + dayMs)
    const assignedDate = await assignAgain(task, { due, recurrence: monthly })
    const { occurrences } = await expectFreshAttempt(task, assignedDate)
    const { valid_until } = first
    const ended = { outcome: 'completed', closed_at: completedAt, ended_at: assignedDate, valid_until }
    expect(occurrences).toMatchObject([{ due: { at: task.due.at }, ...ended }])
    const { json: member } = await callAs(world, url, people.supervisor).get(`/engagement/members/${task.person.id}`)
    expect(member.playlists).toMatchObject([
      { occurrences: [ended], earlier_attempts: [{ by: null, reason: '', occurrence_due: { at: task.due.at } }] },
    ])
    expect((await ask(task)).json.code).toBe(first.code)

    const again = await complete(task)
    expect(completionsOf(task).at(-1)).toMatchObject({ completed_at: again, reset_at: assignedDate })
    const [, second] = await expectCertificates(task, 2)
    expect(second.completed_at).toBe(again)
    expect((await verifyDocument(url, { code: first.code })).json.status).toBe('replaced')
    expect((await recordOf(task)).completed_at).toBe(again)
  })

  test('begins a fresh attempt if the new terms do not accept the completion any more', async () => {
    const task = await assign()
    await complete(task)
    await expectCertificates(task, 1)
    world.clock.advance(40 * dayMs)
    const due = dueOf(world.clock.now() + dayMs)
    await assignAgain(task, { due, recurrence: yearly })
    await eventually(() => expect(completionsOf(task)).toHaveLength(2))
    world.clock.advance(dayMs)
    await assignAgain(task, { due: dueOf(world.clock.now() + dayMs), recurrence: monthly })
    expect(await watchOf(task)).toMatchObject({ completed: false, completion_rate: 0 })
    expect(completionsOf(task)).toHaveLength(2)
    await expectCertificates(task, 1)
  })

  test('of a series of due dates is completed for the same due date, and open for the next one', async () => {
    const task = await assign(weeklySeries)
    const completedAt = await complete(task)
    const [{ code }] = await expectCertificates(task, 1)
    await assignAgain(task, { recurrence: weeklySeries })
    await eventually(() => expect(completionsOf(task)).toHaveLength(2))
    expect((await ask(task)).json.code).toBe(code)
    // The due date has passed, so the group gives the next one, until which the certificate is
    // valid.
    world.clock.advance(3 * dayMs)
    const due = dueOf(Date.parse(task.due.at) + 7 * dayMs)
    const assignedDate = await assignAgain(task, { due, recurrence: weeklySeries })
    expect(await watchOf(task)).toMatchObject({ completed: false, completion_rate: 0 })
    expect((await recordOf(task)).occurrences).toMatchObject([
      { outcome: 'completed', closed_at: completedAt, ended_at: assignedDate },
    ])
    expect(completionsOf(task)).toHaveLength(2)
    expect((await ask(task)).json.code).toBe(code)
    await expectCertificates(task, 1)
  })

  test('returns when the required percentage is raised and lowered again', async () => {
    const task = await assign()
    await assignAgain(task, { percent: 50 })
    const completedAt = await complete(task, 12)
    await assignAgain(task)
    await eventually(async () => expect(await watchOf(task)).toMatchObject({ completed: false, watch_time: 12 }))
    expect(completionsOf(task)).toHaveLength(1)
    await assignAgain(task, { percent: 55 })
    expect(await watchOf(task)).toMatchObject({ completed: true })
    expect((await recordOf(task)).completed_at).toBe(completedAt)
    expect(completionsOf(task)).toHaveLength(2)
    await expectCertificates(task, 1)
    // It is completed: more watching publishes no completion.
    await watchVideo(world, url, task.person, { playlistId: task.playlistId, to: 15 })
    expect(completionsOf(task)).toHaveLength(2)
  })

  test('keeps its latest certificate while a higher percentage is required', async () => {
    const task = await assign(weeklySeries)
    await complete(task)
    await expectCertificates(task, 1)
    world.clock.advance(6 * dayMs)
    const due = dueOf(Date.parse(task.due.at) + 7 * dayMs)
    const recurrence = { ...weeklySeries, first_due: task.due.local }
    await world.publish('assignment.recurred', {
      ...{ playlist_id: task.playlistId, title: 'Fire safety', people: [task.person.id], skipped: [] },
      ...{ due, previous_due: task.due, recurrence, recurred_at: iso(world.clock.now()) },
    })
    await eventually(async () => expect((await recordOf(task)).occurrences).toHaveLength(1))
    await complete(task, 18)
    const [, { code }] = await expectCertificates(task, 2)
    await assignAgain(task, { due, recurrence: weeklySeries, percent: 100 })
    await eventually(async () => expect(await watchOf(task)).toMatchObject({ completed: false, watch_time: 18 }))
    expect((await ask(task)).json.code).toBe(code)
    await expectCertificates(task, 2)
  })

  test('stays open if it was reset before', async () => {
    const task = await assign()
    await complete(task)
    await reset(task)
    await assignAgain(task)
    expect(await watchOf(task)).toMatchObject({ completed: false, completion_rate: 0 })
    expect(completionsOf(task)).toHaveLength(1)
    const again = await complete(task)
    await assignAgain(task)
    await eventually(() => expect(completionsOf(task)).toHaveLength(3))
    expect(completionsOf(task).at(-1)).toMatchObject({ completed_at: again, reset_at: expect.any(String) })
    await reset(task)
    await eventually(async () => expect(await recordOf(task)).toMatchObject({ completed: false, completed_at: null }))
  })

  test('has the time of its last video if no earlier completion is in the history', async () => {
    const task = await assign()
    const completedAt = await complete(task)
    await expectCertificates(task, 1)
    await collectionOf(world, 'task_facts').deleteMany({ person_id: task.person.id })
    world.clock.advance(dayMs)
    await assignAgain(task)
    await eventually(() => expect(completionsOf(task)).toHaveLength(2))
    const { completed_at } = (await watchOf(task)).videos[0]
    expect(completed_at).toBe(completedAt)
    expect(completionsOf(task).at(-1)).toMatchObject({ completed_at })
    expect(await recordOf(task)).toMatchObject({ completed: true, completed_at })
  })

  test('is not changed by an assignment that arrives after a later one', async () => {
    const task = await assign(monthly)
    await complete(task)
    const late = { due: task.due, recurrence: { ...monthly, first_due: task.due.local } }
    const lateDate = iso(world.clock.now() + 60 * dayMs)
    world.clock.advance(dayMs)
    await assignAgain(task)
    await eventually(() => expect(completionsOf(task)).toHaveLength(2))
    world.clock.advance(90 * dayMs)
    await assignAgain(task)
    await world.publish('playlist.assigned', {
      ...{ playlist_id: task.playlistId, title: 'Fire safety', by: people.supervisor.id, assigned: [task.person.id] },
      ...{ assigned_date: lateDate, ...late },
    })
    await eventually(async () =>
      expect(
        await collectionOf(world, 'task_facts').countDocuments({ person_id: task.person.id, kind: 'assigned' }),
      ).toBe(4),
    )
    expect(completionsOf(task)).toHaveLength(2)
  })
})
