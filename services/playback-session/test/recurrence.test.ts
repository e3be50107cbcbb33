import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defaultConditions } from '@watchline/contracts/conditions'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
import {
  callAs,
  collectionOf,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
} from './_util.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
let world: PlaybackWorld
let url: string
let replicas: PlaybackSessionService[]
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  const first = await world.start({ config: { timeZone: 'Europe/Berlin' } })
  url = first.url
  replicas = [first.service, (await world.start({ config: { timeZone: 'Europe/Berlin' } })).service]
})
afterAll(() => world.close())

const monthly = { interval: 1, unit: 'month', from: 'due_date', opens_days_before: 7 } as const
const weekly = { interval: 1, unit: 'week', from: 'due_date', opens_days_before: 6 } as const
const yearlyFromCompletion = { interval: 1, unit: 'year', from: 'completion', opens_days_before: 30 } as const

/** Tokens last minutes and the clock jumps, so each call gets a new one. */
const as = (person: PersonSnapshot) => callAs(world, url, person)
const setClock = (time: string) => clock.advance(Date.parse(time) - clock.now())
const open = () => Promise.all(replicas.map(service => service.openOccurrencesOnce()))
const tasksOf = async (person: PersonSnapshot, status: 'open' | 'completed') =>
  (await as(person).get(`/playlists/assigned?status=${status}`)).json
const openTask = async (person: PersonSnapshot, playlist: { id: string }) =>
  (await tasksOf(person, 'open')).find(({ id }: { id: string }) => id === playlist.id)
const closedTask = async (person: PersonSnapshot, playlist: { id: string }) =>
  (await tasksOf(person, 'completed')).find(({ id }: { id: string }) => id === playlist.id)
const recurredOf = (playlist: { id: string }) =>
  world.of('assignment.recurred').filter(({ playlist_id }) => playlist_id === playlist.id)
const changesOf = (person: PersonSnapshot, playlist: { id: string }) =>
  collectionOf(world, 'assignment_changes')
    .find({ person_id: person.id, playlist_id: playlist.id })
    .sort({ at: 1 })
    .toArray()

async function assignRecurring(recurrence: unknown, local: string, size = 1) {
  const { supervisor, team } = await createTeamWithPlaylist(world, url, size)
  const playlist = await createPlaylist(as(supervisor))
  const body = { assigned_users: team.map(({ id }) => id), due: { local }, recurrence }
  expect((await as(supervisor).put(`/playlists/${playlist.id}/assign`, body)).status).toBe(200)
  return { supervisor, team, trainee: team[0]!, playlist }
}

const setTerms = (boss: PersonSnapshot, playlist: { id: string }, people: { id: string }[], terms: unknown) =>
  as(boss).put(`/playlists/${playlist.id}/assign/due`, {
    ...{ assigned_users: people.map(({ id }) => id) },
    ...(terms as object),
  })
const override = (boss: PersonSnapshot, playlist: { id: string }, person: { id: string }, action: string) =>
  as(boss).put(`/playlists/${playlist.id}/assign/override`, {
    ...{ assigned_users: [person.id], action, reason: 'On leave', change_id: randomUUID() },
  })

/** As engagement publishes it; `reset_at` names the opening that the completion comes after. */
async function complete(person: PersonSnapshot, playlist: { id: string }, resetAt?: string) {
  await world.publish('playlist.completed', {
    ...{ person_id: person.id, playlist_id: playlist.id, completed_at: new Date(clock.now()).toISOString() },
    ...(resetAt && { reset_at: resetAt }),
  })
  await eventually(async () => expect(await closedTask(person, playlist)).toBeDefined())
}

describe('a task that repeats from its due date', () => {
  test('opens again once on all replicas, from zero, with the next due date of the series', async () => {
    setClock('2026-01-10T09:00:00Z')
    const { supervisor, team, playlist } = await assignRecurring(monthly, '2026-01-31T17:00', 2)
    const [done, late] = [team[0]!, team[1]!]
    expect(await openTask(late, playlist)).toMatchObject({
      due: { at: '2026-01-31T16:00:00.000Z' },
      recurrence: { ...monthly, first_due: '2026-01-31T17:00' },
      next_occurrence: { opens_at: '2026-02-21T16:00:00.000Z', due: { local: '2026-02-28T17:00' } },
    })
    await complete(done, playlist)
    setClock('2026-02-21T15:59:59Z')
    await open()
    expect(await openTask(done, playlist)).toBeUndefined()
    await as(late).post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    const save = { playlist_id: playlist.id, video_id: 'v1', video_index: 1, progress: 5 }
    expect((await as(late).post('/session/save-progress', save)).status).toBe(200)

    setClock('2026-02-21T16:00:00Z')
    await open()
    await open()
    for (const person of team)
      expect(await openTask(person, playlist)).toMatchObject({
        ...{ assignment_status: 'assigned', completed_at: null, due: { local: '2026-02-28T17:00' } },
        next_occurrence: { due: { local: '2026-03-31T17:00' } },
      })
    expect((await as(late).post('/session/save-progress', save)).status).toBe(409)
    await eventually(() =>
      expect(recurredOf(playlist)).toMatchObject([
        {
          ...{ people: expect.arrayContaining(team.map(({ id }) => id)), skipped: [] },
          ...{ due: { local: '2026-02-28T17:00' }, previous_due: { local: '2026-01-31T17:00' } },
        },
      ]),
    )
    const missedBy = async (person: PersonSnapshot) =>
      (await changesOf(person, playlist)).map(({ action, by, missed }) => ({ action, by, missed: missed.length }))
    expect(await missedBy(done)).toEqual([{ action: 'recurred', by: null, missed: 0 }])
    expect(await missedBy(late)).toEqual([{ action: 'recurred', by: null, missed: 1 }])

    // A completion of the first occurrence that arrives late leaves the second one open.
    await world.publish('playlist.completed', {
      ...{ person_id: late.id, playlist_id: playlist.id, completed_at: '2026-02-21T15:59:59.500Z' },
    })
    await complete(done, playlist, recurredOf(playlist)[0]!.recurred_at)
    expect(await openTask(late, playlist)).toBeDefined()
    const listed = (await as(supervisor).get(`/playlists/${playlist.id}/assign`)).json
    expect(
      listed.map(({ next_occurrence }: { next_occurrence: { due: { local: string } } }) => next_occurrence.due.local),
    ).toEqual(['2026-03-31T17:00', '2026-03-31T17:00'])
  })

  test('after an outage opens its latest occurrence only, and lists the missed ones', async () => {
    setClock('2026-03-01T09:00:00Z')
    const { trainee, playlist } = await assignRecurring(monthly, '2026-03-31T17:00')
    setClock('2026-07-02T09:00:00Z')
    await open()
    expect(await openTask(trainee, playlist)).toMatchObject({
      ...{ due: { local: '2026-06-30T17:00' }, next_occurrence: { due: { local: '2026-07-31T17:00' } } },
    })
    await eventually(() =>
      expect(recurredOf(playlist).map(({ skipped }) => skipped.map(({ local }) => local.slice(0, 10)))).toEqual([
        ['2026-04-30', '2026-05-31'],
      ]),
    )
    const [change] = await changesOf(trainee, playlist)
    expect(change!.missed.map(({ local }: { local: string }) => local.slice(0, 10))).toEqual([
      ...['2026-03-31', '2026-04-30', '2026-05-31'],
    ])
  })

  test('after more missed occurrences than are listed names the first one, until which a completion is valid', async () => {
    setClock('2026-01-05T09:00:00Z')
    const weekly = { ...monthly, unit: 'week', opens_days_before: 2 }
    const { trainee, playlist } = await assignRecurring(weekly, '2026-01-09T17:00')
    await complete(trainee, playlist)
    setClock('2028-01-05T09:00:00Z')
    await open()
    const daysOf = (dues: readonly { local: string }[]) => dues.map(({ local }) => local.slice(0, 10))
    const [opening] = await eventually(() => {
      expect(recurredOf(playlist)).toHaveLength(1)
      return recurredOf(playlist)
    })
    const days = daysOf(opening!.skipped)
    expect([days.length, days[0], days[1], days.at(-1)]).toEqual([100, '2026-01-16', '2026-02-06', '2027-12-24'])
    expect(daysOf((await changesOf(trainee, playlist))[0]!.missed)).toEqual(days)
  })

  test('that opens at the time of a reminder brings that reminder, too', async () => {
    setClock('2026-01-10T09:00:00Z')
    const recurrence = { ...monthly, opens_days_before: 1 }
    const { trainee, playlist } = await assignRecurring(recurrence, '2026-01-31T17:00')
    await complete(trainee, playlist)
    setClock('2026-02-27T16:00:30Z')
    await open()
    for (let time = 1; time <= 2; time += 1) await Promise.all(replicas.map(service => service.sendDueRemindersOnce()))
    const reminders = () => world.of('task.due').filter(({ playlist_id }) => playlist_id === playlist.id)
    await eventually(() => expect(reminders()).toMatchObject([{ reason: 'due_soon', people: [trainee.id] }]))
  })

  test('opens although a full batch of tasks of a deleted playlist is still to be removed', async () => {
    setClock('2026-03-01T09:00:00Z')
    const { trainee, playlist } = await assignRecurring(monthly, '2026-03-31T17:00')
    const { supervisor, playlist: deleted } = await assignRecurring(monthly, '2026-03-31T17:00')
    const rows = collectionOf(world, 'assignments')
    const own = (await rows.findOne({ playlist_id: deleted.id }))!
    expect((await as(supervisor).delete(`/playlists/${deleted.id}`)).status).toBe(200)
    // The job that removes them has ended, so the tasks below stay.
    const id = { _id: deleted.id as never }
    await eventually(async () =>
      expect(await collectionOf(world, 'deleted_playlists').findOne(id)).not.toHaveProperty(
        'has_remaining_assignments',
      ),
    )
    const ids = Array.from({ length: 200 }, (_, index) => `person-${index}`)
    const remaining = ids.map(person_id => ({ ...own, _id: `${person_id}:${deleted.id}`, person_id }))
    setClock('2026-04-24T09:00:00Z')
    await rows.insertMany(remaining.map(row => ({ ...row, next_occurrence_at: new Date(1) })) as never[])
    await open()
    expect(await openTask(trainee, playlist)).toMatchObject({ due: { local: '2026-04-30T17:00' } })
    await rows.deleteMany({ playlist_id: deleted.id })
  })

  test('does not open early, whatever time is stored for it', async () => {
    setClock('2026-07-10T09:00:00Z')
    const { trainee, playlist } = await assignRecurring(monthly, '2026-07-31T17:00')
    const stored = { _id: `${trainee.id}:${playlist.id}` }
    await collectionOf(world, 'assignments').updateOne(stored, { $set: { next_occurrence_at: new Date(clock.now()) } })
    await open()
    expect(await openTask(trainee, playlist)).toMatchObject({ due: { local: '2026-07-31T17:00' } })
    expect(await collectionOf(world, 'assignments').findOne(stored)).toMatchObject({
      next_occurrence_at: new Date('2026-08-24T15:00:00.000Z'),
    })
  })

  test('opens although a task of another playlist fails to open', async () => {
    setClock('2026-07-10T10:00:00Z')
    const early = { ...monthly, opens_days_before: 20 }
    const failing = await assignRecurring(early, '2026-07-11T17:00')
    const { trainee, playlist } = await assignRecurring(early, '2026-07-12T17:00')
    const stored = { _id: `${failing.trainee.id}:${failing.playlist.id}` }
    await collectionOf(world, 'assignments').updateOne(stored, { $set: { due_time_zone: 'Nowhere/Land' } })
    setClock('2026-07-25T09:00:00Z')
    await open()
    expect(await openTask(trainee, playlist)).toMatchObject({ due: { local: '2026-08-12T17:00' } })
    await collectionOf(world, 'assignments').updateOne(stored, { $set: { due_time_zone: 'Europe/Berlin' } })
    await open()
    expect(await openTask(failing.trainee, failing.playlist)).toMatchObject({ due: { local: '2026-08-11T17:00' } })
  })

  test('opens after the grace period that an earlier version accepted, and misses nothing within it', async () => {
    setClock('2026-12-01T09:00:00Z')
    const { team, playlist } = await assignRecurring(weekly, '2026-12-05T17:00', 2)
    const [late, done] = [team[0]!, team[1]!]
    const conditions = { ...defaultConditions, grace_days: 30 }
    const rows = collectionOf(world, 'assignments')
    await rows.updateMany({ playlist_id: playlist.id }, { $set: { conditions } })
    setClock('2026-12-12T09:00:00Z')
    await open()
    const expected = { opens_at: '2027-01-04T16:00:00.000Z', due: { local: '2027-01-09T17:00' } }
    for (const person of team)
      expect(await openTask(person, playlist)).toMatchObject({
        ...{ due: { local: '2026-12-05T17:00' }, next_occurrence: expected },
      })
    expect(recurredOf(playlist)).toEqual([])
    await complete(done, playlist)
    await open()
    expect(await openTask(done, playlist)).toMatchObject({ due: { local: '2026-12-12T17:00' } })
    expect((await changesOf(done, playlist)).at(-1)).toMatchObject({ missed: [] })
    setClock('2027-01-04T16:00:00Z')
    await open()
    expect(await openTask(late, playlist)).toMatchObject({ due: { local: '2027-01-09T17:00' } })
    const [change] = await changesOf(late, playlist)
    expect(change!.missed.map(({ local }: { local: string }) => local)).toEqual(['2026-12-05T17:00'])
  })

  test('keeps its series if one due date moves, on the clocks of the series', async () => {
    setClock('2026-01-10T09:00:00Z')
    const { supervisor, team, trainee, playlist } = await assignRecurring(monthly, '2026-01-31T17:00')
    const move = (local: string, terms: object = {}) =>
      setTerms(supervisor, playlist, team, { due: { local, ...terms }, only_present_occurrence: true })
    const recurrence = { ...monthly, first_due: '2026-01-31T17:00' }
    const next = { due: { local: '2026-02-28T17:00' } }
    const refusal = { code: 'invalid', errors: [{ path: 'due.local' }] }
    for (const local of ['2026-01-31T16:59', '2026-02-28T17:00'])
      expect((await move(local)).json).toMatchObject(refusal)
    expect((await move('2026-02-10T09:00')).json).toMatchObject({ changed: 1 })
    expect((await move('2026-02-10T09:00')).json).toMatchObject({ changed: 0 })
    expect(await openTask(trainee, playlist)).toMatchObject({
      ...{ due: { local: '2026-02-10T09:00' }, recurrence, next_occurrence: next },
    })
    expect((await move('2026-02-05T17:00', { time_zone: 'America/New_York' })).json).toMatchObject({ changed: 1 })
    expect(await openTask(trainee, playlist)).toMatchObject({
      ...{ due: { local: '2026-02-05T23:00', time_zone: 'Europe/Berlin' }, recurrence, next_occurrence: next },
    })
    expect((await changesOf(trainee, playlist)).map(({ after }) => [after.due.local, after.recurrence])).toEqual([
      ['2026-02-10T09:00', recurrence],
      ['2026-02-05T23:00', recurrence],
    ])
    setClock('2026-02-21T16:00:00Z')
    await open()
    expect(await openTask(trainee, playlist)).toMatchObject({
      ...{ due: { local: '2026-02-28T17:00' }, recurrence, next_occurrence: { due: { local: '2026-03-31T17:00' } } },
    })
    // The series would bring this occurrence again.
    expect((await move('2026-02-28T16:59')).json).toMatchObject(refusal)
    const [opening] = await eventually(() => {
      expect(recurredOf(playlist)).toHaveLength(1)
      return recurredOf(playlist)
    })
    expect(opening).toMatchObject({ previous_due: { local: '2026-02-05T23:00' }, skipped: [] })
  })

  test('moves one due date only if there is one, and the recurrence stays', async () => {
    setClock('2026-01-10T09:00:00Z')
    const { supervisor, team, playlist } = await assignRecurring(monthly, '2026-01-31T17:00')
    for (const terms of [
      { due: null },
      { recurrence: null },
      { due: { local: '2026-02-02T09:00' }, recurrence: monthly },
    ])
      expect(
        (await setTerms(supervisor, playlist, team, { ...terms, only_present_occurrence: true })).json,
      ).toMatchObject({
        ...{ code: 'invalid', errors: [{ path: 'only_present_occurrence' }] },
      })
  })

  test('is required again after an exempt occurrence', async () => {
    setClock('2026-08-01T09:00:00Z')
    const { supervisor, trainee, playlist } = await assignRecurring(monthly, '2026-08-15T17:00')
    expect((await override(supervisor, playlist, trainee, 'exempt')).json.changed).toBe(1)
    setClock('2026-09-08T15:00:00Z')
    await open()
    expect(await openTask(trainee, playlist)).toMatchObject({ override: null, due: { local: '2026-09-15T17:00' } })
    expect((await changesOf(trainee, playlist)).at(-1)).toMatchObject({ action: 'recurred', missed: [] })
  })

  test('waits while a person is deactivated', async () => {
    setClock('2026-10-01T09:00:00Z')
    const { trainee, playlist } = await assignRecurring(monthly, '2026-10-15T17:00')
    const previous = { previous_supervisor_id: null, previous_manager_id: null }
    const deactivated = world.changePerson(trainee, { deactivated_at: '2026-10-02T09:00:00.000Z' })
    await world.publish('user.deactivated', { person: deactivated, by: null, ...previous })
    const answerOf = async () => (await as(trainee).get('/playlists/today')).status
    await eventually(async () => expect(await answerOf()).not.toBe(200))
    setClock('2026-11-08T16:00:00Z')
    await open()
    expect(recurredOf(playlist)).toEqual([])
    const reactivated = world.changePerson(deactivated, { deactivated_at: undefined })
    await world.publish('user.reactivated', { person: reactivated, by: null })
    await eventually(async () => expect(await answerOf()).toBe(200))
    setClock('2026-11-09T16:00:00Z')
    await open()
    expect(await openTask(trainee, playlist)).toMatchObject({ due: { local: '2026-11-15T17:00' } })
  })
})

test('a task of somebody who has another role now opens again when the role is back', async () => {
  setClock('2026-10-01T09:00:00Z')
  const { trainee, playlist } = await assignRecurring(monthly, '2026-10-15T17:00')
  const changeRole = async (role: 'user' | 'supervisor') => {
    const changed = world.changePerson(trainee, { role })
    await world.publish('user.role_changed', { person: changed, by: null, previous_role: trainee.role })
    const people = world.database('playback-session').collection<{ _id: string; role: string }>('people')
    await eventually(async () => expect((await people.findOne({ _id: trainee.id }))?.role).toBe(role))
    // The token names the version, so the first replica reads the person again.
    await as(changed).get('/playlists/today')
  }
  await changeRole('supervisor')
  setClock('2026-11-08T16:00:00Z')
  await replicas[0]!.openOccurrencesOnce()
  expect(recurredOf(playlist)).toEqual([])
  await changeRole('user')
  setClock('2026-11-09T16:00:00Z')
  await replicas[0]!.openOccurrencesOnce()
  expect(await openTask(trainee, playlist)).toMatchObject({ due: { local: '2026-11-15T17:00' } })
})

describe('a task that repeats from its completion', () => {
  test('is valid for one period after its completion, and stays overdue without one', async () => {
    setClock('2027-01-10T09:00:00Z')
    const { team, playlist } = await assignRecurring(yearlyFromCompletion, '2027-01-31T17:00', 2)
    const [done, late] = [team[0]!, team[1]!]
    expect(await openTask(done, playlist)).toMatchObject({ next_occurrence: null })
    setClock('2027-02-03T09:00:00Z')
    await complete(done, playlist)
    expect(await closedTask(done, playlist)).toMatchObject({
      next_occurrence: { opens_at: '2028-01-04T16:00:00.000Z', due: { at: '2028-02-03T16:00:00.000Z' } },
    })
    setClock('2028-01-04T16:00:00Z')
    await open()
    expect(await openTask(done, playlist)).toMatchObject({ due: { local: '2028-02-03T17:00' }, next_occurrence: null })
    expect(await openTask(late, playlist)).toMatchObject({ due: { local: '2027-01-31T17:00' }, next_occurrence: null })
    await eventually(() => expect(recurredOf(playlist)).toMatchObject([{ people: [done.id] }]))
  })

  test('counts from an earlier completion, also if that is older than the assignment', async () => {
    setClock('2027-11-28T09:00:00Z')
    const { trainee, playlist } = await assignRecurring(yearlyFromCompletion, '2027-12-15T17:00')
    await world.publish('playlist.completed', {
      ...{ person_id: trainee.id, playlist_id: playlist.id, completed_at: '2027-11-02T09:00:00.000Z' },
      assigned_date: new Date(clock.now()).toISOString(),
    })
    await eventually(async () =>
      expect(await closedTask(trainee, playlist)).toMatchObject({
        completed_at: '2027-11-02T09:00:00.000Z',
        next_occurrence: { due: { local: '2028-11-02T17:00' } },
      }),
    )
  })

  test('counts from an exception that closes it, and no more once that is taken back', async () => {
    setClock('2028-03-01T09:00:00Z')
    const { supervisor, trainee, playlist } = await assignRecurring(yearlyFromCompletion, '2028-03-15T17:00')
    await override(supervisor, playlist, trainee, 'mark_done')
    expect(await closedTask(trainee, playlist)).toMatchObject({
      next_occurrence: { due: { local: '2029-03-01T17:00' } },
    })
    await override(supervisor, playlist, trainee, 'take_back')
    expect(await openTask(trainee, playlist)).toMatchObject({ next_occurrence: null })
  })
})

describe('a change of the terms', () => {
  test('applies from then on, once, with a trace, and ends with the due date', async () => {
    setClock('2028-05-01T09:00:00Z')
    const { supervisor, trainee, playlist } = await assignRecurring(monthly, '2028-05-31T17:00')
    const due = { local: '2028-06-30T17:00' }
    const recurrence = { ...monthly, interval: 3 }
    const change = (terms: unknown) => setTerms(supervisor, playlist, [trainee], terms)
    for (const changed of [1, 0]) expect((await change({ due, recurrence })).json.changed).toBe(changed)
    expect(await openTask(trainee, playlist)).toMatchObject({
      ...{ recurrence: { interval: 3, first_due: '2028-06-30T17:00' } },
      next_occurrence: { due: { local: '2028-09-30T17:00' } },
    })
    // Without a recurrence in the call it stays, and counts from the new date.
    expect((await change({ due: { local: '2028-06-15T17:00' } })).json.changed).toBe(1)
    expect(await openTask(trainee, playlist)).toMatchObject({ next_occurrence: { due: { local: '2028-09-15T17:00' } } })
    expect((await change({ due: null })).json.changed).toBe(1)
    expect(await openTask(trainee, playlist)).toMatchObject({ due: null, recurrence: null, next_occurrence: null })
    expect(await changesOf(trainee, playlist)).toMatchObject([
      { by: supervisor.id, before: { recurrence: { interval: 1 } }, after: { recurrence: { interval: 3 } } },
      { before: { recurrence: { interval: 3 } }, after: { recurrence: { first_due: '2028-06-15T17:00' } } },
      { before: { recurrence: { interval: 3 } }, after: { due: null, recurrence: null } },
    ])
    await eventually(() =>
      expect(world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)).toMatchObject(
        [{ recurrence: { interval: 3 } }, { recurrence: { interval: 3 } }, { recurrence: null }],
      ),
    )
  })

  test('ends the recurrence of a completed task, whose due date stays', async () => {
    setClock('2028-07-01T09:00:00Z')
    const { supervisor, trainee, playlist } = await assignRecurring(monthly, '2028-07-31T17:00')
    await complete(trainee, playlist)
    const later = { local: '2028-12-31T17:00' }
    expect((await setTerms(supervisor, playlist, [trainee], { due: later })).json.changed).toBe(0)
    expect((await setTerms(supervisor, playlist, [trainee], { recurrence: null })).json.changed).toBe(1)
    expect(await closedTask(trainee, playlist)).toMatchObject({ due: { local: '2028-07-31T17:00' }, recurrence: null })
    setClock('2028-09-30T09:00:00Z')
    await open()
    expect(await openTask(trainee, playlist)).toBeUndefined()
    await eventually(() =>
      expect(world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)).toMatchObject(
        [{ keeps_due: true, due: { local: '2028-07-31T17:00' }, recurrence: null }],
      ),
    )
  })

  test('that begins after some people completed the task opens it again for them, too, without news for them', async () => {
    setClock('2028-09-30T10:00:00Z')
    const { supervisor, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [done, late] = [team[0]!, team[1]!]
    await complete(done, playlist)
    const due = { local: '2028-10-31T17:00' }
    expect((await setTerms(supervisor, playlist, [done], { due })).json.changed).toBe(0)
    for (const changed of [2, 0])
      expect((await setTerms(supervisor, playlist, team, { due, recurrence: monthly })).json.changed).toBe(changed)
    const repeating = { due, next_occurrence: { due: { local: '2028-11-30T17:00' } } }
    expect(await closedTask(done, playlist)).toMatchObject(repeating)
    expect(await openTask(late, playlist)).toMatchObject(repeating)
    await eventually(() => {
      const changes = world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)
      expect(changes.map(({ changed, keeps_due = false }) => [changed, keeps_due])).toEqual(
        expect.arrayContaining([
          [[done.id], true],
          [[late.id], false],
        ]),
      )
    })
  })

  test('that removes the due date ends the recurrence of a completed task, too', async () => {
    setClock('2028-10-01T09:00:00Z')
    const { supervisor, trainee, playlist } = await assignRecurring(monthly, '2028-10-15T17:00')
    await complete(trainee, playlist)
    for (const changed of [1, 0])
      expect((await setTerms(supervisor, playlist, [trainee], { due: null })).json.changed).toBe(changed)
    const ended = { due: { local: '2028-10-15T17:00' }, recurrence: null, next_occurrence: null }
    expect(await closedTask(trainee, playlist)).toMatchObject(ended)
    setClock('2028-11-14T09:00:00Z')
    await open()
    expect(await openTask(trainee, playlist)).toBeUndefined()
    await eventually(() =>
      expect(world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)).toMatchObject(
        [{ keeps_due: true, recurrence: null }],
      ),
    )
  })

  test('of the recurrence alone keeps each due date, and gives none to people without one', async () => {
    setClock('2029-01-01T09:00:00Z')
    const { supervisor, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [dated, undated] = [team[0]!, team[1]!]
    await setTerms(supervisor, playlist, [dated], { due: { local: '2029-01-31T17:00' } })
    expect((await setTerms(supervisor, playlist, team, { recurrence: monthly })).json.changed).toBe(1)
    expect(await openTask(dated, playlist)).toMatchObject({
      ...{ due: { local: '2029-01-31T17:00' }, recurrence: monthly },
    })
    expect(await openTask(undated, playlist)).toMatchObject({ due: null, recurrence: null })
    expect((await setTerms(supervisor, playlist, team, {})).status).toBe(422)
  })

  test('is refused if the grace period lasts longer than until the task opens again, and names the field', async () => {
    setClock('2029-01-01T09:00:00Z')
    const { supervisor, team, trainee, playlist } = await createTeamWithPlaylist(world, url, 2)
    const due = { local: '2029-01-31T17:00' }
    const refused = {
      status: 422,
      json: { errors: [{ path: 'conditions.grace_days', message: 'must end before the task opens again' }] },
    }
    const tooLong = { due, recurrence: weekly, conditions: { grace_days: 2 } }
    const assigning = { ...tooLong, assigned_users: [trainee.id] }
    const path = `/playlists/${playlist.id}/assign`
    expect(await as(supervisor).put(path, assigning)).toMatchObject(refused)
    expect(await setTerms(supervisor, playlist, team, tooLong)).toMatchObject(refused)
    // Only one of the two in the call: the other one is that of each task.
    await setTerms(supervisor, playlist, [team[0]!], { due, recurrence: weekly })
    expect(await setTerms(supervisor, playlist, team, { conditions: { grace_days: 2 } })).toMatchObject(refused)
    expect((await openTask(team[0]!, playlist)).conditions).toBeNull()
    expect((await setTerms(supervisor, playlist, team, { conditions: { grace_days: 1 } })).json.changed).toBe(1)
    await setTerms(supervisor, playlist, [team[1]!], { due, conditions: { grace_days: 30 } })
    expect(await setTerms(supervisor, playlist, team, { recurrence: weekly })).toMatchObject(refused)
    expect(await openTask(team[1]!, playlist)).toMatchObject({ recurrence: null })
    const fromCompletion = { ...weekly, from: 'completion' }
    expect((await setTerms(supervisor, playlist, team, { recurrence: fromCompletion })).json.changed).toBe(2)
  })

  test('other than the grace period and the recurrence works with those of earlier versions', async () => {
    setClock('2029-02-01T09:00:00Z')
    const { supervisor, trainee, playlist } = await assignRecurring(weekly, '2029-02-15T17:00')
    const conditions = { ...defaultConditions, grace_days: 30 }
    await collectionOf(world, 'assignments').updateOne({ playlist_id: playlist.id }, { $set: { conditions } })
    const later = { due: { local: '2029-02-16T17:00' }, conditions: { required_percent: 95 } }
    expect((await setTerms(supervisor, playlist, [trainee], later)).json.changed).toBe(1)
    expect(await openTask(trainee, playlist)).toMatchObject({
      ...{ conditions: { grace_days: 30, required_percent: 95 }, recurrence: weekly },
      next_occurrence: { opens_at: '2029-03-18T16:00:00.000Z' },
    })
  })

  test.each([
    ['without a due date', { due: null, recurrence: monthly }, 'recurrence'],
    ['with an unknown unit', { due: { local: '2029-01-31T17:00' }, recurrence: { ...monthly, unit: 'day' } }, 'unit'],
    [
      'that opens before the due date before it',
      { due: { local: '2029-01-31T17:00' }, recurrence: { ...monthly, opens_days_before: 28 } },
      'opens_days_before',
    ],
  ])('%s is refused with its field, and changes nothing', async (_case, terms, field) => {
    const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const body = { assigned_users: [trainee.id], ...terms }
    for (const path of ['assign', 'assign/due']) {
      const answer = await as(supervisor).put(`/playlists/${playlist.id}/${path}`, body)
      expect(answer.status).toBe(422)
      expect(answer.json.errors[0].path).toContain(field)
    }
    expect(await openTask(trainee, playlist)).toMatchObject({ due: null, recurrence: null })
  })
})
