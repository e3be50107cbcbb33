import { randomUUID as newUuid } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defaultConditions } from '@watchline/contracts/conditions'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { instantOf } from '@watchline/kit/core/calendar'
import { createDatabase, openDatabase } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import fc from 'fast-check'
import { findNextReminder } from '../src/rules/assignment.ts'
import { dueTimesOf } from '../src/rules/due-date.ts'
import type { PlaybackSessionService } from '../src/service.ts'
import { createNightlyLeaseStore } from '../src/store/nightly-lease.ts'
import {
  callAs,
  collectionOf,
  completeTask,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
  videos,
} from './_util.ts'

const hour = 3600_000
const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
let world: PlaybackWorld
let url: string
let urls: string[]
let replicas: PlaybackSessionService[]
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  const started = [await world.start(), await world.start(), await world.start()]
  urls = started.map(replica => replica.url)
  url = urls[0]!
  replicas = started.map(replica => replica.service)
})
afterAll(() => world.close())

/**
 * Lets three replicas remind at once. Returns how often anybody was reminded of these playlists so
 * far, also by the job that each replica repeats.
 */
async function remind(...playlists: { id: string }[]): Promise<number> {
  await Promise.all(replicas.map(service => service.sendDueRemindersOnce()))
  const ids = playlists.map(({ id }) => id)
  const outbox = collectionOf(world, 'outbox')
  const rows = await outbox.find({ 'event.type': 'task.due', 'event.data.playlist_id': { $in: ids } }).toArray()
  return rows.reduce((sum, { event }) => sum + event.data.people.length, 0)
}
const dueIn = (hours: number) => ({
  local: new Date(clock.now() + hours * hour).toISOString().slice(0, 16),
  time_zone: 'UTC',
})
const remindersOf = (playlist: { id: string }) =>
  world
    .of('task.due')
    .filter(({ playlist_id }) => playlist_id === playlist.id)
    .map(({ reason, people }) => [reason, [...people].sort()])
/** As auth does it: the person also leaves the team. Waits until the service knows of it. */
async function deactivate(person: PersonSnapshot) {
  const deactivated_at = new Date(clock.now()).toISOString()
  const { supervisor_id, manager_id } = person
  const changed = world.changePerson(person, { deactivated_at, supervisor_id: null, manager_id: null })
  const leaders = { previous_supervisor_id: supervisor_id, previous_manager_id: manager_id }
  await world.publish('user.deactivated', { person: changed, by: null, ...leaders })
  await eventually(async () =>
    expect((await callAs(world, url, person).get('/playlists/today')).json.code).toBe('deactivated'),
  )
}
const idsOf = (people: readonly { id: string }[]) => people.map(({ id }) => id).sort()
const complete = (person: { id: string }, playlist: { id: string }) =>
  completeTask(world, person.id, playlist.id, clock.now())

test('people are reminded once a day before the due date and once at it, by one of several replicas', async () => {
  const { boss, team } = await createTeamWithPlaylist(world, url, 3)
  const playlist = await createPlaylist(boss)
  await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: idsOf(team), due: dueIn(48) })
  clock.advance(24 * hour - 60_000)
  expect(await remind(playlist)).toBe(0)
  clock.advance(60_000)
  expect(await remind(playlist)).toBe(3)
  expect(await remind(playlist)).toBe(3)
  await eventually(() => expect(remindersOf(playlist)).toEqual([['due_soon', idsOf(team)]]))

  // Completed meanwhile, so there is nothing to remind of.
  const task = async () => (await callAs(world, url, team[0]!).get('/playlists/assigned?status=open')).json
  await complete(team[0]!, playlist)
  await eventually(async () => expect((await task()).map(({ id }: { id: string }) => id)).not.toContain(playlist.id))
  clock.advance(24 * hour)
  expect(await remind(playlist)).toBe(5)
  clock.advance(30 * 24 * hour)
  expect(await remind(playlist)).toBe(5)
  await eventually(() =>
    expect(remindersOf(playlist)).toEqual([
      ['due_soon', idsOf(team)],
      ['overdue', idsOf(team.slice(1))],
    ]),
  )
})

test('a due date that was set within its last day has one reminder, and a changed one has its own', async () => {
  const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
  const setDue = (due: unknown) =>
    callAs(world, url, supervisor).put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [trainee.id], due })
  await setDue(dueIn(2))
  expect(await remind(playlist)).toBe(0)
  clock.advance(2 * hour)
  expect(await remind(playlist)).toBe(1)
  await setDue(dueIn(48))
  await setDue(null)
  clock.advance(48 * hour)
  expect(await remind(playlist)).toBe(1)
  await setDue(dueIn(30))
  clock.advance(6 * hour)
  expect(await remind(playlist)).toBe(2)
  await eventually(() => expect(remindersOf(playlist).map(([reason]) => reason)).toEqual(['overdue', 'due_soon']))
})

test('a reminder within a grace period names its end, and one after it does not', async () => {
  const { boss, team } = await createTeamWithPlaylist(world, url, 2)
  const [graced, other] = team as [PersonSnapshot, PersonSnapshot]
  const playlist = await createPlaylist(boss)
  const due = dueIn(48)
  const assign = (person: PersonSnapshot, grace_days: number, { id } = playlist) =>
    boss.put(`/playlists/${id}/assign`, { assigned_users: [person.id], due, conditions: { grace_days } })
  await assign(graced, 3)
  await assign(other, 0)
  const late = await createPlaylist(boss)
  await assign(graced, 3, late)
  clock.advance(24 * hour)
  expect(await remind(playlist)).toBe(2)
  await collectionOf(world, 'assignments').updateOne({ playlist_id: late.id }, { $set: { next_reminder_at: null } })
  clock.advance(24 * hour)
  expect(await remind(playlist)).toBe(4)
  const graceUntil = { local: dueIn(3 * 24).local, time_zone: 'UTC' }
  await eventually(() => {
    const events = world.of('task.due').filter(({ playlist_id }) => playlist_id === playlist.id)
    expect(events.filter(({ reason }) => reason === 'due_soon')).toHaveLength(2)
    const overdue = events.filter(({ reason }) => reason === 'overdue')
    expect(overdue.find(({ people }) => people[0] === graced.id)).toMatchObject({ due, grace_until: graceUntil })
    expect(overdue.find(({ people }) => people[0] === other.id)).not.toHaveProperty('grace_until')
    expect(events.every(({ reason, grace_until }) => reason === 'overdue' || grace_until === undefined)).toBe(true)
  })

  // No process ran until the end of the grace period.
  const next_reminder_at = new Date(clock.now())
  clock.advance(3 * 24 * hour)
  await collectionOf(world, 'assignments').updateOne({ playlist_id: late.id }, { $set: { next_reminder_at } })
  expect(await remind(late)).toBe(2)
  await eventually(() => {
    const overdue = world
      .of('task.due')
      .filter(({ playlist_id, reason }) => playlist_id === late.id && reason === 'overdue')
    expect(overdue).toMatchObject([{ people: [graced.id], due }])
    expect(overdue[0]).not.toHaveProperty('grace_until')
  })
})

test('nobody is reminded who is deactivated or no longer has the task', async () => {
  const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
  const people = idsOf(team)
  await boss.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: people, due: dueIn(2) })
  const [leaver, other] = team as [(typeof team)[number], (typeof team)[number]]
  await deactivate(leaver)
  await boss.delete(`/playlists/${playlist.id}/assign`, { assigned_users: [other.id] })
  clock.advance(2 * hour)
  expect(await remind(playlist)).toBe(0)
  expect(remindersOf(playlist)).toEqual([])
})

test('a trainee with another role keeps the task, and nobody is told of it until the role is back', async () => {
  const { boss, team } = await createTeamWithPlaylist(world, url, 1)
  const [trainee] = team as [PersonSnapshot]
  const playlist = await createPlaylist(boss)
  await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id], due: dueIn(48) })
  const unplayable = await createPlaylist(boss, { videos: videos(1) })
  await boss.put(`/playlists/${unplayable.id}/assign`, { assigned_users: [trainee.id] })
  const changeRole = async (role: 'user' | 'supervisor') => {
    const changed = world.changePerson(trainee, { role })
    await world.publish('user.role_changed', { person: changed, by: null, previous_role: trainee.role })
    // The token names the version, so the first replica reads the person again.
    await callAs(world, url, changed).get('/playlists/today')
  }
  const first = replicas[0]!
  await changeRole('supervisor')
  await boss.post(`/playlists/${unplayable.id}/videos/v0/unavailable`, { code: 100, decided: true })
  clock.advance(24 * hour)
  await first.sendDueRemindersOnce()
  await first.publishUncompletableTasksOnce()
  await changeRole('user')
  clock.advance(24 * hour)
  await first.sendDueRemindersOnce()
  await first.publishUncompletableTasksOnce()
  await eventually(() => {
    expect(remindersOf(playlist)).toEqual([['overdue', [trainee.id]]])
    expect(uncompletableOf(unplayable)).toHaveLength(1)
  })
})

test('nobody is reminded of a task without a playable video until a video plays again', async () => {
  const { boss, supervisor, team } = await createTeamWithPlaylist(world, url, 1)
  const playlist = await createPlaylist(boss, { videos: videos(1) })
  await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: idsOf(team), due: dueIn(26) })
  const videoPath = `/playlists/${playlist.id}/videos/v0/unavailable`
  const setUnavailable = async (unavailable: boolean) => {
    // A token of the moment, because the clock passes the end of earlier ones.
    const caller = callAs(world, url, supervisor)
    await (unavailable ? caller.post(videoPath, { code: 0, decided: true }) : caller.delete(videoPath))
    await eventually(async () => {
      for (const base of urls) {
        const { json } = await callAs(world, base, supervisor).get(`/playlists/${playlist.id}`)
        expect(json.videos[0].unavailable ?? false).toBe(unavailable)
      }
    })
  }
  await setUnavailable(true)
  clock.advance(2 * hour)
  expect(await remind(playlist)).toBe(0)
  await publishUncompletableTasks()
  await eventually(() => expect(uncompletableOf(playlist)).toMatchObject([{ recipient: supervisor.id }]))
  await setUnavailable(false)
  clock.advance(24 * hour)
  await remind(playlist)
  await eventually(() => expect(remindersOf(playlist)).toEqual([['overdue', idsOf(team)]]))
})

test('many due tasks are taken in batches', async () => {
  const supervisor = world.addPerson('supervisor')
  const boss = callAs(world, url, supervisor)
  const trainees = [world.addPerson('user', { supervisor_id: supervisor.id })]
  const playlists = await Promise.all(Array.from({ length: 3 }, () => createPlaylist(boss)))
  for (const { id } of playlists)
    await boss.put(`/playlists/${id}/assign`, { assigned_users: idsOf(trainees), due: dueIn(1) })
  clock.advance(hour)
  expect(await remind(...playlists)).toBe(3)
  await eventually(() => expect(playlists.flatMap(remindersOf)).toHaveLength(3))
})

/** All replicas check at once; then what they published of the playlist. */
async function publishUncompletableTasks() {
  await Promise.all(replicas.map(service => service.publishUncompletableTasksOnce()))
}
const uncompletableOf = (playlist: { id: string }) =>
  world.of('task.uncompletable').filter(({ playlist_id }) => playlist_id === playlist.id)

test('a supervisor is told once of open tasks without a playable video, and again if the reason comes back', async () => {
  const { boss, supervisor, team } = await createTeamWithPlaylist(world, url, 3)
  const playlist = await createPlaylist(boss, { videos: videos(1) })
  await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: idsOf(team) })
  await complete(team[2]!, playlist)
  const open = idsOf(team.slice(0, 2))
  const videoPath = `/playlists/${playlist.id}/videos/v0/unavailable`
  /** The replicas have playlists in memory, which follows the database. */
  const untilKnown = (unavailable: boolean) =>
    eventually(async () => {
      for (const base of urls) {
        const { json } = await callAs(world, base, supervisor).get(`/playlists/${playlist.id}`)
        expect(json.videos[0].unavailable ?? false).toBe(unavailable)
      }
    })
  await publishUncompletableTasks()
  expect((await boss.post(videoPath, { code: 0, decided: true })).json).toMatchObject({ unavailable: true })
  await untilKnown(true)
  await publishUncompletableTasks()
  await publishUncompletableTasks()
  const published = {
    ...{ playlist_id: playlist.id, title: 'Safety', reason: 'no_playable_video' },
    ...{ people: open, recipient: supervisor.id },
  }
  await eventually(() => expect(uncompletableOf(playlist)).toEqual([published]))
  await boss.delete(videoPath)
  await untilKnown(false)
  await publishUncompletableTasks()
  await boss.post(videoPath, { code: 0, decided: true })
  await untilKnown(true)
  await publishUncompletableTasks()
  await eventually(() => expect(uncompletableOf(playlist)).toEqual([published, published]))
})

test('a nightly check that its process did not end is repeated, and tells nobody twice', async () => {
  const { boss, team } = await createTeamWithPlaylist(world, url, 1)
  const playlist = await createPlaylist(boss, { videos: videos(1) })
  await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: idsOf(team) })
  await boss.post(`/playlists/${playlist.id}/videos/v0/unavailable`, { code: 0, decided: true })
  const checks = collectionOf(world, 'nightly_checks')
  const checkAtNight = () => Promise.all(replicas.map(service => service.checkUncompletableTasksAtNight()))
  // A process died within the check: its lease stays.
  await checks.deleteMany({})
  const lease_until = new Date(clock.now() + hour / 6)
  await checks.insertOne({ _id: 'uncompletable_tasks', lease_until } as never)
  await checkAtNight()
  expect(await checks.findOne()).not.toHaveProperty('done_date')
  expect(uncompletableOf(playlist)).toEqual([])
  clock.advance(hour)
  await checkAtNight()
  await eventually(() => expect(uncompletableOf(playlist)).toHaveLength(1))
  await eventually(async () => expect(await checks.findOne()).toMatchObject({ done_date: expect.any(String) }))
  await checks.deleteMany({})
  await checkAtNight()
  await publishUncompletableTasks()
  expect(uncompletableOf(playlist)).toHaveLength(1)
})

test('a replica whose lease of the nightly check has expired does not change the lease of the next one', async () => {
  const connection = createDatabase()
  await openDatabase(connection, world.config.mongoUrl, `${world.config.databasePrefix}-playback-session`)
  const stored = collectionOf(world, 'nightly_checks')
  const leases = createNightlyLeaseStore(connection, 'test_lease')
  const start = clock.now()
  const expired = (await leases.claim('2026-01-05', new Date(start), 1_000))!
  expect(await leases.claim('2026-01-05', new Date(start + 500), 1_000)).toBeUndefined()
  const present = (await leases.claim('2026-01-05', new Date(start + 2_000), 1_000))!
  expect(await expired.extend(new Date(start + 9_000))).toBe(false)
  await expired.release()
  await expired.finish('2026-01-05')
  const read = () => stored.findOne({ _id: 'test_lease' as never })
  expect(await read()).toMatchObject({ lease_until: new Date(start + 3_000) })
  expect(await read()).not.toHaveProperty('done_date')
  expect(await present.extend(new Date(start + 4_000))).toBe(true)
  await present.finish('2026-01-05')
  expect(await leases.claim('2026-01-05', new Date(start + 9_000), 1_000)).toBeUndefined()
  expect(await leases.claim('2026-01-06', new Date(start + 9_000), 1_000)).toBeDefined()
  await stored.deleteOne({ _id: 'test_lease' as never })
  await connection.close()
})

describe('the open tasks of a deactivated person', () => {
  /** A task that a director assigned to a trainee of a team. */
  async function createTask() {
    const manager = world.addPerson('manager')
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    const director = world.addPerson('director')
    const caller = callAs(world, url, director)
    const playlist = await createPlaylist(caller)
    await caller.put(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id] })
    for (const person of [manager, supervisor]) await callAs(world, url, person).get('/playlists/today')
    return { manager, supervisor, trainee, director, playlist }
  }
  const recipientsOf = (playlist: { id: string }) =>
    uncompletableOf(playlist)
      .map(({ recipient }) => recipient)
      .sort()
  const untilTold = (playlist: { id: string }, recipients: readonly { id: string }[]) =>
    eventually(async () => {
      await publishUncompletableTasks()
      expect(recipientsOf(playlist)).toEqual(expect.arrayContaining(idsOf(recipients)))
    })

  test('are told to the supervisor whom the person had, once', async () => {
    const { supervisor, trainee, playlist } = await createTask()
    await deactivate(trainee)
    await untilTold(playlist, [supervisor])
    await publishUncompletableTasks()
    expect(uncompletableOf(playlist)).toMatchObject([
      { reason: 'no_access', people: [trainee.id], recipient: supervisor.id },
    ])
    const data = (await callAs(world, url, supervisor).get('/session/record/data')).text
    expect(data).not.toContain('former_leaders')
  })

  test('are changed and withdrawn by the former supervisor, directors and administrators, and new ones are refused', async () => {
    const { supervisor, trainee, director, playlist } = await createTask()
    const callers = [supervisor, director, world.addPerson('admin')].map(person => callAs(world, url, person))
    const [own, other] = [await createPlaylist(callers[0]!), await createPlaylist(callers[1]!)]
    const stranger = callAs(world, url, world.addPerson('supervisor'))
    await deactivate(trainee)
    await eventually(async () =>
      expect(await collectionOf(world, 'former_leaders').findOne({ _id: trainee.id })).not.toBeNull(),
    )
    const path = `/playlists/${playlist.id}/assign`
    const assigned_users = [trainee.id]
    const override = (caller: (typeof callers)[number], action: string) =>
      caller.put(`${path}/override`, { assigned_users, action, reason: 'Left', change_id: newUuid() })
    expect((await override(stranger, 'exempt')).status).toBe(404)
    const active = world.addPerson('user', { supervisor_id: supervisor.id })
    await callers[1]!.put(path, { assigned_users: [active.id] })
    expect((await stranger.get(`${path}?deactivated=true`)).status).toBe(404)
    for (const [index, caller] of callers.entries()) {
      const listed = { user_id: trainee.id, name: trainee.name, deactivated: { name: trainee.name } }
      expect((await caller.get(`${path}?user_ids=${trainee.id}`)).json).toMatchObject([listed])
      expect((await caller.get(path)).json).toHaveLength(2)
      expect((await caller.get(`${path}?deactivated=true`)).json).toMatchObject([listed])
      expect((await caller.get(`${path}?user_ids=${active.id}`)).json).toMatchObject([{ name: active.name }])
      expect((await caller.get(`${path}?deactivated=true&user_ids=${active.id}`)).json).toEqual([])
      expect((await override(caller, 'exempt')).json).toMatchObject({ changed: 1 })
      expect((await override(caller, 'take_back')).json).toMatchObject({ changed: 1 })
      expect((await caller.put(`${path}/due`, { assigned_users, due: dueIn(24 + index) })).json.changed).toBe(1)
    }
    const refusal = {
      code: 'conflict',
      detail: `${trainee.name} is deactivated, so they get no new tasks or reminders.`,
    }
    for (const [caller, { id }] of [
      [callers[0]!, own],
      [callers[1]!, other],
      [callers[2]!, other],
    ] as const) {
      expect((await caller.put(`/playlists/${id}/assign`, { assigned_users })).json).toMatchObject(refusal)
      expect((await caller.post('/playlists/today/remind', { user_ids: assigned_users })).json).toMatchObject(refusal)
    }
    const strange = await stranger.put(`/playlists/${(await createPlaylist(stranger)).id}/assign`, { assigned_users })
    expect(strange.json.code).toBe('outside_team')
    const withdrawal = await callers[0]!.delete(path, { assigned_users })
    expect(withdrawal.json).toMatchObject({ unassigned: 1 })
    expect((await callers[1]!.get(path)).json).toMatchObject([{ user_id: active.id }])
  })

  test('are told to the manager if the supervisor is deactivated, too', async () => {
    const { manager, supervisor, trainee, playlist } = await createTask()
    await deactivate(trainee)
    await deactivate(supervisor)
    await untilTold(playlist, [manager])
    expect(recipientsOf(playlist)).toEqual([manager.id])
  })

  test('are told to the assigner if neither is active, and to every director and administrator without one', async () => {
    const first = await createTask()
    for (const person of [first.trainee, first.supervisor, first.manager]) await deactivate(person)
    await untilTold(first.playlist, [first.director])
    expect(recipientsOf(first.playlist)).toEqual([first.director.id])
    const second = await createTask()
    const [admin, other] = [world.addPerson('admin'), world.addPerson('director')]
    for (const person of [admin, other]) await callAs(world, url, person).get('/playlists/assigned')
    for (const person of [second.trainee, second.supervisor, second.manager, second.director]) await deactivate(person)
    await untilTold(second.playlist, [admin, other])
    expect(recipientsOf(second.playlist)).not.toContain(second.director.id)
    await publishUncompletableTasks()
    expect(new Set(recipientsOf(second.playlist)).size).toBe(uncompletableOf(second.playlist).length)
  })

  test('are told to the assigner if they were deactivated before their leaders were kept', async () => {
    const { trainee, director, playlist } = await createTask()
    await deactivate(trainee)
    const leaders = collectionOf(world, 'former_leaders')
    await eventually(async () => expect((await leaders.deleteOne({ _id: trainee.id as never })).deletedCount).toBe(1))
    await untilTold(playlist, [director])
  })
})

describe('more reminders', () => {
  const day = 24 * hour

  test('come on the days before and after the due date, while the task is open', async () => {
    // Replicas with other days would plan the reminders of theirs.
    for (const replica of replicas) await replica.stop()
    const { service, url: ownUrl } = await world.start({
      config: { reminderDaysBefore: [1, 7], reminderDaysAfter: [3, 10] },
    })
    const supervisor = world.addPerson('supervisor')
    const team = [1, 2].map(() => world.addPerson('user', { supervisor_id: supervisor.id }))
    const boss = callAs(world, ownUrl, supervisor)
    const playlist = await createPlaylist(boss)
    await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: idsOf(team), due: dueIn(8 * 24) })
    for (let days = 0; days < 20; days += 1) {
      if (days === 9) {
        await complete(team[0]!, playlist)
        await eventually(async () => {
          const open = await callAs(world, ownUrl, team[0]!).get('/playlists/assigned?status=open')
          expect(open.json.map(({ id }: { id: string }) => id)).not.toContain(playlist.id)
        })
      }
      await service.sendDueRemindersOnce()
      clock.advance(day)
    }
    const [both, last] = [idsOf(team), [team[1]!.id]]
    await eventually(() =>
      expect(remindersOf(playlist)).toEqual([
        ['due_soon', both],
        ['due_soon', both],
        ['overdue', both],
        ['overdue', last],
        ['overdue', last],
      ]),
    )
  })

  const daysOf = (at: Date) => dueTimesOf({ at, local: at.toISOString().slice(0, 16), timeZone: 'UTC' }, null)

  test('of whole days come at the same time of day in every time zone, also across clock changes', () => {
    const timeZone = fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Beirut', 'Australia/Lord_Howe', 'UTC')
    const dates = fc.date({ min: new Date('2026-01-01'), max: new Date('2028-12-31'), noInvalidDate: true })
    const grace = fc.integer({ min: 0, max: 30 })
    fc.assert(
      fc.property(dates, timeZone, fc.integer({ min: -90, max: 90 }), grace, (date, timeZone, count, grace_days) => {
        const local = date.toISOString().slice(0, 16)
        const due = { at: new Date(instantOf(local, timeZone)), local, timeZone }
        const { afterDue, afterGrace } = dueTimesOf(due, { ...defaultConditions, grace_days })
        const expectShown = (at: Date, days: number) => {
          const day = new Date(Date.parse(`${local.slice(0, 10)}T00:00:00Z`) + days * 24 * hour)
          expect(at.getTime()).toBe(instantOf(day.toISOString().slice(0, 10) + local.slice(10), timeZone))
        }
        expectShown(afterDue(count), count)
        expectShown(afterGrace(count), grace_days + count)
      }),
    )
    const spring = { at: new Date('2026-03-29T15:00:00Z'), local: '2026-03-29T17:00', timeZone: 'Europe/Berlin' }
    const before = { before: [1], after: [], escalation: [] }
    const next = findNextReminder(dueTimesOf(spring, null), new Date('2026-03-27T00:00:00Z'), before)
    expect(next).toEqual(new Date('2026-03-28T16:00:00Z'))
  })

  test('come in their order, each once', () => {
    const anyDays = fc.uniqueArray(fc.integer({ min: 1, max: 90 }), { maxLength: 5 })
    fc.assert(
      fc.property(anyDays, anyDays, fc.integer({ min: -100 * day, max: 100 * day }), (before, after, start) => {
        const days = { before, after, escalation: [] }
        const dueAt = new Date(clock.now())
        const found: number[] = []
        let next = findNextReminder(daysOf(dueAt), new Date(dueAt.getTime() + start), days)
        while (next) {
          found.push((next.getTime() - dueAt.getTime()) / day)
          next = findNextReminder(daysOf(dueAt), next, days)
        }
        const all = [...before.map(count => -count), 0, ...after].sort((a, b) => a - b)
        expect(found.map(days => days + 0)).toEqual(all.filter(days => days * day > start).map(days => days + 0))
      }),
    )
  })
})
