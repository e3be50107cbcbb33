import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
import { announceGroup, type Group } from './_groups.ts'
import {
  callAs,
  collectionOf,
  completeTask,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
} from './_util.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
let world: PlaybackWorld
let url: string
let replicas: PlaybackSessionService[]
let director: PersonSnapshot
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  const first = await world.start({ config: { timeZone: 'Europe/Berlin' } })
  url = first.url
  replicas = [first.service, (await world.start({ config: { timeZone: 'Europe/Berlin' } })).service]
  director = world.addPerson('director')
})
afterAll(() => world.close())

/** Tokens last minutes and the clock jumps, so each call gets a new one. */
const as = (person: PersonSnapshot) => callAs(world, url, person)
const setClock = (time: string) => clock.advance(Date.parse(time) - clock.now())
const summer = { local: '2026-07-01T17:00', time_zone_of: 'person' } as const
const inTokyo = { at: '2026-07-01T08:00:00.000Z', ...summer, time_zone: 'Asia/Tokyo' }
const inBerlin = { at: '2026-07-01T15:00:00.000Z', ...summer, time_zone: 'Europe/Berlin' }
const inNewYork = { at: '2026-07-01T21:00:00.000Z', ...summer, time_zone: 'America/New_York' }

const zoneRow = (person: { id: string }) => collectionOf(world, 'time_zones').findOne({ _id: person.id })
let changes = 0
/** As the notification service publishes it, each change later than the one before. */
async function chooseZone(person: { id: string }, time_zone: string | null): Promise<void> {
  changes += 1
  const changed_at = new Date(Date.UTC(2026, 0, 1) + changes).toISOString()
  await world.publish('person.time_zone_changed', { person_id: person.id, time_zone, changed_at })
  await eventually(async () => expect(await zoneRow(person)).toMatchObject({ time_zone }))
}
/** Resolves once the service has consumed the event or refused it for good. */
async function publishAndWait(data: { person_id: string; time_zone: string | null; changed_at: string }) {
  const id = randomUUID()
  const deadBefore = (await world.ports.bus.deadLetters('playback-session')).length
  await world.publish('person.time_zone_changed', data, { id })
  return eventually(async () => {
    const isConsumed = (await collectionOf(world, 'consumed_events').findOne({ _id: id })) !== null
    const isDead = (await world.ports.bus.deadLetters('playback-session')).length > deadBefore
    expect(isConsumed || isDead).toBe(true)
    return isDead ? 'dead letter' : 'consumed'
  })
}

const idsOf = (people: readonly { id: string }[]) => people.map(({ id }) => id)
const assign = (boss: PersonSnapshot, playlist: { id: string }, people: { id: string }[], terms: object) =>
  as(boss).put(`/playlists/${playlist.id}/assign`, { assigned_users: idsOf(people), ...terms })
const setDue = (boss: PersonSnapshot, playlist: { id: string }, people: { id: string }[], due: unknown) =>
  as(boss).put(`/playlists/${playlist.id}/assign/due`, { assigned_users: idsOf(people), due })
const taskOf = async (person: PersonSnapshot, playlist: { id: string }) =>
  (await as(person).get('/playlists/assigned')).json.find(({ id }: { id: string }) => id === playlist.id)
const dueOf = async (person: PersonSnapshot, playlist: { id: string }) => (await taskOf(person, playlist))?.due

/** A team whose first member chose Tokyo, the second New York, and the third nothing. */
async function createTeamInThreeZones() {
  const created = await createTeamWithPlaylist(world, url, 3)
  const team = created.team as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
  await chooseZone(team[0], 'Asia/Tokyo')
  await chooseZone(team[1], 'America/New_York')
  return { ...created, team }
}

describe('a due date in the time zone of each person', () => {
  test('is the same local time for everybody, and the organisation’s for people who chose none', async () => {
    const { supervisor, team } = await createTeamInThreeZones()
    const playlist = await createPlaylist(as(supervisor))
    const answers = await Promise.all([1, 2].map(() => assign(supervisor, playlist, team, { due: summer })))
    expect(answers.map(({ status, json }) => [status, json.assigned]).sort()).toEqual([
      [200, 0],
      [200, 3],
    ])
    expect(await Promise.all(team.map(person => dueOf(person, playlist)))).toEqual([inTokyo, inNewYork, inBerlin])
    await eventually(() => {
      const events = world.of('playlist.assigned').filter(({ playlist_id }) => playlist_id === playlist.id)
      const published = events.map(({ assigned, due }) => [assigned, due])
      expect(published).toHaveLength(3)
      expect(published).toEqual(
        expect.arrayContaining([
          [[team[0].id], inTokyo],
          [[team[1].id], inNewYork],
          [[team[2].id], inBerlin],
        ]),
      )
    })
    const listed = (await as(supervisor).get(`/playlists/${playlist.id}/assign`)).json
    expect(new Map(listed.map((row: { user_id: string; due: object }) => [row.user_id, row.due]))).toEqual(
      new Map(team.map((person, index) => [person.id, [inTokyo, inNewYork, inBerlin][index]])),
    )
  })

  test('decides the reminder and the calendar file of each task', async () => {
    setClock('2026-01-05T09:00:00Z')
    const { supervisor, team } = await createTeamInThreeZones()
    const playlist = await createPlaylist(as(supervisor))
    await assign(supervisor, playlist, team, { due: { local: '2026-01-10T17:00', time_zone_of: 'person' } })
    const file = await as(team[0]).get(`/playlists/assigned/calendar?playlist_id=${playlist.id}`)
    expect(file.text).toContain('DTSTART:20260110T080000Z')
    const remindedAt = async (time: string) => {
      setClock(time)
      await Promise.all(replicas.map(replica => replica.sendDueRemindersOnce()))
      await eventually(async () =>
        expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBe(0),
      )
      return world
        .of('task.due')
        .filter(({ playlist_id }) => playlist_id === playlist.id)
        .map(({ people, reason, due }) => [...people, reason, due.time_zone])
    }
    const tokyo = [team[0].id, 'due_soon', 'Asia/Tokyo']
    const berlin = [team[2].id, 'due_soon', 'Europe/Berlin']
    const newYork = [team[1].id, 'due_soon', 'America/New_York']
    expect(await remindedAt('2026-01-09T08:00:00Z')).toEqual([tokyo])
    expect(await remindedAt('2026-01-09T16:00:00Z')).toEqual([tokyo, berlin])
    expect(await remindedAt('2026-01-09T22:00:00Z')).toEqual([tokyo, berlin, newYork])
  })

  test('is changed once, and neither another zone nor another change of the terms moves it', async () => {
    const { supervisor, team, playlist } = await createTeamInThreeZones()
    expect((await setDue(supervisor, playlist, team, summer)).json.changed).toBe(3)
    expect((await setDue(supervisor, playlist, team, summer)).json.changed).toBe(0)
    await chooseZone(team[0], 'America/New_York')
    const conditions = { assigned_users: idsOf(team), conditions: { required_percent: 80 } }
    expect((await as(supervisor).put(`/playlists/${playlist.id}/assign/due`, conditions)).json.changed).toBe(3)
    expect(await Promise.all(team.map(person => dueOf(person, playlist)))).toEqual([inTokyo, inNewYork, inBerlin])
    // Set again, it counts on the clocks of now.
    expect((await setDue(supervisor, playlist, team, summer)).json.changed).toBe(1)
    expect(await dueOf(team[0], playlist)).toEqual(inNewYork)
    expect((await setDue(supervisor, playlist, team, { local: summer.local })).json.changed).toBe(3)
    const { time_zone_of, ...ofAll } = inBerlin
    for (const person of team) expect(await dueOf(person, playlist)).toEqual(ofAll)
    await chooseZone(team[1], null)
    await setDue(supervisor, playlist, team, summer)
    expect(await dueOf(team[1], playlist)).toEqual(inBerlin)
    const log = collectionOf(world, 'assignment_changes').find({ person_id: team[0].id }).sort({ at: 1 })
    expect((await log.toArray()).map(({ after }) => after.due)).toEqual([inTokyo, inTokyo, inNewYork, ofAll, inNewYork])
  })

  test('of everybody stays one, if a replica of an earlier version sets it on a task with a personal one', async () => {
    const { supervisor, team, playlist } = await createTeamInThreeZones()
    await setDue(supervisor, playlist, [team[0]], summer)
    const { time_zone_of, ...ofAll } = inBerlin
    const { modifiedCount } = await collectionOf(world, 'assignments').updateOne(
      { person_id: team[0].id, playlist_id: playlist.id },
      { $set: { due_at: new Date(ofAll.at), due_local: ofAll.local, due_time_zone: ofAll.time_zone } },
    )
    expect(modifiedCount).toBe(1)
    const listed = (await as(supervisor).get(`/playlists/${playlist.id}/assign`)).json
    expect(listed.find(({ user_id }: { user_id: string }) => user_id === team[0].id).due).toEqual(ofAll)
    expect((await setDue(supervisor, playlist, [team[0]], { local: ofAll.local })).json.changed).toBe(0)
    expect((await setDue(supervisor, playlist, [team[0]], summer)).json.changed).toBe(1)
    expect(await dueOf(team[0], playlist)).toEqual(inTokyo)
  })

  test.each([
    ['on a date that does not exist', { local: '2027-02-29T09:00', time_zone_of: 'person' }, 'due.local'],
    ['with a time zone for all', { ...summer, time_zone: 'Asia/Tokyo' }, 'due.time_zone'],
    ['of an unknown owner', { ...summer, time_zone_of: 'manager' }, 'due.time_zone_of'],
    ['more than ten years ahead', { local: '2037-01-05T09:59', time_zone_of: 'person' }, 'due.local'],
  ])('%s is refused with its field, and changes nothing', async (_case, due, field) => {
    const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const other = await createPlaylist(as(supervisor))
    for (const answer of [
      await assign(supervisor, other, [trainee], { due }),
      await setDue(supervisor, playlist, [trainee], due),
    ])
      expect([answer.status, answer.json.errors?.[0]?.path]).toEqual([422, field])
    expect(await dueOf(trainee, playlist)).toBeNull()
    expect(await taskOf(trainee, other)).toBeUndefined()
  })

  test('that has passed for one of the people is refused, and the others can have it', async () => {
    setClock('2026-02-02T09:00:00Z')
    const { supervisor, team } = await createTeamInThreeZones()
    const playlist = await createPlaylist(as(supervisor))
    const due = { local: '2026-02-02T17:30', time_zone_of: 'person' }
    const refused = await assign(supervisor, playlist, team, { due })
    expect([refused.status, refused.json.errors]).toEqual([
      422,
      [{ path: 'due.local', message: 'is in the past in Asia/Tokyo' }],
    ])
    expect((await assign(supervisor, playlist, [team[1], team[2]], { due })).json.assigned).toBe(2)
  })

  test('is refused to a superior of other people before it names a time zone', async () => {
    const { team, playlist } = await createTeamInThreeZones()
    const stranger = world.addPerson('supervisor')
    const past = { local: '2020-01-01T09:00', time_zone_of: 'person' }
    for (const answer of [
      await assign(stranger, playlist, [team[0]], { due: past }),
      await setDue(stranger, playlist, [team[0]], past),
    ]) {
      expect([403, 404]).toContain(answer.status)
      expect(answer.text).not.toContain('Tokyo')
    }
  })

  test('of a clock that is skipped or shown twice follows the rule of due dates', async () => {
    const { supervisor, team } = await createTeamWithPlaylist(world, url, 1)
    const person = team[0]!
    const at = async (time_zone: string, local: string) => {
      await chooseZone(person, time_zone)
      const playlist = await createPlaylist(as(supervisor))
      await assign(supervisor, playlist, [person], { due: { local, time_zone_of: 'person' } })
      return dueOf(person, playlist)
    }
    const skipped = { local: '2026-03-08T02:30', time_zone: 'America/New_York', time_zone_of: 'person' }
    expect(await at('America/New_York', skipped.local)).toEqual({ ...skipped, at: '2026-03-08T07:30:00.000Z' })
    const repeated = { local: '2026-11-01T01:30', time_zone: 'America/New_York', time_zone_of: 'person' }
    expect(await at('America/New_York', repeated.local)).toEqual({ ...repeated, at: '2026-11-01T05:30:00.000Z' })
    expect(await at('Europe/Berlin', skipped.local)).toMatchObject({ at: '2026-03-08T01:30:00.000Z' })
  })
})

describe('the next occurrence', () => {
  const monthly = { interval: 1, unit: 'month', from: 'due_date', opens_days_before: 7 } as const
  const openOccurrences = () => Promise.all(replicas.map(replica => replica.openOccurrencesOnce()))

  test('is due in the time zone that the person has when it opens, once on all replicas', async () => {
    setClock('2026-03-01T09:00:00Z')
    const { supervisor, team } = await createTeamInThreeZones()
    const playlist = await createPlaylist(as(supervisor))
    const due = { local: '2026-03-31T17:00', time_zone_of: 'person' }
    await assign(supervisor, playlist, team, { due, recurrence: monthly })
    expect(await taskOf(team[0], playlist)).toMatchObject({
      due: { at: '2026-03-31T08:00:00.000Z' },
      next_occurrence: { due: { local: '2026-04-30T17:00', time_zone: 'Asia/Tokyo', time_zone_of: 'person' } },
    })
    await completeTask(world, team[0].id, playlist.id, clock.now())
    await chooseZone(team[0], 'Pacific/Honolulu')
    // The occurrence opens by the clocks of the one before.
    setClock('2026-04-23T07:59:00Z')
    await openOccurrences()
    expect((await dueOf(team[0], playlist)).local).toBe('2026-03-31T17:00')
    setClock('2026-04-23T08:00:00Z')
    await openOccurrences()
    await openOccurrences()
    const next = { local: '2026-04-30T17:00', time_zone_of: 'person' }
    expect(await dueOf(team[0], playlist)).toEqual({
      ...{ ...next, at: '2026-05-01T03:00:00.000Z', time_zone: 'Pacific/Honolulu' },
    })
    expect((await dueOf(team[1], playlist)).local).toBe('2026-03-31T17:00')
    setClock('2026-04-23T21:00:00Z')
    await openOccurrences()
    expect(await dueOf(team[1], playlist)).toMatchObject({ ...next, time_zone: 'America/New_York' })
    expect(await dueOf(team[2], playlist)).toMatchObject({ ...next, time_zone: 'Europe/Berlin' })
    await eventually(() => {
      const opened = world.of('assignment.recurred').filter(({ playlist_id }) => playlist_id === playlist.id)
      expect(opened.flatMap(({ people }) => people).sort()).toEqual(idsOf(team).sort())
      expect(opened.find(({ people }) => people.includes(team[0].id))).toMatchObject({
        due: { time_zone: 'Pacific/Honolulu' },
        previous_due: { local: '2026-03-31T17:00', time_zone: 'Asia/Tokyo', time_zone_of: 'person' },
      })
    })
  })

  test('opens, and everybody is reminded, although the stored time zone of a task disappeared', async () => {
    setClock('2026-04-24T09:00:00Z')
    const { supervisor, team } = await createTeamInThreeZones()
    const playlist = await createPlaylist(as(supervisor))
    const due = { local: '2026-04-27T17:00', time_zone_of: 'person' }
    const weekly = { ...monthly, unit: 'week', opens_days_before: 5 }
    await assign(supervisor, playlist, team, { due, recurrence: weekly })
    await collectionOf(world, 'assignments').updateOne(
      { person_id: team[0].id, playlist_id: playlist.id },
      { $set: { due_time_zone: 'Atlantis/Capital' } },
    )
    expect(await dueOf(team[0], playlist)).toEqual({
      ...due,
      at: '2026-04-27T08:00:00.000Z',
      time_zone: 'Europe/Berlin',
    })
    setClock('2026-04-26T22:00:00Z')
    await Promise.all(replicas.map(replica => replica.sendDueRemindersOnce()))
    await eventually(() => {
      const reminders = world.of('task.due').filter(({ playlist_id }) => playlist_id === playlist.id)
      expect(reminders.flatMap(({ people }) => people).sort()).toEqual(idsOf(team).sort())
    })
    setClock('2026-04-29T17:00:00Z')
    await openOccurrences()
    const next = { local: '2026-05-04T17:00', time_zone_of: 'person', time_zone: 'Asia/Tokyo' }
    expect(await dueOf(team[0], playlist)).toEqual({ ...next, at: '2026-05-04T08:00:00.000Z' })
  })

  test('after an outage is due in the new time zone, and the missed ones were due in the one before', async () => {
    setClock('2026-04-24T09:00:00Z')
    const { supervisor, team } = await createTeamInThreeZones()
    const playlist = await createPlaylist(as(supervisor))
    const due = { local: '2026-05-01T17:00', time_zone_of: 'person' }
    const weekly = { ...monthly, unit: 'week', opens_days_before: 2 }
    await assign(supervisor, playlist, [team[0]], { due, recurrence: weekly })
    await chooseZone(team[0], 'Pacific/Honolulu')
    setClock('2026-05-14T09:00:00Z')
    await openOccurrences()
    expect(await dueOf(team[0], playlist)).toEqual({
      ...{ at: '2026-05-16T03:00:00.000Z', local: '2026-05-15T17:00' },
      ...{ time_zone: 'Pacific/Honolulu', time_zone_of: 'person' },
    })
    const ofTokyo = { time_zone: 'Asia/Tokyo', time_zone_of: 'person' }
    const first = { at: '2026-05-01T08:00:00.000Z', local: '2026-05-01T17:00', ...ofTokyo }
    const skipped = { at: '2026-05-08T08:00:00.000Z', local: '2026-05-08T17:00', ...ofTokyo }
    await eventually(() => {
      const opened = world.of('assignment.recurred').filter(({ playlist_id }) => playlist_id === playlist.id)
      expect(opened.map(event => [event.previous_due, event.skipped])).toEqual([[first, [skipped]]])
    })
    const log = collectionOf(world, 'assignment_changes').find({ person_id: team[0].id, playlist_id: playlist.id })
    expect((await log.toArray()).map(({ missed }) => missed)).toEqual([[first, skipped]])
  })
})

describe('a group', () => {
  const setTerms = (playlist: { id: string }, group: Group, terms: object) =>
    as(director).put(`/playlists/${playlist.id}/groups/${group.id}`, { terms })
  /** Repeats the job until the check succeeds, because events arrive at any time. */
  const updateTasksUntil = (check: () => Promise<unknown>) =>
    eventually(async () => {
      // A failed update is repeated after five seconds of the test's clock.
      clock.advance(1_000)
      await Promise.all(replicas.map(replica => replica.updateGroupTasksOnce()))
      await check()
    })
  const expectDues = (playlist: { id: string }, dues: readonly (readonly [PersonSnapshot, unknown])[]) =>
    updateTasksUntil(async () => {
      for (const [person, due] of dues) expect(await dueOf(person, playlist)).toEqual(due)
    })

  test('gives present and future members the local time in their own time zones, which then stays', async () => {
    setClock('2026-05-20T09:00:00Z')
    const { team } = await createTeamInThreeZones()
    const group = await announceGroup(world, [team[0], team[2]])
    const playlist = await createPlaylist(as(director))
    const answer = await setTerms(playlist, group, { due: summer })
    expect(answer.json.group.assignment.terms).toEqual({ due: inBerlin })
    expect((await setTerms(playlist, group, { due: summer })).status).toBe(200)
    await expectDues(playlist, [
      [team[0], inTokyo],
      [team[2], inBerlin],
    ])
    await chooseZone(team[0], 'America/New_York')
    await group.change([team[1]])
    await expectDues(playlist, [
      [team[1], inNewYork],
      [team[0], inTokyo],
    ])
    // Another change of the terms leaves the due date of everybody as it is.
    await setTerms(playlist, group, { conditions: { required_percent: 80 } })
    await updateTasksUntil(async () =>
      expect((await taskOf(team[0], playlist)).conditions).toMatchObject({ required_percent: 80 }),
    )
    expect(await dueOf(team[0], playlist)).toEqual(inTokyo)
    await eventually(() => {
      const events = world.of('playlist.assigned').filter(({ playlist_id }) => playlist_id === playlist.id)
      expect(events.map(({ assigned, due }) => [assigned, due]).sort()).toEqual(
        [
          [[team[0].id], inTokyo],
          [[team[2].id], inBerlin],
          [[team[1].id], inNewYork],
        ].sort(),
      )
    })

    const { time_zone_of, ...ofAll } = inBerlin
    await setTerms(playlist, group, { due: { local: summer.local } })
    await expectDues(
      playlist,
      team.map(person => [person, ofAll]),
    )
    await setTerms(playlist, group, { due: summer })
    await expectDues(playlist, [
      [team[0], inNewYork],
      [team[1], inNewYork],
      [team[2], inBerlin],
    ])
  })

  test('with a recurrence gives a later member the first due date that is ahead on their clocks', async () => {
    setClock('2026-06-01T09:00:00Z')
    const { team } = await createTeamInThreeZones()
    const group = await announceGroup(world, [team[2]])
    const playlist = await createPlaylist(as(director))
    const monthly = { interval: 1, unit: 'month', from: 'due_date', opens_days_before: 7 }
    const due = { local: '2026-06-15T17:00', time_zone_of: 'person' }
    expect((await setTerms(playlist, group, { due, recurrence: monthly })).status).toBe(200)
    await updateTasksUntil(async () => expect(await dueOf(team[2], playlist)).toMatchObject(due))
    // The 15th at 17:00 has passed in Tokyo, and not in New York.
    setClock('2026-06-15T12:00:00Z')
    await group.change([team[0], team[1]])
    await updateTasksUntil(async () => {
      expect(await dueOf(team[0], playlist)).toMatchObject({ local: '2026-07-15T17:00', time_zone: 'Asia/Tokyo' })
      expect(await dueOf(team[1], playlist)).toMatchObject({ local: '2026-06-15T17:00', time_zone: 'America/New_York' })
    })
  })

  test('goes on with the zone of the organisation, although the stored zone of its due date disappeared', async () => {
    setClock('2026-07-15T09:00:00Z')
    const { team } = await createTeamInThreeZones()
    const group = await announceGroup(world, [team[2]])
    const playlist = await createPlaylist(as(director))
    const recurrence = { interval: 1, unit: 'month', from: 'due_date', opens_days_before: 7 }
    const terms = { recurrence, conditions: { grace_days: 3 } }
    const due = { local: '2026-07-20T17:00', time_zone: 'Asia/Tokyo' }
    expect((await setTerms(playlist, group, { due, ...terms })).status).toBe(200)
    await expectDues(playlist, [[team[2], { ...due, at: '2026-07-20T08:00:00.000Z' }]])
    await collectionOf(world, 'group_assignments').updateOne(
      { group_id: group.id },
      { $set: { 'terms.due.timeZone': 'Atlantis/Capital' } },
    )
    await collectionOf(world, 'assignments').updateOne(
      { person_id: team[2].id, playlist_id: playlist.id },
      { $set: { due_time_zone: 'Atlantis/Capital', group_due: '2026-07-20T17:00 Atlantis/Capital' } },
    )
    setClock('2026-07-22T09:00:00Z')
    const shown = { at: '2026-07-20T08:00:00.000Z', local: '2026-07-20T17:00', time_zone: 'Europe/Berlin' }
    const next = { at: '2026-08-20T15:00:00.000Z', local: '2026-08-20T17:00', time_zone: 'Europe/Berlin' }
    const listed = (await as(director).get(`/playlists/${playlist.id}/groups`)).json
    expect(listed.find(({ group_id }: { group_id: string }) => group_id === group.id).assignment.terms).toMatchObject({
      ...{ due: shown, next_due: next, grace_until: '2026-08-23T15:00:00.000Z' },
    })
    await group.change([team[0]])
    await expectDues(playlist, [
      [team[0], next],
      [team[2], shown],
    ])
    // A client sends back the due date that it saw: nothing moves.
    const changed = {
      due: { local: shown.local, time_zone: shown.time_zone },
      recurrence,
      conditions: { grace_days: 4 },
    }
    expect((await setTerms(playlist, group, changed)).status).toBe(200)
    await updateTasksUntil(async () =>
      expect((await taskOf(team[2], playlist)).conditions).toMatchObject({ grace_days: 4 }),
    )
    expect([await dueOf(team[0], playlist), await dueOf(team[2], playlist)]).toEqual([next, shown])
    expect(
      (await setTerms(playlist, group, { recurrence: { ...recurrence, unit: 'week', opens_days_before: 2 } })).status,
    ).toBe(200)
  })

  test('may get no due date that has passed in a time zone of the people, but a late repetition is accepted', async () => {
    setClock('2026-08-03T09:00:00Z')
    const { team } = await createTeamInThreeZones()
    const group = await announceGroup(world, [team[2]])
    const playlist = await createPlaylist(as(director))
    const due = { local: '2026-08-03T17:30', time_zone_of: 'person' }
    const refused = await setTerms(playlist, group, { due })
    expect([refused.status, refused.json.errors]).toEqual([
      422,
      [{ path: 'terms.due.local', message: 'is in the past in Asia/Tokyo' }],
    ])
    const later = { ...due, local: '2026-08-04T17:30' }
    expect((await setTerms(playlist, group, { due: later })).status).toBe(200)
    setClock('2026-08-04T09:00:00Z')
    expect((await setTerms(playlist, group, { due: later })).status).toBe(200)
    expect((await setTerms(playlist, group, { due: { local: later.local, time_zone: 'Asia/Tokyo' } })).status).toBe(422)
  })
})

describe('the time zone of a person', () => {
  const changeOf = (person: { id: string }, time_zone: string | null, minute: number) => ({
    ...{ person_id: person.id, time_zone, changed_at: new Date(Date.UTC(2026, 1, 1, 0, minute)).toISOString() },
  })

  test('is that of the newest change, whatever arrives late or twice', async () => {
    const person = world.addPerson('user')
    for (const [zone, minute] of [
      ['Asia/Tokyo', 2],
      ['America/New_York', 1],
      ['Europe/Paris', 2],
    ] as const)
      expect(await publishAndWait(changeOf(person, zone, minute))).toBe('consumed')
    expect(await zoneRow(person)).toMatchObject({ time_zone: 'Asia/Tokyo' })
    expect(await publishAndWait(changeOf(person, null, 3))).toBe('consumed')
    expect(await publishAndWait(changeOf(person, 'Asia/Tokyo', 2))).toBe('consumed')
    expect(await zoneRow(person)).toMatchObject({ time_zone: null })
  })

  test('that nobody knows is a dead letter, and a stored one that is unknown counts as the organisation’s', async () => {
    const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
    await chooseZone(trainee, 'Asia/Tokyo')
    expect(await publishAndWait(changeOf(trainee, 'Atlantis/Capital', 9))).toBe('dead letter')
    expect(await zoneRow(trainee)).toMatchObject({ time_zone: 'Asia/Tokyo' })
    await collectionOf(world, 'time_zones').updateOne({ _id: trainee.id }, { $set: { time_zone: 'Atlantis/Capital' } })
    expect((await setDue(supervisor, playlist, [trainee], { ...summer, local: '2027-07-01T17:00' })).status).toBe(200)
    expect(await dueOf(trainee, playlist)).toMatchObject({ time_zone: 'Europe/Berlin' })
    await collectionOf(world, 'time_zones').deleteOne({ _id: trainee.id })
  })

  test('is in the own data, goes with an erasure or a deletion, and does not come back', async () => {
    const [erased, deleted] = [world.addPerson('user'), world.addPerson('user')]
    for (const person of [erased, deleted]) await chooseZone(person, 'Asia/Tokyo')
    const data = (await as(erased).get('/session/record/data')).text
    expect(data).toContain('"kind":"time_zones"')
    await world.publish('user.erased', makeErasure(erased))
    const previous = { previous_supervisor_id: null, previous_manager_id: null }
    await world.publish('user.deleted', { person_id: deleted.id, by: null, ...previous })
    for (const person of [erased, deleted]) {
      await eventually(async () => expect(await zoneRow(person)).toBeNull())
      expect(await publishAndWait(changeOf(person, 'Asia/Tokyo', 9))).toBe('consumed')
      expect(await zoneRow(person)).toBeNull()
    }
  })
})
