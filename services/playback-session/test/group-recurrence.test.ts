import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
import { announceGroup, type Group } from './_groups.ts'
import { callAs, collectionOf, completeTask, createPlaybackWorld, createPlaylist, type PlaybackWorld } from './_util.ts'

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

const monthly = { interval: 1, unit: 'month', from: 'due_date', opens_days_before: 7 } as const
const yearlyFromCompletion = { interval: 1, unit: 'year', from: 'completion', opens_days_before: 30 } as const

/** Tokens last minutes and the clock jumps, so each call gets a new one. */
const as = (person: PersonSnapshot) => callAs(world, url, person)
const setClock = (time: string) => clock.advance(Date.parse(time) - clock.now())
const trainees = (count: number) => Array.from({ length: count }, () => world.addPerson('user'))
const pathOf = (playlist: { id: string }, group: { id: string }) => `/playlists/${playlist.id}/groups/${group.id}`
const setTerms = (playlist: { id: string }, group: Group, terms: unknown) =>
  as(director).put(pathOf(playlist, group), { terms })
const openOccurrences = () => Promise.all(replicas.map(service => service.openOccurrencesOnce()))
/** Repeats the job until the check succeeds, because events arrive at any time. */
const updateTasksUntil = (check: () => Promise<unknown>) =>
  eventually(async () => {
    // A failed update is repeated after five seconds of the test's clock.
    clock.advance(1_000)
    await Promise.all(replicas.map(replica => replica.updateGroupTasksOnce()))
    await check()
  })
const taskOf = async (person: PersonSnapshot, playlist: { id: string }) =>
  (await as(person).get('/playlists/assigned')).json.find(({ id }: { id: string }) => id === playlist.id)
const termsOf = async (playlist: { id: string }, group: Group) =>
  (await as(director).get(`/playlists/${playlist.id}/groups`)).json.find(
    ({ group_id }: { group_id: string }) => group_id === group.id,
  ).assignment.terms
const expectTask = (person: PersonSnapshot, playlist: { id: string }, task: unknown) =>
  updateTasksUntil(async () => expect(await taskOf(person, playlist)).toMatchObject(task as object))
const expectNoTask = (person: PersonSnapshot, playlist: { id: string }) =>
  updateTasksUntil(async () => expect(await taskOf(person, playlist)).toBeUndefined())
async function complete(person: PersonSnapshot, playlist: { id: string }) {
  await completeTask(world, person.id, playlist.id, clock.now())
  await eventually(async () => expect((await taskOf(person, playlist)).assignment_status).toBe('completed'))
}
const changesOf = (person: PersonSnapshot, playlist: { id: string }) =>
  collectionOf(world, 'assignment_changes')
    .find({ person_id: person.id, playlist_id: playlist.id })
    .sort({ at: 1 })
    .toArray()
const dueChangesOf = (playlist: { id: string }) =>
  world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)

async function assignRecurring(members: readonly PersonSnapshot[], local: string, recurrence: unknown) {
  const group = await announceGroup(world, members)
  const playlist = await createPlaylist(as(director))
  expect((await setTerms(playlist, group, { due: { local }, recurrence })).status).toBe(200)
  for (const member of members) await expectTask(member, playlist, { due: { local } })
  return { group, playlist }
}

describe('a recurrence of a group', () => {
  test('opens the task of every member again, and each later member begins with the next due date', async () => {
    setClock('2026-01-10T09:00:00Z')
    const [done, late, joins, joinsLast] = trainees(4) as [
      PersonSnapshot,
      PersonSnapshot,
      PersonSnapshot,
      PersonSnapshot,
    ]
    const { group, playlist } = await assignRecurring([done, late], '2026-01-31T17:00', monthly)
    const recurrence = { ...monthly, first_due: '2026-01-31T17:00' }
    expect(await termsOf(playlist, group)).toEqual({ due: expect.anything(), recurrence })
    expect(await taskOf(late, playlist)).toMatchObject({
      ...{ recurrence, next_occurrence: { due: { local: '2026-02-28T17:00' } } },
    })
    await eventually(() =>
      expect(world.of('playlist.assigned').filter(({ playlist_id }) => playlist_id === playlist.id)).toContainEqual(
        expect.objectContaining({ due: expect.anything(), recurrence }),
      ),
    )
    await complete(done, playlist)

    // The first due date has passed, and no occurrence has opened yet.
    setClock('2026-02-02T09:00:00Z')
    await group.change([joins])
    await expectTask(joins, playlist, { due: { local: '2026-02-28T17:00' }, recurrence })
    expect((await taskOf(done, playlist)).due.local).toBe('2026-01-31T17:00')
    setClock('2026-02-21T16:00:00Z')
    await openOccurrences()
    for (const person of [done, late])
      expect(await taskOf(person, playlist)).toMatchObject({
        ...{ assignment_status: 'assigned', due: { local: '2026-02-28T17:00' } },
      })
    // The person who joined has this occurrence already, and missed none.
    expect(await changesOf(joins, playlist)).toEqual([])
    expect((await termsOf(playlist, group)).next_due).toMatchObject({ local: '2026-02-28T17:00' })

    // Comparisons with the group, also of another member, leave occurrences as they are.
    await group.change([joinsLast])
    expect((await setTerms(playlist, group, { conditions: { required_percent: 80 } })).status).toBe(200)
    await expectTask(joinsLast, playlist, { conditions: { required_percent: 80 }, due: { local: '2026-02-28T17:00' } })
    await expectTask(late, playlist, { conditions: { required_percent: 80 }, due: { local: '2026-02-28T17:00' } })
    expect((await changesOf(late, playlist)).map(({ action, by }) => [action, by])).toEqual([
      ['recurred', null],
      [undefined, director.id],
    ])
    setClock('2026-03-24T16:00:00Z')
    await openOccurrences()
    expect(await taskOf(joins, playlist)).toMatchObject({ due: { local: '2026-03-31T17:00' } })
    expect((await changesOf(joins, playlist)).at(-1)).toMatchObject({
      ...{ action: 'recurred', missed: [{ local: '2026-02-28T17:00' }] },
    })
  })

  test('stays that of the group for a member whose present due date moved', async () => {
    setClock('2026-02-01T09:00:00Z')
    const [member] = trainees(1) as [PersonSnapshot]
    const { group, playlist } = await assignRecurring([member], '2026-02-15T17:00', monthly)
    const moved = { assigned_users: [member.id], due: { local: '2026-03-01T17:00' }, only_present_occurrence: true }
    expect((await as(director).put(`/playlists/${playlist.id}/assign/due`, moved)).json).toMatchObject({ changed: 1 })
    expect((await setTerms(playlist, group, { conditions: { required_percent: 80 } })).status).toBe(200)
    await expectTask(member, playlist, {
      ...{ conditions: { required_percent: 80 }, due: { local: '2026-03-01T17:00' } },
      next_occurrence: { due: { local: '2026-03-15T17:00' } },
    })
    expect((await setTerms(playlist, group, { due: { local: '2026-04-20T17:00' } })).status).toBe(200)
    await expectTask(member, playlist, { due: { local: '2026-04-20T17:00' } })
  })

  test('ends for a member who leaves, keeps what is done, and begins again with their return', async () => {
    setClock('2026-04-01T09:00:00Z')
    const [member] = trainees(1) as [PersonSnapshot]
    const { group, playlist } = await assignRecurring([member], '2026-04-15T17:00', monthly)
    await complete(member, playlist)
    await group.change([], [member])
    await expectNoTask(member, playlist)
    setClock('2026-06-10T09:00:00Z')
    await openOccurrences()
    expect(await taskOf(member, playlist)).toBeUndefined()
    expect(world.of('assignment.recurred').filter(({ playlist_id }) => playlist_id === playlist.id)).toEqual([])
    await group.change([member])
    await expectTask(member, playlist, { assignment_status: 'assigned', due: { local: '2026-06-15T17:00' } })
    expect(await changesOf(member, playlist)).toEqual([])
  })

  test('changes and ends for open and completed tasks, once, with a trace', async () => {
    setClock('2026-07-01T09:00:00Z')
    const [open, done, own] = trainees(3) as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
    const { group, playlist } = await assignRecurring([open, done, own], '2026-07-15T17:00', monthly)
    await complete(done, playlist)
    await as(director).put(`/playlists/${playlist.id}/assign/due`, { assigned_users: [own.id], recurrence: null })
    const quarterly = { ...monthly, interval: 3 }
    const answers = await Promise.all([
      setTerms(playlist, group, { recurrence: quarterly }),
      setTerms(playlist, group, { recurrence: quarterly }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const next = { next_occurrence: { due: { local: '2026-10-15T17:00' } }, due: { local: '2026-07-15T17:00' } }
    await expectTask(open, playlist, next)
    await expectTask(done, playlist, { ...next, assignment_status: 'completed' })
    expect(await taskOf(own, playlist)).toMatchObject({ recurrence: null })
    for (const person of [open, done])
      expect(await changesOf(person, playlist)).toMatchObject([
        {
          by: director.id,
          ...{ before: { recurrence: { interval: 1 } }, after: { recurrence: { interval: 3 } } },
        },
      ])
    await eventually(() =>
      expect(dueChangesOf(playlist).slice(1)).toMatchObject([
        { changed: expect.arrayContaining([open.id, done.id]), keeps_due: true, recurrence: quarterly },
      ]),
    )

    // The due date moves for open tasks only; completed ones repeat on the new days.
    expect((await setTerms(playlist, group, { due: { local: '2026-07-20T17:00' } })).status).toBe(200)
    await expectTask(open, playlist, { due: { local: '2026-07-20T17:00' } })
    await expectTask(done, playlist, {
      ...{ due: { local: '2026-07-15T17:00' }, next_occurrence: { due: { local: '2026-10-20T17:00' } } },
    })
    setClock('2026-10-13T15:00:00Z')
    await openOccurrences()
    for (const person of [open, done]) await expectTask(person, playlist, { due: { local: '2026-10-20T17:00' } })

    expect((await setTerms(playlist, group, { recurrence: null })).json.group.assignment.terms).toEqual({
      due: expect.objectContaining({ local: '2026-07-20T17:00' }),
      // Without a series, somebody who joins has the days of the present due date.
      next_due: expect.objectContaining({ local: '2026-11-01T17:00' }),
    })
    for (const person of [open, done])
      await expectTask(person, playlist, { recurrence: null, due: { local: '2026-10-20T17:00' } })
    // A later comparison does not bring back the first due date.
    await setTerms(playlist, group, { conditions: { required_percent: 80 } })
    for (const person of [open, done])
      await expectTask(person, playlist, { conditions: { required_percent: 80 }, due: { local: '2026-10-20T17:00' } })
    setClock('2027-02-01T09:00:00Z')
    await openOccurrences()
    expect((await taskOf(open, playlist)).due.local).toBe('2026-10-20T17:00')
  })

  test('that begins after some members completed the task opens it again for them, too', async () => {
    setClock('2026-11-01T09:00:00Z')
    const [open, done, exempt] = trainees(3) as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
    const group = await announceGroup(world, [open, done, exempt])
    const playlist = await createPlaylist(as(director))
    await setTerms(playlist, group, {})
    for (const member of [open, done, exempt]) await expectTask(member, playlist, { due: null })
    await complete(done, playlist)
    await as(director).put(`/playlists/${playlist.id}/assign/override`, {
      ...{ assigned_users: [exempt.id], action: 'exempt', reason: 'On leave', change_id: randomUUID() },
    })
    // Without a repetition, closed tasks stay as they are.
    await setTerms(playlist, group, { due: { local: '2026-11-20T17:00' } })
    await expectTask(open, playlist, { due: { local: '2026-11-20T17:00' } })
    for (const member of [done, exempt]) await expectTask(member, playlist, { due: null, recurrence: null })

    await setTerms(playlist, group, { due: { local: '2026-11-30T17:00' }, recurrence: monthly })
    const repeating = { due: { local: '2026-11-30T17:00' }, next_occurrence: { due: { local: '2026-12-30T17:00' } } }
    await expectTask(open, playlist, { ...repeating, assignment_status: 'assigned' })
    await expectTask(done, playlist, { ...repeating, assignment_status: 'completed' })
    await expectTask(exempt, playlist, { ...repeating, override: { kind: 'exempt' } })
    // Nobody is notified of a due date towards which nobody works.
    await eventually(() => {
      const changes = dueChangesOf(playlist).slice(1)
      expect(changes.filter(({ keeps_due }) => !keeps_due)).toMatchObject([{ changed: [open.id] }])
      const silentIds = changes.filter(({ keeps_due }) => keeps_due).flatMap(({ changed }) => changed)
      expect(silentIds.sort()).toEqual([done.id, exempt.id].sort())
    })
    await setTerms(playlist, group, { conditions: { required_percent: 80 } })
    await expectTask(open, playlist, { conditions: { required_percent: 80 } })
    for (const member of [done, exempt]) expect(await changesOf(member, playlist)).toHaveLength(member === done ? 1 : 2)
    setClock('2026-12-23T17:00:00Z')
    await openOccurrences()
    for (const member of [open, done, exempt])
      await expectTask(member, playlist, { assignment_status: 'assigned', due: { local: '2026-12-30T17:00' } })
  })

  test('ends with the due date of the group', async () => {
    setClock('2027-02-02T09:00:00Z')
    const [open, done] = trainees(2) as [PersonSnapshot, PersonSnapshot]
    const { group, playlist } = await assignRecurring([open, done], '2027-02-15T17:00', monthly)
    await complete(done, playlist)
    expect((await setTerms(playlist, group, { due: null })).json.group.assignment.terms).toEqual({ due: null })
    await expectTask(open, playlist, { due: null, recurrence: null })
    await expectTask(done, playlist, { due: { local: '2027-02-15T17:00' }, recurrence: null, next_occurrence: null })
  })

  test('from the completion counts for each member alone, also after other terms', async () => {
    setClock('2027-03-01T09:00:00Z')
    const [done, open, joins] = trainees(3) as [PersonSnapshot, PersonSnapshot, PersonSnapshot]
    const { group, playlist } = await assignRecurring([done, open], '2027-03-31T17:00', yearlyFromCompletion)
    setClock('2027-03-10T09:00:00Z')
    await complete(done, playlist)
    setClock('2028-02-10T09:00:00Z')
    await openOccurrences()
    await expectTask(done, playlist, { assignment_status: 'assigned', due: { local: '2028-03-10T17:00' } })
    expect(await setTerms(playlist, group, { recurrence: { ...yearlyFromCompletion, interval: 2 } })).toMatchObject({
      status: 200,
    })
    await expectTask(done, playlist, { recurrence: { interval: 2 }, due: { local: '2028-03-10T17:00' } })
    await expectTask(open, playlist, { recurrence: { interval: 2 }, due: { local: '2027-03-31T17:00' } })
    await group.change([joins])
    // As many days as the group had: from 1 to 31 March 2027.
    await expectTask(joins, playlist, { due: { local: '2028-03-11T17:00' }, recurrence: { interval: 2 } })
    expect((await termsOf(playlist, group)).next_due).toMatchObject({ local: '2028-03-11T17:00' })
  })

  test('of the next group applies when the task of the first one ends', async () => {
    setClock('2029-01-01T09:00:00Z')
    const [member] = trainees(1) as [PersonSnapshot]
    const { group, playlist } = await assignRecurring([member], '2029-01-31T17:00', monthly)
    const other = await announceGroup(world, [member])
    await setTerms(playlist, other, { due: { local: '2029-06-30T17:00' }, recurrence: yearlyFromCompletion })
    await updateTasksUntil(async () =>
      expect(await collectionOf(world, 'assignments').findOne({ _id: `${member.id}:${playlist.id}` })).toMatchObject({
        group_ids: [group.id, other.id],
      }),
    )
    expect(await taskOf(member, playlist)).toMatchObject({ recurrence: monthly })
    await as(director).delete(pathOf(playlist, group))
    await expectTask(member, playlist, { due: { local: '2029-06-30T17:00' }, recurrence: yearlyFromCompletion })
  })

  test.each([
    ['without a due date', { recurrence: monthly }, 'terms.recurrence'],
    ['with the due date removed', { due: null, recurrence: monthly }, 'terms.recurrence'],
    [
      'that opens before the due date before it',
      { due: { local: '2030-01-31T17:00' }, recurrence: { ...monthly, opens_days_before: 28 } },
      'terms.recurrence.opens_days_before',
    ],
  ])('%s is refused with its field, and changes nothing', async (_case, terms, path) => {
    setClock('2029-12-01T09:00:00Z')
    const group = await announceGroup(world, trainees(1))
    const playlist = await createPlaylist(as(director))
    const answer = await setTerms(playlist, group, terms)
    expect([answer.status, answer.json.errors[0].path]).toEqual([422, path])
    expect(await collectionOf(world, 'group_assignments').countDocuments({ playlist_id: playlist.id })).toBe(0)
  })

  test('is refused if the grace period lasts longer than until the task opens again, and names the field', async () => {
    setClock('2030-03-01T09:00:00Z')
    const group = await announceGroup(world, trainees(1))
    const playlist = await createPlaylist(as(director))
    const due = { local: '2030-03-31T17:00' }
    const refused = { status: 422, json: { errors: [{ path: 'terms.conditions.grace_days' }] } }
    const tooLong = { due, recurrence: monthly, conditions: { grace_days: 22 } }
    expect(await setTerms(playlist, group, tooLong)).toMatchObject(refused)
    expect((await setTerms(playlist, group, { due, recurrence: monthly })).status).toBe(200)
    expect(await setTerms(playlist, group, { conditions: { grace_days: 22 } })).toMatchObject(refused)
    expect((await setTerms(playlist, group, { conditions: { grace_days: 21 } })).status).toBe(200)
    const early = { ...monthly, opens_days_before: 8 }
    expect(await setTerms(playlist, group, { recurrence: early })).toMatchObject(refused)
    expect((await setTerms(playlist, group, { recurrence: early, conditions: { grace_days: 20 } })).status).toBe(200)
    const rows = collectionOf(world, 'group_assignments')
    await rows.updateOne({ playlist_id: playlist.id }, { $set: { 'terms.conditions.grace_days': 30 } })
    expect((await setTerms(playlist, group, { conditions: { required_percent: 95 } })).status).toBe(200)
  })

  test('gives the note of the group with the first occurrence only', async () => {
    setClock('2040-01-09T09:00:00Z')
    const [first, joins] = trainees(2) as [PersonSnapshot, PersonSnapshot]
    const group = await announceGroup(world, [first])
    const playlist = await createPlaylist(as(director))
    const terms = { due: { local: '2040-01-31T17:00' }, recurrence: monthly }
    const note = 'For the first month.'
    expect((await as(director).put(pathOf(playlist, group), { terms, note })).status).toBe(200)
    await expectTask(first, playlist, { note })
    setClock('2040-02-01T09:00:00Z')
    await group.change([joins])
    await expectTask(joins, playlist, { due: { local: '2040-02-29T17:00' } })
    expect(await taskOf(joins, playlist)).not.toHaveProperty('note')
  })
})
