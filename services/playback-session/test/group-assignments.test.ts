import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createDatabase, inTransaction, openDatabase } from '@watchline/kit/mongo/database'
import { makeErasure } from '@watchline/testing/erased-person'
import { eventually } from '@watchline/testing/harness'
import { holdDocument } from '@watchline/testing/held-document'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
import { createGroupStore } from '../src/store/groups.ts'
import { announceGroup as announceGroupIn, type Group } from './_groups.ts'
import {
  assignPlaylist,
  type Caller,
  callAs,
  collectionOf,
  completeTask,
  createPlaybackWorld,
  createPlaylist,
  createTeamWithPlaylist,
  type PlaybackWorld,
  service,
  videos,
} from './_util.ts'

const hour = 3600_000
const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
let world: PlaybackWorld
let url: string
let replicas: PlaybackSessionService[]
let director: Caller
let directorPerson: PersonSnapshot
let directorId: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  const first = await world.start()
  url = first.url
  replicas = [first.service, (await world.start()).service]
  directorPerson = world.addPerson('director')
  directorId = directorPerson.id
  director = callAs(world, url, directorPerson)
})
afterAll(() => world.close())

/** Access tokens expire meanwhile. */
function passDays(days: number) {
  clock.advance(days * 24 * hour)
  director = callAs(world, url, directorPerson)
}

const announceGroup = (members: readonly PersonSnapshot[], assigners: readonly PersonSnapshot[] = []) =>
  announceGroupIn(world, members, assigners)
/** Lets the service read these people from auth. */
const introduce = (people: readonly PersonSnapshot[]) =>
  Promise.all(people.map(person => callAs(world, url, person).get('/playlists/today')))

const trainees = (count: number) => Array.from({ length: count }, () => world.addPerson('user'))
const pathOf = (playlist: { id: string }, group: { id: string }) => `/playlists/${playlist.id}/groups/${group.id}`
const assign = (caller: Caller, playlist: { id: string }, group: { id: string }, due?: unknown) =>
  caller.put(pathOf(playlist, group), { terms: due === undefined ? {} : { due } })
const withdraw = (caller: Caller, playlist: { id: string }, group: { id: string }) =>
  caller.delete(pathOf(playlist, group))
/** All replicas at once. */
const updateTasks = () => Promise.all(replicas.map(replica => replica.updateGroupTasksOnce()))
/** Repeats the job until the check succeeds, because events arrive at any time. */
const updateTasksUntil = (check: () => Promise<unknown>) =>
  eventually(async () => {
    // A failed update is repeated after five seconds of the test's clock, so tokens may expire.
    clock.advance(1_000)
    director = callAs(world, url, directorPerson)
    await updateTasks()
    await check()
  })
const requests = () => collectionOf(world, 'group_work')
/** Waits until no replica updates the tasks of the group any longer. */
const untilUpdated = (group: { id: string }) =>
  updateTasksUntil(async () => expect(await requests().countDocuments({ _id: group.id })).toBe(0))
/**
 * Waits for the present update. No replica begins another one until the returned function is
 * called.
 */
async function claimUpdates(group: { id: string }) {
  await untilUpdated(group)
  await requests().insertOne({ _id: group.id, request_count: 1, due_at: new Date(8.64e15) })
  return () => requests().updateOne({ _id: group.id }, { $set: { due_at: new Date(0) } })
}
const holdersOf = async (playlist: { id: string }) =>
  (await collectionOf(world, 'assignments').find({ playlist_id: playlist.id }).toArray())
    .map(row => row.person_id as string)
    .sort()
const idsOf = (people: readonly { id: string }[]) => people.map(({ id }) => id).sort()
const expectHolders = (playlist: { id: string }, people: readonly { id: string }[]) =>
  updateTasksUntil(async () => expect(await holdersOf(playlist)).toEqual(idsOf(people)))
const taskOf = async (person: PersonSnapshot, playlist: { id: string }) =>
  (await callAs(world, url, person).get('/playlists/assigned')).json.find(
    ({ id }: { id: string }) => id === playlist.id,
  )
const listed = async (caller: Caller, playlist: { id: string }, group: Group) =>
  (await caller.get(`/playlists/${playlist.id}/groups`)).json.find(
    ({ group_id }: { group_id: string }) => group_id === group.id,
  )
const peopleIn = (type: 'playlist.assigned' | 'playlist.unassigned', playlist: { id: string }) =>
  world
    .of(type)
    .filter(({ playlist_id }) => playlist_id === playlist.id)
    .flatMap(data => ('assigned' in data ? data.assigned : data.unassigned))
    .sort()

const endsOf = ({ id }: { id: string }) => world.of('playlist.unassigned').filter(data => data.playlist_id === id)

describe('a group that has a playlist', () => {
  test('gives it to present and future members with its terms, and takes it from those who leave', async () => {
    const people = trainees(3)
    const [stays, leaves, joins] = people as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
    const group = await announceGroup([stays, leaves])
    const playlist = await createPlaylist(director)
    const due = { local: '2026-07-01T17:00', time_zone: 'Europe/Berlin' }
    const answers = await Promise.all([assign(director, playlist, group, due), assign(director, playlist, group, due)])
    for (const { status, json } of answers) {
      expect(status).toBe(200)
      expect(json.group).toMatchObject({ name: expect.any(String), size: 2, assignment: { status: 'assigned' } })
    }
    await expectHolders(playlist, [stays, leaves])
    const stored = { at: '2026-07-01T15:00:00.000Z', ...due }
    expect(await taskOf(stays, playlist)).toMatchObject({ due: stored, assigned_by: { id: directorId } })
    // The job notes the end of its work after the last task.
    await eventually(async () =>
      expect(await listed(director, playlist, group)).toMatchObject({
        assignment: { terms: { due: stored }, assigned_by: { id: directorId }, progress: null },
      }),
    )
    expect((await director.get(`/playlists/${playlist.id}/assign`)).json).toContainEqual(
      expect.objectContaining({
        user_id: stays.id,
        by_hand: false,
        groups: [{ id: group.id, name: expect.any(String) }],
      }),
    )

    await group.change([joins], [leaves])
    await expectHolders(playlist, [stays, joins])
    expect(await taskOf(joins, playlist)).toMatchObject({ due: stored })
    await eventually(() => expect(peopleIn('playlist.assigned', playlist)).toEqual(idsOf(people)))
    await eventually(() => expect(peopleIn('playlist.unassigned', playlist)).toEqual([leaves.id]))
    expect(world.of('playlist.unassigned').at(-1)).toMatchObject({ by: null, cause: 'left_group' })

    expect((await withdraw(director, playlist, group)).status).toBe(200)
    await expectHolders(playlist, [])
    await eventually(() => expect(endsOf(playlist)).toHaveLength(2))
    expect(endsOf(playlist)[1]).toMatchObject({ by: directorId, cause: 'withdrawn_from_group' })
  })

  test('gives it under its conditions, and a change of them reaches open tasks that came by it', async () => {
    const [member, other] = trainees(2) as [PersonSnapshot, PersonSnapshot]
    const group = await announceGroup([member, other])
    const playlist = await createPlaylist(director)
    const put = (terms: unknown) => director.put(pathOf(playlist, group), { terms })
    expect((await put({ conditions: { grace_days: 2 } })).json.errors).toEqual([
      expect.objectContaining({ path: 'terms.conditions.grace_days' }),
    ])
    await put({ due: { local: '2026-07-01T17:00' }, conditions: { grace_days: 2 } })
    await expectHolders(playlist, [member, other])
    const graced = {
      grace_days: 2,
      required_percent: 90,
      max_rate: null,
      attention_checks: false,
      allow_skipping: true,
    }
    expect(await taskOf(member, playlist)).toMatchObject({ conditions: graced })
    await director.put(`/playlists/${playlist.id}/assign/due`, {
      ...{ assigned_users: [other.id], conditions: { required_percent: 60 } },
    })
    expect((await put({ conditions: { required_percent: 95 } })).json.group.assignment.terms).toMatchObject({
      ...{ due: { local: '2026-07-01T17:00' }, conditions: { ...graced, required_percent: 95 } },
    })
    await updateTasksUntil(async () =>
      expect(await taskOf(member, playlist)).toMatchObject({ conditions: { ...graced, required_percent: 95 } }),
    )
    expect(await taskOf(other, playlist)).toMatchObject({ conditions: { ...graced, required_percent: 60 } })
    await put({ conditions: { allow_skipping: false } })
    const forbidden = { ...graced, required_percent: 95, allow_skipping: false }
    await updateTasksUntil(async () => expect(await taskOf(member, playlist)).toMatchObject({ conditions: forbidden }))
  })

  test('takes it from nobody who also has it by hand or by another group, and hand wins over groups', async () => {
    const { supervisor, boss, team } = await createTeamWithPlaylist(world, url, 3)
    const [byHand, byGroups, byOne] = team as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
    const playlist = await createPlaylist(boss)
    await assignPlaylist(boss, playlist.id, byHand)
    const first = await announceGroup(team, [supervisor])
    const second = await announceGroup([byGroups], [supervisor])
    for (const group of [first, second]) await assign(boss, playlist, group, { local: '2026-09-01T08:00' })
    await expectHolders(playlist, team)
    expect(await taskOf(byHand, playlist)).toMatchObject({ due: null })

    const unassign = (person: PersonSnapshot) =>
      boss.delete(`/playlists/${playlist.id}/assign`, { assigned_users: [person.id] })
    expect((await unassign(byOne)).json).toMatchObject({ unassigned: 0, kept_by_group: 1 })
    // Without the assignment by hand, the task has the terms of the group.
    expect((await unassign(byHand)).json).toMatchObject({ unassigned: 0, kept_by_group: 1 })
    await updateTasksUntil(async () =>
      expect((await taskOf(byHand, playlist)).due).toMatchObject({ local: '2026-09-01T08:00' }),
    )
    await assignPlaylist(boss, playlist.id, byHand)

    await withdraw(boss, playlist, first)
    await expectHolders(playlist, [byHand, byGroups])
    await second.change([], [byGroups])
    await expectHolders(playlist, [byHand])
    expect((await unassign(byHand)).json).toMatchObject({ unassigned: 1, kept_by_group: 0 })
    await expectHolders(playlist, [])
  })

  test('leaves its due date to a task by hand when it ends, and another group does not remove it', async () => {
    const [person] = trainees(1) as [PersonSnapshot]
    const [first, second, third] = [
      await announceGroup([person]),
      await announceGroup([person]),
      await announceGroup([person]),
    ]
    const playlist = await createPlaylist(director)
    const due = { local: '2026-07-01T17:00', time_zone: 'Europe/Berlin' }
    await assign(director, playlist, first, due)
    await expectHolders(playlist, [person])
    await director.put(`/playlists/${playlist.id}/assign`, { assigned_users: [person.id] })
    const groupIds = async () =>
      (await collectionOf(world, 'assignments').findOne({ playlist_id: playlist.id }))!.group_ids
    for (const group of [second, third]) {
      await withdraw(director, playlist, group === second ? first : second)
      await updateTasksUntil(async () => expect(await groupIds()).toEqual([]))
      expect(await taskOf(person, playlist)).toMatchObject({ due })
      const key = { playlist_id: playlist.id }
      // An earlier version stored the task like this.
      if (group === third) await collectionOf(world, 'assignments').updateOne(key, { $set: { own_terms: false } })
      await assign(director, playlist, group)
      await updateTasksUntil(async () => expect(await groupIds()).toEqual([group.id]))
      expect(await taskOf(person, playlist)).toMatchObject({ due })
    }
  })

  test('changes the due date of open tasks that came by it, and none that a person changed', async () => {
    const [open, completed, own] = trainees(3) as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
    const group = await announceGroup([open, completed, own])
    const playlist = await createPlaylist(director)
    await assign(director, playlist, group, { local: '2026-03-01T08:00' })
    await expectHolders(playlist, [open, completed, own])
    await completeTask(world, completed.id, playlist.id, clock.now())
    await eventually(async () => expect((await taskOf(completed, playlist)).assignment_status).toBe('completed'))
    const due = { local: '2026-02-01T08:00' }
    await director.put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [own.id], due })

    const preview = (await director.post(`${pathOf(playlist, group)}/preview`, { action: 'extend' })).json
    expect(preview).toMatchObject({ affected: 1, people: [{ id: open.id }], next: null })
    expect(preview.skipped).toEqual(
      expect.arrayContaining([
        { reason: 'completed', count: 1 },
        { reason: 'own_terms', count: 1 },
      ]),
    )
    expect((await assign(director, playlist, group, { local: '2026-04-01T08:00' })).status).toBe(200)
    await updateTasksUntil(async () => expect((await taskOf(open, playlist)).due.local).toBe('2026-04-01T08:00'))
    expect((await taskOf(completed, playlist)).due.local).toBe('2026-03-01T08:00')
    expect((await taskOf(own, playlist)).due.local).toBe('2026-02-01T08:00')
    await eventually(() =>
      expect(world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)).toMatchObject(
        [{ changed: [own.id] }, { changed: [open.id], due: { local: '2026-04-01T08:00' }, by: directorId }],
      ),
    )
    passDays(100)
    // The same call again is not a due date in the past, and another one is.
    expect((await assign(director, playlist, group, { local: '2026-04-01T08:00' })).status).toBe(200)
    const refused = await assign(director, playlist, group, { local: '2026-04-02T08:00' })
    expect([refused.status, refused.json.errors[0].path]).toEqual([422, 'terms.due.local'])
    const tooFast = await director.put(pathOf(playlist, group), { terms: { conditions: { max_rate: 4 } } })
    expect([tooFast.status, tooFast.json.errors[0].path]).toEqual([422, 'terms.conditions.max_rate'])
    // Absent terms stay, and null removes the due date.
    expect((await assign(director, playlist, group)).json.group.assignment.terms.due.local).toBe('2026-04-01T08:00')
    expect((await assign(director, playlist, group, null)).json.group.assignment.terms).toEqual({ due: null })
  })

  test('gives the reason of its changed terms to the changes of its members, and keeps no copy', async () => {
    const [open, own] = trainees(2) as [PersonSnapshot, PersonSnapshot]
    const group = await announceGroup([open, own])
    const playlist = await createPlaylist(director)
    const change = (caller: Caller, terms: object | undefined, reason: unknown) =>
      caller.put(pathOf(playlist, group), { terms, reason })
    await change(director, { due: { local: '2026-06-01T08:00' } }, undefined)
    await expectHolders(playlist, [open, own])
    await director.put(`/playlists/${playlist.id}/assign/due`, {
      ...{ assigned_users: [own.id], due: { local: '2026-05-01T08:00' } },
    })
    const storedGroup = () => collectionOf(world, 'group_assignments').findOne({ group_id: group.id })
    await updateTasksUntil(async () => expect(await storedGroup()).toMatchObject({ update: null }))
    const before = await storedGroup()
    const refused = await change(director, { due: { local: '2026-07-01T08:00' } }, 'Ill\u0007')
    expect([refused.status, refused.json.errors[0].path]).toEqual([422, 'reason'])
    const stranger = callAs(world, url, world.addPerson('supervisor'))
    expect((await change(stranger, { due: { local: '2026-07-01T08:00' } }, 'Mine')).status).toBe(404)
    // A reason alone changes nothing.
    expect((await change(director, undefined, 'Not needed')).status).toBe(200)
    expect(await storedGroup()).toEqual(before)

    const answers = await Promise.all(
      [1, 2].map(() => change(director, { due: { local: '2026-07-01T08:00' } }, ' Audit moved ')),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await updateTasksUntil(async () => expect(await storedGroup()).toMatchObject({ update: null }))
    expect((await taskOf(open, playlist)).due.local).toBe('2026-07-01T08:00')
    expect(await storedGroup()).not.toHaveProperty('change_reason')
    const reasonsOf = async (person: PersonSnapshot) =>
      (await collectionOf(world, 'assignment_changes').find({ person_id: person.id }).toArray()).map(
        ({ reason, by }) => [reason, by],
      )
    expect(await reasonsOf(open)).toEqual([['Audit moved', directorId]])
    expect(await reasonsOf(own)).toEqual([[undefined, directorId]])
    await eventually(() =>
      expect(
        world
          .of('assignment.due_changed')
          .filter(({ playlist_id }) => playlist_id === playlist.id)
          .map(({ changed, reason }) => [changed, reason]),
      ).toEqual([
        [[own.id], undefined],
        [[open.id], 'Audit moved'],
      ]),
    )
    // An erasure of its author ends the reason of a change that is still under way.
    const releaseUpdates = await claimUpdates(group)
    const author = world.addPerson('director')
    await change(callAs(world, url, author), { due: { local: '2026-09-01T08:00' } }, 'Sooner')
    expect(await storedGroup()).toMatchObject({ change_reason: 'Sooner' })
    await world.publish('user.erased', makeErasure(author))
    await eventually(async () => expect(await storedGroup()).not.toHaveProperty('change_reason'))
    // So does a withdrawal.
    await change(director, { due: { local: '2026-08-01T08:00' } }, 'Later')
    expect(await storedGroup()).toMatchObject({ change_reason: 'Later' })
    await withdraw(director, playlist, group)
    expect(await storedGroup()).not.toHaveProperty('change_reason')
    await releaseUpdates()
  })

  describe('names as the author of changed terms', () => {
    const authorsOf = async (person: PersonSnapshot, playlist: { id: string }) => {
      const published = world
        .of('assignment.due_changed')
        .filter(({ playlist_id, changed }) => playlist_id === playlist.id && changed.includes(person.id))
        .map(({ by, reason }) => [by, reason])
      const changes = collectionOf(world, 'assignment_changes').find({ person_id: person.id }).sort({ at: 1 })
      const stored = (await changes.toArray()).map(({ by, reason }) => [by, reason])
      return { published, stored }
    }
    const expectAuthors = (person: PersonSnapshot, playlist: { id: string }, authors: unknown[]) =>
      eventually(async () => {
        expect(await authorsOf(person, playlist)).toEqual({ published: authors, stored: authors })
      })
    const localIn = (days: number) => `${new Date(clock.now() + days * 24 * hour).toISOString().slice(0, 10)}T08:00`

    test('the person who unassigned the task by hand, in the same transaction', async () => {
      const { supervisor, boss, trainee } = await createTeamWithPlaylist(world, url)
      const playlist = await createPlaylist(boss)
      await assignPlaylist(boss, playlist.id, trainee)
      const group = await announceGroup([trainee])
      const local = localIn(90)
      await assign(director, playlist, group, { local })
      await untilUpdated(group)
      expect(await taskOf(trainee, playlist)).toMatchObject({ due: null })
      const unassign = { assigned_users: [trainee.id] }
      const answer = await boss.delete(`/playlists/${playlist.id}/assign`, unassign)
      expect(answer.json).toMatchObject({ unassigned: 0, kept_by_group: 1 })
      expect(await taskOf(trainee, playlist)).toMatchObject({ due: { local } })
      await boss.delete(`/playlists/${playlist.id}/assign`, unassign)
      await updateTasks()
      await expectAuthors(trainee, playlist, [[supervisor.id, undefined]])
    })

    test('nobody if the next group gives the terms after the person left the first one', async () => {
      const [member] = trainees(1) as [PersonSnapshot]
      const groups = [await announceGroup([member]), await announceGroup([member])] as [Group, Group]
      const playlist = await createPlaylist(director)
      const local = localIn(60)
      for (const [index, group] of groups.entries()) {
        await assign(director, playlist, group, { local: localIn(30 * (index + 1)) })
        await untilUpdated(group)
      }
      await groups[0].change([], [member])
      await updateTasksUntil(async () => expect(await taskOf(member, playlist)).toMatchObject({ due: { local } }))
      await expectAuthors(member, playlist, [[null, undefined]])
    })

    test('the person who withdrew the first group, and nobody if it was deleted without an author', async () => {
      const people = trainees(2) as [PersonSnapshot, PersonSnapshot]
      for (const [index, member] of people.entries()) {
        const groups = [await announceGroup([member]), await announceGroup([member])] as [Group, Group]
        const playlist = await createPlaylist(director)
        const local = localIn(60)
        await assign(director, playlist, groups[0], { local: localIn(30) })
        await untilUpdated(groups[0])
        await assign(director, playlist, groups[1], { local })
        await untilUpdated(groups[1])
        const other = world.addPerson('director')
        if (index === 0) await withdraw(callAs(world, url, other), playlist, groups[0])
        else await groups[0].remove()
        await updateTasksUntil(async () => expect(await taskOf(member, playlist)).toMatchObject({ due: { local } }))
        await expectAuthors(member, playlist, [[index === 0 ? other.id : null, undefined]])
      }
    })

    test('the person who changed the group, with the reason, also if another group is compared first', async () => {
      const [member] = trainees(1) as [PersonSnapshot]
      const terms = await announceGroup([member])
      const other = await announceGroup([member])
      const playlist = await createPlaylist(director)
      await assign(director, playlist, terms, { local: localIn(30) })
      await untilUpdated(terms)
      await assign(callAs(world, url, world.addPerson('director')), playlist, other)
      await untilUpdated(other)
      const releaseUpdates = await claimUpdates(terms)
      const local = localIn(60)
      const change = { terms: { due: { local } }, reason: 'Audit moved' }
      expect((await director.put(pathOf(playlist, terms), change)).status).toBe(200)
      await other.change([], [member])
      await updateTasksUntil(async () => expect(await taskOf(member, playlist)).toMatchObject({ due: { local } }))
      await releaseUpdates()
      await untilUpdated(terms)
      await expectAuthors(member, playlist, [[directorId, 'Audit moved']])
    })
  })

  test('gives its note to present and future members, and drops it with the assignment or its author', async () => {
    const [stays, joins, late] = trainees(3) as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
    const author = world.addPerson('director')
    const asAuthor = callAs(world, url, author)
    const group = await announceGroup([stays])
    const playlist = await createPlaylist(director)
    const put = (caller: Caller, note: unknown, terms = {}) => caller.put(pathOf(playlist, group), { terms, note })
    const refused = await put(asAuthor, 'x'.repeat(1_001))
    expect([refused.status, refused.json.errors[0].path]).toEqual([422, 'note'])
    expect((await put(callAs(world, url, world.addPerson('supervisor')), 'Mine')).status).toBe(404)
    const answers = await Promise.all([put(asAuthor, ' Before the audit, please. '), put(asAuthor, undefined)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await withdraw(director, playlist, group)
    await expectHolders(playlist, [])
    const storedGroup = () => collectionOf(world, 'group_assignments').findOne({ group_id: group.id })
    await updateTasksUntil(async () => expect(await storedGroup()).toBeNull())

    const note = 'Before the inspection, please.'
    await put(asAuthor, ` ${note} `)
    await put(director, 'Other words')
    await put(director, 'Other words', { conditions: { required_percent: 95 } })
    await expectHolders(playlist, [stays])
    expect(await taskOf(stays, playlist)).toMatchObject({ note, assigned_by: { id: author.id } })
    await group.change([joins], [])
    await expectHolders(playlist, [stays, joins])
    expect(await taskOf(joins, playlist)).toMatchObject({ note })
    const noteOf = (person: PersonSnapshot) =>
      world.of('playlist.assigned').findLast(({ assigned }) => assigned.includes(person.id))?.note
    await eventually(() => expect([noteOf(stays), noteOf(joins)]).toEqual([note, note]))

    await world.publish('user.erased', makeErasure(author))
    await eventually(async () => expect(await storedGroup()).not.toHaveProperty('note'))
    await group.change([late], [])
    await expectHolders(playlist, [stays, joins, late])
    await eventually(async () =>
      expect(await Promise.all([stays, joins, late].map(person => taskOf(person, playlist)))).toEqual(
        [1, 2, 3].map(() => expect.not.objectContaining({ note: expect.anything() })),
      ),
    )
  })

  test('ends in its last state, however often it changes during the update', async () => {
    const people = trainees(5)
    const group = await announceGroup(people)
    const playlist = await createPlaylist(director)
    const steps = [
      assign(director, playlist, group),
      withdraw(director, playlist, group),
      assign(director, playlist, group, { local: '2026-12-01T08:00' }),
    ]
    await Promise.all([...steps, updateTasks(), updateTasks()])
    await withdraw(director, playlist, group)
    await Promise.all([updateTasks(), withdraw(director, playlist, group)])
    await expectHolders(playlist, [])
    await updateTasksUntil(async () => expect((await listed(director, playlist, group)).assignment).toBeNull())
    await assign(director, playlist, group, { local: '2026-12-24T08:00' })
    await expectHolders(playlist, people)
    expect((await taskOf(people[0]!, playlist)).due.local).toBe('2026-12-24T08:00')
  })

  test('gives it to a member whose arrival the transaction does not see yet', async () => {
    const [member] = trainees(1) as [PersonSnapshot]
    const group = await announceGroup([member])
    const playlist = await createPlaylist(director)
    const letUpdate = await claimUpdates(group)
    expect((await assign(director, playlist, group)).status).toBe(200)
    const held = await holdDocument(world.database(service), 'playlists', playlist.id)
    await letUpdate()
    const updated = updateTasks()
    // The update has loaded the member and waits for the playlist. Its snapshot has no member.
    const people = collectionOf(world, 'people')
    await eventually(async () => expect(await people.findOne({ _id: member.id })).not.toBeNull())
    await people.deleteOne({ _id: member.id })
    await held.release()
    await updated
    await expectHolders(playlist, [member])
  })

  test('gives nothing to deactivated members until they return, and nothing to erased and deleted people', async () => {
    const [active, inactive, deleted, erased] = trainees(4) as [
      PersonSnapshot,
      PersonSnapshot,
      PersonSnapshot,
      PersonSnapshot,
    ]
    world.changePerson(inactive, { deactivated_at: new Date(clock.now()).toISOString() })
    const group = await announceGroup([active, inactive, deleted, erased])
    const facts = { by: null, previous_supervisor_id: null, previous_manager_id: null }
    await world.publish('user.deleted', { person_id: deleted.id, ...facts })
    const gone = world.changePerson(erased, { erased_at: new Date(clock.now()).toISOString(), name: '', email: '' })
    await world.publish('user.erased', { person: gone, by: null, erasure_id: 'erasure-1' })
    const membersOf = async () =>
      (await collectionOf(world, 'group_members').find({ group_id: group.id }).toArray()).map(row => row.person_id)
    await eventually(async () => expect((await membersOf()).sort()).toEqual(idsOf([active, inactive])))
    // A late event brings nobody back.
    await group.change([deleted, erased])
    const playlist = await createPlaylist(director)
    await assign(director, playlist, group)
    await expectHolders(playlist, [active])
    expect((await membersOf()).sort()).toEqual(idsOf([active, inactive]))
    expect((await listed(director, playlist, group)).size).toBe(2)

    const returned = world.changePerson(inactive, { deactivated_at: undefined })
    await world.publish('user.reactivated', { person: returned, by: null })
    await expectHolders(playlist, [active, inactive])
  })

  test('loses it with the group, for ever, and with the playlist', async () => {
    const people = trainees(2)
    const group = await announceGroup(people)
    const [playlist, deleted] = [await createPlaylist(director), await createPlaylist(director)]
    await assign(director, playlist, group)
    await assign(director, deleted, group)
    await expectHolders(playlist, people)
    await director.delete(`/playlists/${deleted.id}`)
    await expectHolders(deleted, [])
    await group.remove()
    await expectHolders(playlist, [])
    await eventually(() => expect(endsOf(playlist)).toMatchObject([{ cause: 'group_deleted' }]))
    const revision = group.revision()
    await group.change(people)
    await world.publish('group.changed', {
      ...{ group_id: group.id, name: 'Back again', assigners: [], revision: revision + 9, by: null },
    })
    await updateTasksUntil(async () =>
      expect(await collectionOf(world, 'group_members').countDocuments({ group_id: group.id })).toBe(0),
    )
    expect((await assign(director, playlist, group)).status).toBe(404)
    await untilUpdated(group)
  })
})

test('events about groups may arrive twice, late and in any order', async () => {
  const [first, second, third] = trainees(3) as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
  const history = [
    { added: [first.id, second.id], removed: [] },
    { added: [third.id], removed: [first.id] },
    { added: [first.id], removed: [second.id] },
  ]
  const changes = history.map((change, index) => ({ ...change, revision: index + 2, by: null }))
  const orders = [
    [0, 1, 2],
    [2, 1, 0],
    [1, 2, 0, 2, 1],
  ]
  for (const [index, order] of orders.entries()) {
    const group_id = `ordered-${index}`
    const renaming = (name: string, revision: number) =>
      world.publish('group.changed', { group_id, name, assigners: [], revision, by: null })
    await renaming('New name', 5)
    for (const position of order) await world.publish('group.members_changed', { group_id, ...changes[position]! })
    await renaming('Old name', 1)
    const members = async () =>
      (await collectionOf(world, 'group_members').find({ group_id, is_member: true }).toArray())
        .map(row => row.person_id)
        .sort()
    await eventually(async () => {
      expect(await members()).toEqual(idsOf([first, third]))
      expect(await collectionOf(world, 'groups').findOne({ _id: group_id })).toMatchObject({
        ...{ name: 'New name', size: 2, revision: 5, event_count: order.length + 2 },
      })
    })
  }
})

test('an update that is requested during another one stays', async () => {
  const database = createDatabase()
  await openDatabase(database, world.config.mongoUrl, `${world.config.databasePrefix}-${service}`)
  try {
    const store = createGroupStore(database)
    const [groupId, personId] = ['updated', 'member']
    const request = () => inTransaction(database, session => store.requestUpdates(personId, session))
    await inTransaction(database, session =>
      store.applyMembers({ group_id: groupId, added: [personId], removed: [], revision: 1 }, session),
    )
    const joined = await store.findToUpdate(groupId, 10)
    expect(await request()).toEqual([groupId])
    await store.clearUpdates(joined)
    const requested = await store.findToUpdate(groupId, 10)
    expect(requested).toMatchObject([{ personId }])
    await request()
    await store.clearUpdates(requested)
    await store.clearUpdates(await store.findToUpdate(groupId, 10))
    expect(await store.findToUpdate(groupId, 10)).toEqual([])
  } finally {
    await database.close()
  }
})

test('a group whose update fails holds up no other group', async () => {
  const people = trainees(1)
  const [failing, group] = [await announceGroup(people), await announceGroup(people)]
  const [broken, playlist] = [await createPlaylist(director), await createPlaylist(director)]
  const assignments = collectionOf(world, 'group_assignments')
  const key = `${broken.id}:${failing.id}`
  await assignments.insertOne({
    ...{ _id: key, playlist_id: broken.id, group_id: failing.id, status: 'assigned', terms: null },
    ...{ assigned_by: directorId, assigned_at: new Date(), changed_by: directorId, reminding: null },
    update: { after: '', done: 0, total: 1 },
  })
  await assign(director, playlist, group)
  const firstInQueue = { $set: { due_at: new Date(0) }, $inc: { request_count: 1 } }
  await requests().updateOne({ _id: failing.id }, firstInQueue, { upsert: true })
  await updateTasks()
  await expectHolders(playlist, people)
  expect(await holdersOf(broken)).toEqual([])
  await assignments.updateOne({ _id: key }, { $set: { terms: { due: null } } })
  clock.advance(10_000)
  await expectHolders(broken, people)
})

test('staff in a group have no task by it: a trainee loses it with another role, and gets it as a trainee again', async () => {
  const [trainee, staff] = [trainees(1)[0]!, world.addPerson('supervisor')]
  const group = await announceGroup([trainee, staff])
  const playlist = await createPlaylist(director)
  await introduce([trainee, staff])
  // A row that an earlier version gave to staff is read, and goes with the next update.
  await assign(director, playlist, group)
  await expectHolders(playlist, [trainee])
  await untilUpdated(group)
  const rows = collectionOf(world, 'assignments')
  const row = (await rows.findOne({ playlist_id: playlist.id }))!
  await rows.insertOne({ ...row, _id: `${staff.id}:${playlist.id}`, person_id: staff.id } as never)
  expect((await callAs(world, url, staff).get('/playlists/assigned')).json).toMatchObject([{ id: playlist.id }])
  const changeRole = async (person: PersonSnapshot, role: PersonSnapshot['role']) => {
    const previous_role = role === 'user' ? 'supervisor' : 'user'
    const changed = world.changePerson(person, { role })
    for (const id of ['once', 'once'])
      await world.publish(
        'user.role_changed',
        { person: changed, by: null, previous_role },
        { id: `${person.id}:${role}:${id}` },
      )
  }
  await changeRole(trainee, 'supervisor')
  await expectHolders(playlist, [staff])
  await eventually(() =>
    expect(endsOf(playlist)).toMatchObject([{ unassigned: [trainee.id], by: null, cause: 'role_changed' }]),
  )
  await changeRole(trainee, 'user')
  await expectHolders(playlist, [trainee, staff])
  await changeRole(staff, 'user')
  await changeRole(staff, 'supervisor')
  await expectHolders(playlist, [trainee])
})

describe('bulk actions', () => {
  test('name whom they affect before they do anything, by name, page by page', async () => {
    const people = ['Cleo', 'Anna', 'Bert'].map(name => world.addPerson('user', { name }))
    const inactive = world.addPerson('user', { deactivated_at: new Date(clock.now()).toISOString() })
    const staff = world.addPerson('supervisor')
    const group = await announceGroup([...people, inactive, staff])
    const playlist = await createPlaylist(director)
    await assignPlaylist(director, playlist.id, people[0]!)
    await introduce([...people, staff])
    const preview = async (action: string) =>
      (await director.post(`${pathOf(playlist, group)}/preview`, { action })).json
    const before = await preview('assign')
    expect(before).toMatchObject({ affected: 2, people: [{ name: 'Anna' }, { name: 'Bert' }], next: null })
    expect(before.skipped).toEqual(
      expect.arrayContaining([
        { reason: 'inactive', count: 1 },
        { reason: 'not_trainee', count: 1 },
        { reason: 'already_assigned', count: 1 },
      ]),
    )
    expect(await holdersOf(playlist)).toEqual([people[0]!.id])
    await assign(director, playlist, group)
    await expectHolders(playlist, people)
    expect(await preview('withdraw')).toMatchObject({ affected: 2 })
    expect((await director.post(`${pathOf(playlist, group)}/preview`, { action: 'dance' })).status).toBe(422)
  })

  test('remind each member with an open task once a day', async () => {
    const people = trainees(3)
    const group = await announceGroup(people)
    const playlist = await createPlaylist(director)
    const remind = () => director.post(`${pathOf(playlist, group)}/remind`)
    expect((await remind()).status).toBe(404)
    await assign(director, playlist, group)
    await expectHolders(playlist, people)
    await director.post('/playlists/today/remind', { user_ids: [people[0]!.id] })
    await completeTask(world, people[1]!.id, playlist.id, clock.now())
    await eventually(async () => expect((await taskOf(people[1]!, playlist)).assignment_status).toBe('completed'))
    const preview = (await director.post(`${pathOf(playlist, group)}/preview`, { action: 'remind' })).json
    expect(preview).toMatchObject({ affected: 1, people: [{ id: people[2]!.id }] })
    const reminded = () =>
      world
        .of('task.reminded')
        .filter(({ playlist_id }) => playlist_id === playlist.id)
        .flatMap(data => data.reminded)
    const answers = await Promise.all([remind(), remind()])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    await updateTasksUntil(async () => expect(reminded()).toEqual([people[0]!.id, people[2]!.id]))
    await remind()
    await updateTasksUntil(async () => expect((await listed(director, playlist, group)).assignment.progress).toBeNull())
    expect(reminded()).toHaveLength(2)
    passDays(1)
    await remind()
    await updateTasksUntil(async () => expect(reminded()).toHaveLength(4))
  })

  test('remind of each task of the day, and of none without a playable video', async () => {
    const people = trainees(2)
    const group = await announceGroup(people)
    const playlists = await Promise.all([1, 2].map(() => createPlaylist(director, { videos: videos(1) })))
    for (const playlist of playlists) await assign(director, playlist, group)
    for (const playlist of playlists) await expectHolders(playlist, people)
    const [first, second] = playlists as [{ id: string }, { id: string }]
    const reminded = (playlist: { id: string }) =>
      world
        .of('task.reminded')
        .filter(({ playlist_id }) => playlist_id === playlist.id)
        .flatMap(data => data.reminded)
        .sort()
    const preview = async (playlist: { id: string }) =>
      (await director.post(`${pathOf(playlist, group)}/preview`, { action: 'remind' })).json
    await director.post(`${pathOf(first, group)}/remind`)
    await updateTasksUntil(async () => expect(reminded(first)).toEqual(idsOf(people)))
    expect(await preview(first)).toMatchObject({ affected: 0, skipped: [{ reason: 'already_reminded', count: 2 }] })
    expect(await preview(second)).toMatchObject({ affected: 2, skipped: [] })
    const videoPath = `/playlists/${second.id}/videos/v0/unavailable`
    await director.post(videoPath, { code: 0, decided: true })
    await eventually(async () =>
      expect(await preview(second)).toMatchObject({ affected: 0, skipped: [{ reason: 'uncompletable', count: 2 }] }),
    )
    const untilReminded = async (playlist: { id: string }) => {
      await director.post(`${pathOf(playlist, group)}/remind`)
      await updateTasksUntil(async () =>
        expect((await listed(director, playlist, group)).assignment.progress).toBeNull(),
      )
    }
    await untilReminded(second)
    await director.delete(videoPath)
    await eventually(async () => expect(await preview(second)).toMatchObject({ affected: 2 }))
    expect(reminded(second)).toEqual([])
    await untilReminded(second)
    await eventually(() => expect(reminded(second)).toEqual(idsOf(people)))
  })

  test('are for directors, administrators, and the supervisors whom the group names', async () => {
    const { supervisor, boss } = await createTeamWithPlaylist(world, url)
    const stranger = await createTeamWithPlaylist(world, url)
    const member = world.addPerson('user')
    const group = await announceGroup([member], [supervisor])
    const playlist = await createPlaylist(boss)
    const foreign = await createPlaylist(director)
    const groupsFor = async (caller: Caller, { id }: { id: string }) =>
      (await caller.get(`/playlists/${id}/groups`)).json.map(({ group_id }: { group_id: string }) => group_id)
    expect(await groupsFor(boss, playlist)).toEqual([group.id])
    expect(await groupsFor(stranger.boss, stranger.playlist)).toEqual([])
    expect(await groupsFor(director, playlist)).toContain(group.id)
    const statusesOf = async (caller: Caller, target: { id: string }) => [
      (await assign(caller, target, group)).status,
      (await caller.post(`${pathOf(target, group)}/preview`, { action: 'assign' })).status,
      (await withdraw(caller, target, group)).status,
    ]
    expect(await statusesOf(boss, foreign)).toEqual([404, 404, 404])
    expect(await statusesOf(stranger.boss, stranger.playlist)).toEqual([404, 404, 404])
    expect(await statusesOf(callAs(world, url, member), playlist)).toEqual([403, 403, 403])
    expect(await statusesOf(callAs(world, url, world.addPerson('manager')), playlist)).toEqual([403, 403, 403])
    expect(await statusesOf(boss, playlist)).toEqual([200, 200, 200])
    expect((await assign(director, playlist, { id: 'no-such-group' })).status).toBe(404)
    await expectHolders(playlist, [])
  })

  test('do not let a supervisor change what others assigned with a playlist that is not theirs', async () => {
    const manager = world.addPerson('manager')
    const supervisor = world.addPerson('supervisor', { manager_id: manager.id })
    const as = (person: PersonSnapshot) => callAs(world, url, person)
    const [member, other] = trainees(2)
    const [group, later] = [await announceGroup([member!], [supervisor]), await announceGroup([other!], [supervisor])]
    const playlist = await createPlaylist(as(manager))
    const due = { local: new Date(clock.now() + 48 * hour).toISOString().slice(0, 16), time_zone: 'UTC' }
    const act = async (target: { id: string }) => [
      (await assign(as(supervisor), playlist, target, due)).status,
      (await as(supervisor).post(`${pathOf(playlist, target)}/preview`, { action: 'withdraw' })).status,
      (await as(supervisor).post(`${pathOf(playlist, target)}/remind`)).status,
      (await withdraw(as(supervisor), playlist, target)).status,
    ]
    expect((await assign(director, playlist, group)).status).toBe(200)
    await expectHolders(playlist, [member!])
    expect(await act(group)).toEqual([404, 404, 404, 404])
    expect((await as(supervisor).get(`/playlists/${playlist.id}/groups`)).status).toBe(404)
    await updateTasks()
    const rows = collectionOf(world, 'assignments')
    expect(await rows.findOne({ playlist_id: playlist.id })).toMatchObject({ person_id: member!.id, due_at: null })

    // An assignment of their own stays theirs after unsharing, until it is withdrawn.
    const share = { supervisor_ids: [supervisor.id] }
    await as(manager).put(`/playlists/${playlist.id}/share`, share)
    expect((await assign(as(supervisor), playlist, later)).status).toBe(200)
    await as(manager).delete(`/playlists/${playlist.id}/share`, share)
    expect(await act(group)).toEqual([404, 404, 404, 404])
    const listed = await as(supervisor).get(`/playlists/${playlist.id}/groups`)
    expect(listed.json).toMatchObject([{ group_id: later.id }])
    const releaseUpdates = await claimUpdates(later)
    expect(await act(later)).toEqual([200, 200, 200, 200])
    expect((await withdraw(as(supervisor), playlist, later)).status).toBe(200)
    expect((await assign(as(supervisor), playlist, later)).status).toBe(404)
    await releaseUpdates()
    await expectHolders(playlist, [member!])
  })
})

test('a page of the list and of the preview has a limit, and continues after it', async () => {
  const people = trainees(3)
  const groups = [await announceGroup(people), await announceGroup([])]
  const playlist = await createPlaylist(director)
  const found: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer = await director.get(`/playlists/${playlist.id}/groups?limit=1${cursor && `&cursor=${cursor}`}`)
    found.push(...answer.json.map(({ group_id }: { group_id: string }) => group_id))
    cursor = answer.headers.get('x-next-cursor')
  }
  expect(new Set(found).size).toBe(found.length)
  expect(found).toEqual(expect.arrayContaining(groups.map(({ id }) => id)))
  await introduce(people)
  const after = idsOf(people)[0]!
  const rest = await director.post(`${pathOf(playlist, groups[0]!)}/preview`, { action: 'assign', after })
  expect(rest.json).toMatchObject({ affected: 2, next: null })
})

test('a preview names everybody on the page whom the action affects, by name', async () => {
  const people = trainees(30)
  const group = await announceGroup(people)
  const playlist = await createPlaylist(director)
  await introduce(people)
  const { json } = await director.post(`${pathOf(playlist, group)}/preview`, { action: 'assign' })
  expect(json).toMatchObject({ affected: 30, next: null })
  expect(json.people.map(({ id }: { id: string }) => id).sort()).toEqual(idsOf(people))
})

test('a group gives people who join after its due date as many days as it had, and a later change reaches them', async () => {
  const [early, late, latest] = trainees(3) as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
  const group = await announceGroup([early])
  const playlist = await createPlaylist(director)
  const localIn = (days: number) => `${new Date(clock.now() + days * 24 * hour).toISOString().slice(0, 10)}T17:00`
  const first = localIn(7)
  expect((await assign(director, playlist, group, { local: first })).status).toBe(200)
  await expectHolders(playlist, [early])
  passDays(20)
  const own = localIn(7)
  await group.change([late])
  await expectHolders(playlist, [early, late])
  expect(await taskOf(late, playlist)).toMatchObject({ due: { local: own } })
  expect(await collectionOf(world, 'assignments').findOne({ person_id: late.id })).toMatchObject({
    next_reminder_at: new Date(Date.parse(`${own}Z`) - 24 * hour),
  })
  const { terms } = (await listed(director, playlist, group)).assignment
  expect(terms).toMatchObject({ due: { local: first }, next_due: { local: own } })

  // Other terms, and the same due date again, move no due date.
  expect((await assign(director, playlist, group, { local: first })).status).toBe(200)
  passDays(2)
  const conditions = { required_percent: 95 }
  expect((await director.put(pathOf(playlist, group), { terms: { conditions } })).status).toBe(200)
  await updateTasksUntil(async () => expect(await taskOf(late, playlist)).toMatchObject({ conditions }))
  expect((await taskOf(late, playlist)).due.local).toBe(own)
  expect((await taskOf(early, playlist)).due.local).toBe(first)

  const moved = localIn(3)
  expect((await assign(director, playlist, group, { local: moved })).status).toBe(200)
  for (const person of [early, late])
    await updateTasksUntil(async () => expect((await taskOf(person, playlist)).due.local).toBe(moved))
  passDays(10)
  await group.change([latest])
  await expectHolders(playlist, [early, late, latest])
  expect((await taskOf(latest, playlist)).due.local).toBe(localIn(3))
})

test('a group gives later members the days since its assignment if an earlier version set the due date', async () => {
  const [member, joins] = trainees(2) as [PersonSnapshot, PersonSnapshot]
  const group = await announceGroup([member])
  const playlist = await createPlaylist(director)
  const localIn = (days: number) => `${new Date(clock.now() + days * 24 * hour).toISOString().slice(0, 10)}T17:00`
  await assign(director, playlist, group, { local: localIn(5) })
  await expectHolders(playlist, [member])
  await collectionOf(world, 'group_assignments').updateOne({ group_id: group.id }, { $unset: { due_set_at: 1 } })
  passDays(30)
  await group.change([joins])
  await expectHolders(playlist, [member, joins])
  expect((await taskOf(joins, playlist)).due.local).toBe(localIn(5))
})
