import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { getAssignmentSnapshot } from '@watchline/contracts/internal-operations'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { createInternalClient } from '@watchline/kit/http/internal-client'
import { makeErasure } from '@watchline/testing/erased-person'
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
let service: PlaybackSessionService
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  ;({ url, service } = await world.start({ config: { timeZone: 'Europe/Berlin' } }))
})
afterAll(() => world.close())

const due = { local: '2026-03-27T17:00' }
const defaults = { grace_days: 0, required_percent: 90, max_rate: null, attention_checks: false, allow_skipping: true }
const strict = { grace_days: 7, required_percent: 95, max_rate: 1, attention_checks: true, allow_skipping: false }

const as = (person: PersonSnapshot) => callAs(world, url, person)
const openTask = async (person: PersonSnapshot, playlist: { id: string }) =>
  (await as(person).get('/playlists/assigned?status=open')).json.find(({ id }: { id: string }) => id === playlist.id)

async function createTeam() {
  const { supervisor, team } = await createTeamWithPlaylist(world, url, 2)
  return { supervisor, team, trainee: team[0]!, playlist: await createPlaylist(as(supervisor)) }
}

const assign = (boss: PersonSnapshot, playlist: { id: string }, people: { id: string }[], terms: object) =>
  as(boss).put(`/playlists/${playlist.id}/assign`, { assigned_users: people.map(({ id }) => id), ...terms })
const change = (boss: PersonSnapshot, playlist: { id: string }, people: { id: string }[], terms: object) =>
  as(boss).put(`/playlists/${playlist.id}/assign/due`, { assigned_users: people.map(({ id }) => id), ...terms })

describe('the conditions of an assignment', () => {
  test('are stored, shown to the person and the assigner, and published', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    expect((await assign(supervisor, playlist, [trainee], { due, conditions: strict })).status).toBe(200)
    expect(await openTask(trainee, playlist)).toMatchObject({
      ...{ conditions: strict, grace_until: '2026-04-03T15:00:00.000Z' },
    })
    const { json } = await as(supervisor).get(`/playlists/${playlist.id}/assign`)
    expect(json).toEqual([expect.objectContaining({ user_id: trainee.id, conditions: strict })])
    await eventually(() => {
      const event = world.of('playlist.assigned').find(({ playlist_id }) => playlist_id === playlist.id)
      expect(event).toMatchObject({ conditions: strict })
    })
  })

  test('are the default ones unless the assigner chooses others', async () => {
    const { supervisor, trainee, team, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due })
    await assign(supervisor, playlist, [team[1]!], { due, conditions: defaults })
    for (const person of team) expect(await openTask(person, playlist)).toMatchObject({ conditions: null })
    await eventually(() => {
      const events = world.of('playlist.assigned').filter(({ playlist_id }) => playlist_id === playlist.id)
      expect(events).toHaveLength(2)
      for (const event of events) expect(event).not.toHaveProperty('conditions')
    })
  })

  test('are the default ones in rows of earlier versions', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due, conditions: strict })
    await collectionOf(world, 'assignments').updateOne(
      { person_id: trainee.id, playlist_id: playlist.id },
      { $unset: { conditions: '' } },
    )
    expect(await openTask(trainee, playlist)).toMatchObject({ conditions: null })
  })

  test('change one by one from then on, with their author in the history', async () => {
    const { supervisor, team, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, team, { due, conditions: { required_percent: 95 } })
    const { json } = await change(supervisor, playlist, team, { conditions: { max_rate: 1.5 } })
    expect(json).toMatchObject({ changed: 2 })
    const after = { ...defaults, required_percent: 95, max_rate: 1.5 }
    expect(await openTask(trainee, playlist)).toMatchObject({ due: { local: due.local }, conditions: after })
    const repeated = await change(supervisor, playlist, team, { conditions: { max_rate: 1.5 } })
    expect(repeated.json).toMatchObject({ changed: 0 })
    const changes = await collectionOf(world, 'assignment_changes').find({ person_id: trainee.id }).toArray()
    expect(changes).toEqual([
      expect.objectContaining({
        by: supervisor.id,
        before: expect.objectContaining({ conditions: { ...defaults, required_percent: 95 } }),
        after: expect.objectContaining({ conditions: after }),
      }),
    ])
    await eventually(() => {
      const events = world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)
      expect(events).toEqual([
        expect.objectContaining({ conditions: after, keeps_due: true, changes_conditions: true }),
      ])
    })
  })

  test('forbid skipping ahead, and allow it again, one change each, also if a call arrives twice', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due })
    const opened = async () => (await as(trainee).get(`/playlists/${playlist.id}`)).json
    expect(await opened()).not.toHaveProperty('conditions')
    const forbid = () => change(supervisor, playlist, [trainee], { conditions: { allow_skipping: false } })
    const answers = await Promise.all([forbid(), forbid()])
    expect(answers.map(({ json }) => json.changed).sort()).toEqual([0, 1])
    const forbidden = { ...defaults, allow_skipping: false }
    expect(await openTask(trainee, playlist)).toMatchObject({ conditions: forbidden })
    // The player reads it with the playlist, from memory, which follows the database.
    await eventually(async () => expect(await opened()).toMatchObject({ conditions: forbidden }))
    expect((await as(supervisor).get(`/playlists/${playlist.id}`)).json).not.toHaveProperty('conditions')
    const { json } = await change(supervisor, playlist, [trainee], { conditions: { allow_skipping: true } })
    expect(json).toMatchObject({ changed: 1 })
    expect(await openTask(trainee, playlist)).toMatchObject({ conditions: null })
    await eventually(() => {
      const events = world.of('assignment.due_changed').filter(({ playlist_id }) => playlist_id === playlist.id)
      expect(events.map(({ conditions }) => conditions)).toEqual([forbidden, null])
    })
    const changes = await collectionOf(world, 'assignment_changes').find({ person_id: trainee.id }).toArray()
    expect(changes.map(({ after }) => after.conditions ?? null)).toEqual([forbidden, null])
  })

  test('allow skipping in rows of the version before, which do not name it', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due, conditions: { required_percent: 95 } })
    await collectionOf(world, 'assignments').updateOne(
      { person_id: trainee.id, playlist_id: playlist.id },
      { $unset: { 'conditions.allow_skipping': '' } },
    )
    const { json } = await change(supervisor, playlist, [trainee], { conditions: { allow_skipping: true } })
    expect(json).toMatchObject({ changed: 0 })
    await change(supervisor, playlist, [trainee], { conditions: { required_percent: 90 } })
    expect(await openTask(trainee, playlist)).toMatchObject({ conditions: null })
  })

  test('can become the default ones again, and the event says so', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due, conditions: strict })
    await change(supervisor, playlist, [trainee], { conditions: defaults })
    expect(await openTask(trainee, playlist)).toMatchObject({ conditions: null })
    await eventually(() => {
      const event = world.of('assignment.due_changed').find(({ playlist_id }) => playlist_id === playlist.id)
      expect(event).toMatchObject({ conditions: null })
    })
  })

  test('stay as they are for a completed task', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due })
    await world.publish('playlist.completed', {
      ...{ person_id: trainee.id, playlist_id: playlist.id, completed_at: new Date(clock.now()).toISOString() },
    })
    await eventually(async () => expect(await openTask(trainee, playlist)).toBeUndefined())
    const { json } = await change(supervisor, playlist, [trainee], { conditions: { required_percent: 100 } })
    expect(json).toMatchObject({ changed: 0 })
  })

  test('lose the grace period with the due date', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due, conditions: { grace_days: 3, required_percent: 100 } })
    await change(supervisor, playlist, [trainee], { due: null })
    expect(await openTask(trainee, playlist)).toMatchObject({
      due: null,
      conditions: { ...defaults, required_percent: 100 },
    })
  })

  test('reach other services with the end of the grace period on the clocks of the due date', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due, conditions: strict })
    const client = createInternalClient({ url, credentials: world.credentialsOf('engagement') })
    const params = { personId: trainee.id, playlistId: playlist.id }
    // Summer time begins on 29 March 2026, so the seven days are an hour shorter.
    expect(await client.find(getAssignmentSnapshot, { params })).toMatchObject({
      due: { at: '2026-03-27T16:00:00.000Z', grace_until: '2026-04-03T15:00:00.000Z', conditions: strict },
    })
  })

  test('leave the time at which the due date was set, which other services get', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due })
    const client = createInternalClient({ url, credentials: world.credentialsOf('engagement') })
    const params = { personId: trainee.id, playlistId: playlist.id }
    const dueOf = async () => (await client.find(getAssignmentSnapshot, { params }))!.due!
    expect(await dueOf()).not.toHaveProperty('set_at')
    clock.advance(60_000)
    await change(supervisor, playlist, [trainee], { due: { ...due, local: '2026-03-28T17:00' } })
    const moved = await dueOf()
    expect(moved.set_at).toBe(moved.changed_at)
    clock.advance(60_000)
    await change(supervisor, playlist, [trainee], { conditions: strict })
    const { changed_at, set_at } = await dueOf()
    expect(set_at).toBe(moved.set_at)
    expect(Date.parse(changed_at)).toBeGreaterThan(Date.parse(set_at!))
  })

  test.each([
    ['conditions.grace_days', { due, conditions: { grace_days: 91 } }],
    ['conditions.grace_days', { due, conditions: { grace_days: 1.5 } }],
    ['conditions.grace_days', { conditions: { grace_days: 1 } }],
    ['conditions.required_percent', { conditions: { required_percent: 49 } }],
    ['conditions.required_percent', { conditions: { required_percent: 101 } }],
    ['conditions.max_rate', { conditions: { max_rate: 0.5 } }],
    ['conditions.max_rate', { conditions: { max_rate: 100 } }],
    ['conditions.attention_checks', { conditions: { attention_checks: 'yes' } }],
    ['conditions.allow_skipping', { conditions: { allow_skipping: 'no' } }],
  ])('are refused with the place: %s of %j', async (path, terms) => {
    const { supervisor, trainee, playlist } = await createTeam()
    const answer = await assign(supervisor, playlist, [trainee], terms)
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toEqual([expect.objectContaining({ path })])
    expect(await openTask(trainee, playlist)).toBeUndefined()
  })

  test('name no speed above the highest one that is credited, and stored ones stay', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    const tooFast = { conditions: { max_rate: 2.5 } }
    const refusal = [
      { path: 'conditions.max_rate', message: 'must be at most 2, the highest speed that is credited here' },
    ]
    const assigned = await assign(supervisor, playlist, [trainee], tooFast)
    expect([assigned.status, assigned.json.errors]).toEqual([422, refusal])
    await assign(supervisor, playlist, [trainee], { conditions: { max_rate: 2 } })
    // As an installation stored it that credited faster playback.
    const key = { person_id: trainee.id, playlist_id: playlist.id }
    await collectionOf(world, 'assignments').updateOne(key, { $set: { 'conditions.max_rate': 4 } })
    const changed = await change(supervisor, playlist, [trainee], tooFast)
    expect([changed.status, changed.json.errors]).toEqual([422, refusal])
    expect((await change(supervisor, playlist, [trainee], { conditions: { required_percent: 95 } })).status).toBe(200)
    expect(await openTask(trainee, playlist)).toMatchObject({
      conditions: { ...defaults, required_percent: 95, max_rate: 4 },
    })
    // Normal speed can always be named.
    const slow = (await world.start({ config: { maxPlaybackRate: 0.5 } })).url
    const body = { assigned_users: [trainee.id], conditions: { max_rate: 1 } }
    const bounded = await callAs(world, slow, supervisor).put(`/playlists/${playlist.id}/assign/due`, body)
    expect(bounded.status).toBe(200)
    const limitsOf = async (address: string) =>
      (await callAs(world, address, supervisor).get('/playlists/condition-limits')).json
    expect([await limitsOf(url), await limitsOf(slow)]).toEqual([{ max_rate: 2 }, { max_rate: 1 }])
  })

  test('cannot be changed by people outside the team', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    const { supervisor: stranger } = await createTeam()
    await assign(supervisor, playlist, [trainee], { due })
    // The second one is also invalid here, which only superiors of the person learn.
    for (const conditions of [{ required_percent: 50 }, { max_rate: 2.5 }])
      expect((await change(stranger, playlist, [trainee], { conditions })).status).toBe(404)
    const own = await change(trainee, playlist, [trainee], { conditions: { allow_skipping: true } })
    expect(own.status).toBe(403)
    expect(await openTask(trainee, playlist)).toMatchObject({ conditions: null })
  })
})

describe('a note to the people who get a task', () => {
  const note = 'Please watch it before your first day.'
  const eventsOf = (playlist: { id: string }) =>
    world.of('playlist.assigned').filter(({ playlist_id }) => playlist_id === playlist.id)

  test('is with their task and in the event, without outer blanks', async () => {
    const { supervisor, team, trainee, playlist } = await createTeam()
    expect((await assign(supervisor, playlist, [trainee], { note: `  ${note}\n` })).status).toBe(200)
    await assign(supervisor, playlist, [team[1]!], { note: ' ' })
    expect(await openTask(trainee, playlist)).toMatchObject({ note })
    expect((await as(trainee).get('/playlists/today')).json).toMatchObject({ note })
    expect(await openTask(team[1]!, playlist)).not.toHaveProperty('note')
    await eventually(() => expect(eventsOf(playlist)).toHaveLength(2))
    const notes = eventsOf(playlist).map(event => event.note)
    expect(notes.toSorted()).toEqual([note, undefined])
  })

  test('stays as it is if the call arrives again, also with other words', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    for (const words of [note, note, 'Other words']) await assign(supervisor, playlist, [trainee], { note: words })
    expect(await openTask(trainee, playlist)).toMatchObject({ note })
    await eventually(() => expect(eventsOf(playlist)).toHaveLength(1))
  })

  test('ends with the occurrence, and with the task by hand of a person who keeps it by a group', async () => {
    const { supervisor, team, trainee, playlist } = await createTeam()
    const [, kept] = team as [PersonSnapshot, PersonSnapshot]
    const recurrence = { interval: 1, unit: 'month', from: 'due_date', opens_days_before: 3 }
    const local = new Date(clock.now() + 5 * 24 * 3600_000).toISOString().slice(0, 16)
    const terms = { note, due: { local, time_zone: 'UTC' }, recurrence }
    expect((await assign(supervisor, playlist, [trainee, kept], terms)).status).toBe(200)
    const rows = collectionOf(world, 'assignments')
    await rows.updateOne({ person_id: kept.id, playlist_id: playlist.id }, { $set: { group_ids: ['group'] } })
    const body = { assigned_users: [kept.id] }
    const answer = await as(supervisor).delete(`/playlists/${playlist.id}/assign`, body)
    expect(answer.json).toMatchObject({ kept_by_group: 1 })
    expect(await openTask(kept, playlist)).not.toHaveProperty('note')
    expect(await openTask(trainee, playlist)).toMatchObject({ note })
    clock.advance(40 * 24 * 3600_000)
    await service.openOccurrencesOnce()
    const next = await openTask(trainee, playlist)
    expect(next.due.local > local).toBe(true)
    expect(next).not.toHaveProperty('note')
  })

  test('that is too long assigns nothing; only those who may assign can write one', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    const refused = await assign(supervisor, playlist, [trainee], { note: 'x'.repeat(1_001) })
    expect(refused).toMatchObject({ status: 422, json: { errors: [{ path: 'note' }] } })
    expect((await assign(trainee, playlist, [trainee], { note })).status).toBe(403)
    expect(await openTask(trainee, playlist)).toBeUndefined()
  })

  test('is gone with the task, and in the person’s own data', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    await assign(supervisor, playlist, [trainee], { note })
    expect((await as(trainee).get('/session/record/data')).text).toContain(note)
    await as(supervisor).delete(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id] })
    await assign(supervisor, playlist, [trainee], {})
    expect(await openTask(trainee, playlist)).not.toHaveProperty('note')
  })
  test('is gone after an erasure of its author; the task and notes of others stay', async () => {
    const { supervisor, trainee, playlist } = await createTeam()
    const director = world.addPerson('director')
    await assign(director, playlist, [trainee], { note })
    const other = await createPlaylist(as(supervisor))
    await assign(supervisor, other, [trainee], { note: 'By the supervisor' })
    const readEvents = async () =>
      JSON.stringify(await collectionOf(world, 'outbox').find({ 'event.data.by': director.id }).toArray())
    expect(await readEvents()).toContain(note)
    await world.publish('user.erased', makeErasure(director))
    await eventually(async () => expect(await openTask(trainee, playlist)).not.toHaveProperty('note'))
    expect(await openTask(trainee, other)).toMatchObject({ note: 'By the supervisor' })
    await eventually(async () => expect(await readEvents()).not.toContain(note))
  })
})
