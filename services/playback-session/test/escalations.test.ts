import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import fc from 'fast-check'
import { findDueSteps, findNextReminder } from '../src/rules/assignment.ts'
import { dueTimesOf } from '../src/rules/due-date.ts'
import type { PlaybackSessionService } from '../src/service.ts'
import {
  type Caller,
  callAs,
  collectionOf,
  completeTask,
  createPlaybackWorld,
  createPlaylist,
  type PlaybackWorld,
} from './_util.ts'

const hour = 3600_000
const day = 24 * hour
const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
let world: PlaybackWorld
let url: string
let started: { service: PlaybackSessionService; url: string }[]
let replicas: PlaybackSessionService[]
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  const config = { escalationDaysAfter: [3, 10], reminderDaysAfter: [3] }
  started = [await world.start({ config }), await world.start({ config })]
  url = started[0]!.url
  replicas = started.map(({ service }) => service)
})
afterAll(() => world.close())

/** Both replicas at once, as their jobs do. */
async function passDays(days: number) {
  clock.advance(days * day)
  await Promise.all(replicas.map(service => service.sendDueRemindersOnce()))
}
const escalationsOf = (playlist: { id: string }) =>
  world
    .of('task.escalated')
    .filter(({ playlist_id }) => playlist_id === playlist.id)
    .map(({ recipient, people }) => [recipient, [...people].sort()])
const idsOf = (people: readonly { id: string }[]) => people.map(({ id }) => id).sort()

/** A manager with one supervisor, who has trainees. */
function addTeam(size: number) {
  const manager = world.addPerson('manager')
  const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
  const team = Array.from({ length: size }, () => world.addPerson('user', { supervisor_id: supervisor.id }))
  // A token of the moment, because the clock passes the end of earlier ones.
  return { manager, supervisor, team, boss: () => callAs(world, url, supervisor) }
}

/** A task that is due in an hour. */
async function assignTask(boss: Caller, people: readonly PersonSnapshot[]) {
  const playlist = await createPlaylist(boss)
  const due = { local: new Date(clock.now() + hour).toISOString().slice(0, 16), time_zone: 'UTC' }
  await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: idsOf(people), due })
  return { ...playlist, due }
}

/** Publishes a change of a person that auth made, and waits until the service knows of it. */
async function change(person: PersonSnapshot, fields: Partial<PersonSnapshot>) {
  const changed = world.changePerson(person, fields)
  const previous_supervisor_id = person.supervisor_id
  await world.publish('user.supervisor_changed', { person: changed, by: null, previous_supervisor_id })
  const people = world.database('playback-session').collection<{ _id: string; version: number }>('people')
  await eventually(async () => expect((await people.findOne({ _id: person.id }))?.version).toBe(changed.version))
  // The token names the version, so the replica reads the person again.
  await callAs(world, url, changed).get('/playlists/today')
}

test('the manager is told once on each day, of those who have not completed the task', async () => {
  const { manager, boss, team } = addTeam(5)
  const [open, completed, exempt, done, late] = team as [PersonSnapshot, ...PersonSnapshot[]] & PersonSnapshot[]
  const playlist = await assignTask(boss(), team)
  const override = (person: PersonSnapshot, action: string) =>
    boss().put(`/playlists/${playlist.id}/assign/override`, {
      ...{ assigned_users: [person.id], action, reason: 'On leave', change_id: randomUUID() },
    })
  await passDays(2)
  await completeTask(world, completed!.id, playlist.id, clock.now())
  await eventually(async () =>
    expect((await callAs(world, url, completed!).get('/playlists/assigned?status=open')).json).toEqual([]),
  )
  expect((await override(exempt!, 'exempt')).status).toBe(200)
  expect((await override(done!, 'mark_done')).status).toBe(200)
  expect(escalationsOf(playlist)).toEqual([])
  await passDays(2)
  await passDays(0)
  await eventually(() => expect(escalationsOf(playlist)).toEqual([[manager.id, idsOf([open, late!])]]))
  expect(world.of('task.escalated').at(-1)).toMatchObject({
    ...{ title: 'Safety', due: { local: playlist.due.local, time_zone: 'UTC' } },
  })
  // The reminder of the same day goes to the trainees.
  const reminders = world.of('task.due').filter(({ playlist_id }) => playlist_id === playlist.id)
  expect(reminders.at(-1)).toMatchObject({ reason: 'overdue', people: expect.arrayContaining([open.id]) })

  // An exception that is taken back does not repeat a day that has passed.
  for (const action of ['exempt', 'take_back']) expect((await override(late!, action)).status).toBe(200)
  await passDays(7)
  await passDays(30)
  await eventually(() =>
    expect(escalationsOf(playlist)).toEqual([
      [manager.id, idsOf([open, late!])],
      [manager.id, idsOf([open, late!])],
    ]),
  )
})

test('the manager is not told of a task that has no playable video', async () => {
  const { manager, supervisor, boss, team } = addTeam(1)
  const [unplayable, playable] = [await assignTask(boss(), team), await assignTask(boss(), team)]
  for (const videoId of ['v0', 'v1', 'v2'])
    await boss().post(`/playlists/${unplayable.id}/videos/${videoId}/unavailable`, { code: 0, decided: true })
  await eventually(async () => {
    for (const { url: base } of started) {
      const { json } = await callAs(world, base, supervisor).get(`/playlists/${unplayable.id}`)
      expect(json.videos.every(({ unavailable }: { unavailable?: boolean }) => unavailable)).toBe(true)
    }
  })
  await passDays(4)
  await eventually(() => expect(escalationsOf(playable)).toEqual([[manager.id, idsOf(team)]]))
  expect(escalationsOf(unplayable)).toEqual([])
})

test('days that passed while no process ran count once', async () => {
  const { manager, boss, team } = addTeam(1)
  const playlist = await assignTask(boss(), team)
  await passDays(12)
  await passDays(1)
  await eventually(() => expect(escalationsOf(playlist)).toEqual([[manager.id, idsOf(team)]]))
})

test('the manager of that moment is told; without one nobody is', async () => {
  const [first, second] = [addTeam(2), addTeam(0)]
  const [mover, stayer] = first.team as [PersonSnapshot, PersonSnapshot]
  const loner = world.addPerson('user', { supervisor_id: world.addPerson('supervisor').id })
  const director = callAs(world, url, world.addPerson('director'))
  const playlist = await assignTask(director, [mover, stayer, loner])
  await passDays(1)
  await change(mover, { supervisor_id: second.supervisor.id })
  await passDays(3)
  await eventually(() =>
    expect(escalationsOf(playlist).sort()).toEqual(
      [
        [second.manager.id, [mover.id]],
        [first.manager.id, [stayer.id]],
      ].sort(),
    ),
  )
})

test('neither a deactivated manager is told, nor anybody of a deactivated person', async () => {
  const [first, second] = [addTeam(1), addTeam(1)]
  const [left] = first.team as [PersonSnapshot]
  const tasks = [await assignTask(first.boss(), first.team), await assignTask(second.boss(), second.team)]
  const deactivated_at = new Date(clock.now()).toISOString()
  await change(left, { deactivated_at })
  await change(second.manager, { deactivated_at })
  await passDays(4)
  expect(tasks.flatMap(escalationsOf)).toEqual([])
})

test('counts from the end of the grace period', async () => {
  const { manager, boss, team } = addTeam(1)
  const playlist = await assignTask(boss(), team)
  const changed = await boss().put(`/playlists/${playlist.id}/assign/due`, {
    ...{ assigned_users: idsOf(team), conditions: { grace_days: 5 } },
  })
  expect(changed.json).toMatchObject({ changed: 1 })
  await passDays(7)
  expect(escalationsOf(playlist)).toEqual([])
  await passDays(2)
  await eventually(() => expect(escalationsOf(playlist)).toEqual([[manager.id, idsOf(team)]]))
})

test('a changed due date starts from the beginning', async () => {
  const { manager, boss, team } = addTeam(1)
  const playlist = await assignTask(boss(), team)
  await passDays(4)
  const due = { local: new Date(clock.now() + hour).toISOString().slice(0, 16), time_zone: 'UTC' }
  const changed = await boss().put(`/playlists/${playlist.id}/assign/due`, { assigned_users: idsOf(team), due })
  expect(changed.status).toBe(200)
  await passDays(2)
  await eventually(() => expect(escalationsOf(playlist)).toHaveLength(1))
  await passDays(2)
  await eventually(() => expect(escalationsOf(playlist)).toEqual(Array(2).fill([manager.id, idsOf(team)])))
})

test('an occurrence that opens long after its time is not escalated at once', async () => {
  const { boss, team } = addTeam(1)
  const playlist = await createPlaylist(boss())
  const due = { local: new Date(clock.now() + hour).toISOString().slice(0, 16), time_zone: 'UTC' }
  const recurrence = { interval: 2, unit: 'month', from: 'due_date', opens_days_before: 7 }
  const body = { assigned_users: idsOf(team), due, recurrence }
  expect((await boss().put(`/playlists/${playlist.id}/assign`, body)).status).toBe(200)
  await completeTask(world, team[0]!.id, playlist.id, clock.now())
  const stored = collectionOf(world, 'assignments')
  await eventually(async () =>
    expect(await stored.findOne({ playlist_id: playlist.id })).toMatchObject({ status: 'completed' }),
  )
  const { next_occurrence_at } = (await stored.findOne({ playlist_id: playlist.id }))!
  const nextDue = next_occurrence_at.getTime() + 7 * day
  clock.advance(nextDue + 5 * day - clock.now())
  await replicas[0]!.openOccurrencesOnce()
  expect(await stored.findOne({ playlist_id: playlist.id })).toMatchObject({
    ...{ status: 'assigned', due_at: new Date(nextDue) },
  })
  await passDays(0)
  expect(await stored.findOne({ playlist_id: playlist.id })).toMatchObject({
    next_reminder_at: new Date(nextDue + 10 * day),
  })
  expect(escalationsOf(playlist)).toEqual([])
  await passDays(6)
  await eventually(() => expect(escalationsOf(playlist)).toHaveLength(1))
})

describe('by default', () => {
  test('nobody is told', async () => {
    for (const replica of replicas) await replica.stop()
    const { service, url: ownUrl } = await world.start()
    const { supervisor, team } = addTeam(1)
    const playlist = await assignTask(callAs(world, ownUrl, supervisor), team)
    for (let days = 0; days < 20; days += 1) {
      clock.advance(day)
      await service.sendDueRemindersOnce()
    }
    expect(escalationsOf(playlist)).toEqual([])
  })

  const daysOf = (at: Date) => dueTimesOf({ at, local: at.toISOString().slice(0, 16), timeZone: 'UTC' }, null)

  test('every planned time brings a reminder, an escalation or both, whenever it is looked at', () => {
    const anyDays = fc.uniqueArray(fc.integer({ min: 1, max: 90 }), { maxLength: 5 })
    const dueAt = new Date(clock.now())
    fc.assert(
      fc.property(anyDays, anyDays, fc.integer({ min: 0, max: 20 * day }), (after, escalation, delay) => {
        const days = { before: [1], after, escalation }
        let next = findNextReminder(daysOf(dueAt), dueAt, days)
        while (next) {
          const count = (next.getTime() - dueAt.getTime()) / day
          const now = new Date(next.getTime() + delay)
          const steps = findDueSteps(daysOf(dueAt), { plannedAt: next, now }, days)
          const hasCome = (step: number) => step >= count && step * day <= count * day + delay
          expect(steps).toEqual({ isReminded: after.some(hasCome), isEscalated: escalation.some(hasCome) })
          expect(steps.isReminded || steps.isEscalated).toBe(true)
          next = findNextReminder(daysOf(dueAt), now, days)
        }
      }),
    )
  })

  test('a time that was planned with other days brings nothing', () => {
    const dueAt = new Date(clock.now())
    const plannedAt = new Date(dueAt.getTime() + 3 * day)
    const days = { before: [1], after: [], escalation: [] }
    expect(findDueSteps(daysOf(dueAt), { plannedAt, now: plannedAt }, days)).toEqual({
      isReminded: false,
      isEscalated: false,
    })
  })
})
