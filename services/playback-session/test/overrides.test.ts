import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { makeErasure } from '@watchline/testing/erased-person'
import { withFailingWrites } from '@watchline/testing/faults'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import type { PlaybackSessionService } from '../src/service.ts'
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
} from './_util.ts'

const clock = createManualClock(Date.UTC(2026, 0, 5, 9))
const hour = 3600_000
let world: PlaybackWorld
let url: string
let service: PlaybackSessionService
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  const started = await world.start()
  url = started.url
  service = started.service
})
afterAll(() => world.close())

interface Person {
  id: string
}
type Action = 'exempt' | 'mark_done' | 'take_back' | 'reset'

const override = (
  caller: Caller,
  playlist: { id: string },
  people: readonly Person[],
  action: Action,
  fields: Record<string, unknown> = {},
) =>
  caller.put(`/playlists/${playlist.id}/assign/override`, {
    ...{ assigned_users: people.map(({ id }) => id), action, reason: 'On leave', change_id: randomUUID() },
    ...fields,
  })
const asPerson = (person: Parameters<typeof callAs>[2]) => callAs(world, url, person)
const tasksOf = async (person: Parameters<typeof callAs>[2], status: 'open' | 'completed') =>
  (await asPerson(person).get(`/playlists/assigned?status=${status}`)).json
const todayOf = async (person: Parameters<typeof callAs>[2]) => (await asPerson(person).get('/playlists/today')).json
const eventsOf = (playlist: { id: string }) =>
  world
    .of('assignment.overridden')
    .filter(({ playlist_id }) => playlist_id === playlist.id)
    .map(({ action, changed }) => [action, [...changed].sort()])
const changesOf = (person: Person) =>
  collectionOf(world, 'assignment_changes').find({ person_id: person.id }).sort({ at: 1, _id: 1 }).toArray()

describe.each([
  ['exempt', 'exempt', 'assigned'],
  ['mark_done', 'marked_done', 'completed'],
] as const)('%s', (action, kind, status) => {
  test('closes the task with its author, time and reason, until it is taken back', async () => {
    const { supervisor, boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [person, peer] = [team[0]!, team[1]!]
    const answer = await override(boss, playlist, [person], action, { reason: '  Holds a certificate  ' })
    expect(answer).toMatchObject({ status: 200, json: { changed: 1 } })

    const by = { id: supervisor.id, name: supervisor.name, role: 'supervisor' }
    const shown = { kind, by, at: expect.any(String), reason: 'Holds a certificate' }
    expect(await todayOf(person)).toBeNull()
    expect(await tasksOf(person, 'open')).toEqual([])
    expect(await tasksOf(person, 'completed')).toMatchObject([
      { id: playlist.id, assignment_status: status, completed_at: null, override: shown },
    ])
    expect(await todayOf(peer)).toMatchObject({ id: playlist.id, override: null })
    expect((await boss.get(`/playlists/${playlist.id}/assign`)).json).toContainEqual(
      expect.objectContaining({ user_id: person.id, status: 'assigned', override: shown }),
    )
    expect((await boss.post('/playlists/today/remind', { user_ids: [person.id] })).json.reminders).toMatchObject([
      { outcome: 'no_open_task' },
    ])

    expect((await override(boss, playlist, team, 'take_back')).json.changed).toBe(1)
    expect(await todayOf(person)).toMatchObject({ id: playlist.id, assignment_status: 'assigned', override: null })
    expect(await changesOf(person)).toMatchObject([
      { action, by: supervisor.id, reason: 'Holds a certificate', before: { override: null } },
      { action: 'take_back', by: supervisor.id, before: { override: { kind, reason: 'Holds a certificate' } } },
    ])
    await eventually(() =>
      expect(eventsOf(playlist)).toEqual([
        [action, [person.id]],
        ['take_back', [person.id]],
      ]),
    )
  })

  test('sends no reminder of a due date, and the next one after it is taken back', async () => {
    const { supervisor, boss, trainee } = await createTeamWithPlaylist(world, url)
    const playlist = await createPlaylist(boss)
    const due = { local: new Date(clock.now() + 30 * hour).toISOString().slice(0, 16), time_zone: 'UTC' }
    await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id], due })
    await override(boss, playlist, [trainee], action)
    clock.advance(10 * hour)
    expect(await service.sendDueRemindersOnce()).toBe(0)
    // The token of the first call has expired.
    expect((await override(asPerson(supervisor), playlist, [trainee], 'take_back')).json.changed).toBe(1)
    expect(await service.sendDueRemindersOnce()).toBe(0)
    clock.advance(20 * hour)
    expect(await service.sendDueRemindersOnce()).toBe(1)
  })

  test('does not apply to a completed task, and a later completion counts as watched', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [done, late] = [team[0]!, team[1]!]
    await completeTask(world, done.id, playlist.id, clock.now())
    await eventually(async () => expect(await tasksOf(done, 'completed')).toHaveLength(1))
    expect((await override(boss, playlist, team, action)).json.changed).toBe(1)
    expect(await tasksOf(done, 'completed')).toMatchObject([{ override: null, completed_at: expect.any(String) }])

    await completeTask(world, late.id, playlist.id, clock.now())
    await eventually(async () =>
      expect(await tasksOf(late, 'completed')).toMatchObject([
        { assignment_status: 'completed', override: null, completed_at: expect.any(String) },
      ]),
    )
    await override(boss, playlist, [late], 'take_back')
    expect(await tasksOf(late, 'completed')).toMatchObject([{ assignment_status: 'completed' }])
  })
})

describe('a change', () => {
  test('that arrives twice, at once and late is applied once', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const change_id = randomUUID()
    const calls = await Promise.all([1, 2, 3].map(() => override(boss, playlist, [trainee], 'exempt', { change_id })))
    expect(calls.map(({ status, json }) => [status, json.changed]).sort()).toEqual([
      [200, 0],
      [200, 0],
      [200, 1],
    ])
    await override(boss, playlist, [trainee], 'take_back')
    expect((await override(boss, playlist, [trainee], 'exempt', { change_id })).json.changed).toBe(0)
    expect(await todayOf(trainee)).toMatchObject({ id: playlist.id })
    const reset = randomUUID()
    for (const changed of [1, 0])
      expect((await override(boss, playlist, [trainee], 'reset', { change_id: reset })).json.changed).toBe(changed)
    await eventually(() =>
      expect(eventsOf(playlist).map(([action]) => action)).toEqual(['exempt', 'take_back', 'reset']),
    )
  })

  test('by two callers at once leaves one result and both entries', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const director = asPerson(world.addPerson('director'))
    const answers = await Promise.all([
      override(boss, playlist, [trainee], 'exempt'),
      override(director, playlist, [trainee], 'mark_done'),
    ])
    expect(answers.map(({ json }) => json.changed)).toEqual([1, 1])
    const changes = await changesOf(trainee)
    const [task] = await tasksOf(trainee, 'completed')
    expect(changes.map(({ action }) => action).sort()).toEqual(['exempt', 'mark_done'])
    expect(task.override.kind).toBe(changes.at(-1)!.action === 'exempt' ? 'exempt' : 'marked_done')
  })

  test('of somebody who does not have the playlist any more changes nothing', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    await boss.delete(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id] })
    for (const action of ['exempt', 'mark_done', 'take_back', 'reset'] as const)
      expect(await override(boss, playlist, [trainee], action)).toMatchObject({ status: 200, json: { changed: 0 } })
    expect(await changesOf(trainee)).toEqual([])
    await assignPlaylist(boss, playlist.id, trainee)
    expect(await todayOf(trainee)).toMatchObject({ id: playlist.id, override: null })
  })

  test('by somebody outside the team is refused, and changes nothing', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const other = await createTeamWithPlaylist(world, url)
    expect((await override(other.boss, playlist, [trainee], 'exempt')).status).toBe(404)
    expect((await override(other.boss, other.playlist, [other.trainee, trainee], 'exempt')).status).toBe(403)
    for (const caller of [trainee, world.addPerson('manager')])
      expect((await override(asPerson(caller), playlist, [trainee], 'exempt')).status).toBe(403)
    expect(await todayOf(trainee)).toMatchObject({ override: null })
    expect(await todayOf(other.trainee)).toMatchObject({ override: null })
  })

  test.each([
    ['without a reason', { reason: '  ' }, 'reason'],
    ['with a long reason', { reason: 'x'.repeat(1_001) }, 'reason'],
    ['with a reason that has control characters', { reason: 'On\u0007leave' }, 'reason'],
    ['without an id', { change_id: undefined }, 'change_id'],
    ['with an unknown action', { action: 'forget' }, 'action'],
    ['of nobody', { assigned_users: [] }, 'assigned_users'],
  ])('%s is refused with its field', async (_case, fields, field) => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const answer = await override(boss, playlist, [trainee], 'exempt', fields)
    expect(answer.status).toBe(422)
    expect(answer.json.errors).toMatchObject([{ path: field }])
    expect(await todayOf(trainee)).toMatchObject({ override: null })
  })
})

describe('a reset', () => {
  const start = (me: Caller, playlist: { id: string }) =>
    me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
  const save = (me: Caller, playlist: { id: string }, progress: number) =>
    me.post('/session/save-progress', { playlist_id: playlist.id, video_id: 'v1', video_index: 1, progress })
  const statusOf = async (me: Caller, playlist: { id: string }) =>
    (await me.get(`/session/status?playlist_id=${playlist.id}`)).json

  test('ends the running session, removes the position, and refuses a late one until the person starts', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = asPerson(trainee)
    await start(me, playlist)
    expect((await save(me, playlist, 5)).status).toBe(200)
    for (const _ of [1, 2]) await override(boss, playlist, [trainee], 'reset')
    const late = { is_monitoring: false, playlist_id: playlist.id, current_video_id: 'v1', current_video_index: 1 }
    expect((await save(me, playlist, 10)).status).toBe(409)
    await me.post('/session/monitoring', { ...late, video_progress: 10 })
    expect(await statusOf(me, playlist)).toMatchObject({ can_resume: false, is_monitoring: false, video_progress: 0 })
    expect(await todayOf(trainee)).toMatchObject({ assignment_status: 'assigned' })

    // Engagement learns of the reset from the lock, too, also from one that the store had lost.
    const { live } = world.ports
    const lockOf = () => live.locks.get(trainee.id, clock.now())
    const resetAt = ((await changesOf(trainee)).at(-1)!.at as Date).getTime()
    clock.advance(1_000)
    expect((await start(me, playlist)).status).toBe(200)
    expect(await lockOf()).toMatchObject({ playlistId: playlist.id, resetAt })
    await live.locks.release(trainee.id, (await lockOf())!.sid)
    expect((await save(me, playlist, 3)).status).toBe(200)
    expect(await lockOf()).toMatchObject({ playlistId: playlist.id, resetAt })
    expect(await statusOf(me, playlist)).toMatchObject({ can_resume: true, video_progress: 3 })
    expect(await todayOf(trainee)).toMatchObject({ assignment_status: 'in_progress' })
  })

  test.each([
    ['saves', {}],
    ['stops with a last position', { is_monitoring: false, current_video_id: 'v1', video_progress: 10 }],
  ])('whose last step fails lets the person continue after the player %s', async (_case, last) => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = asPerson(trainee)
    await start(me, playlist)
    await save(me, playlist, 5)
    const failed = await withFailingWrites(
      'updateOne',
      'monitoring_sessions',
      () => 'before',
      async () => {
        await override(boss, playlist, [trainee], 'reset')
      },
    )
    expect(failed).toBe(1)
    const isStop = 'is_monitoring' in last
    const late = () =>
      isStop ? me.post('/session/monitoring', { playlist_id: playlist.id, ...last }) : save(me, playlist, 10)
    const answers = await Promise.all([late(), late()])
    expect(answers.map(({ status }) => status)).toContain(409)
    expect(await statusOf(me, playlist)).toMatchObject({ can_resume: false, is_monitoring: false, video_progress: 0 })

    expect((await start(me, playlist)).status).toBe(200)
    expect((await save(me, playlist, 3)).status).toBe(200)
    const stops = () => world.of('monitoring.stopped').filter(({ person_id }) => person_id === trainee.id)
    await eventually(() => expect(stops()).toMatchObject([{ reason: 'released' }]))
  })

  test('is shown with its author, time and reason to the person and their superiors, while the task is open', async () => {
    const { supervisor, boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [trainee, peer] = [team[0]!, team[1]!]
    const listed = async (person: Person) =>
      (await boss.get(`/playlists/${playlist.id}/assign`)).json.find(
        ({ user_id }: { user_id: string }) => user_id === person.id,
      )
    expect(await todayOf(trainee)).not.toHaveProperty('reset')
    await override(boss, playlist, [trainee], 'reset', { reason: 'Wrong account' })
    clock.advance(1_000)
    const change_id = randomUUID()
    for (const _ of ['once', 'again'])
      await override(boss, playlist, [trainee], 'reset', { change_id, reason: 'Wrong person' })
    const by = { id: supervisor.id, name: supervisor.name, role: 'supervisor' }
    const reset = { by, at: new Date(clock.now()).toISOString(), reason: 'Wrong person' }
    expect(await todayOf(trainee)).toMatchObject({ id: playlist.id, reset })
    expect(await tasksOf(trainee, 'open')).toMatchObject([{ id: playlist.id, reset }])
    expect(await listed(trainee)).toMatchObject({ reset })
    expect(await todayOf(peer)).not.toHaveProperty('reset')

    await override(boss, playlist, [trainee], 'exempt')
    expect((await tasksOf(trainee, 'completed'))[0]).not.toHaveProperty('reset')
    expect(await listed(trainee)).not.toHaveProperty('reset')
    await override(boss, playlist, [trainee], 'take_back')
    expect(await todayOf(trainee)).toMatchObject({ reset })

    // A version before this one stores the time only.
    const key = { _id: `${trainee.id}:${playlist.id}` }
    await collectionOf(world, 'assignments').updateOne(key, { $set: { reset_at: new Date(clock.now() + 1_000) } })
    expect(await todayOf(trainee)).not.toHaveProperty('reset')

    await world.publish('user.erased', makeErasure(trainee))
    await eventually(async () =>
      expect(await collectionOf(world, 'assignments').findOne(key)).toMatchObject({
        reset: { by: supervisor.id, reason: '' },
      }),
    )
  })

  test('leaves a session on another playlist alone', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const other = await createPlaylist(boss)
    await assignPlaylist(boss, other.id, trainee)
    const me = asPerson(trainee)
    await start(me, playlist)
    await save(me, playlist, 5)
    clock.advance(1_000)
    await start(me, other)
    await override(boss, playlist, [trainee], 'reset')
    expect((await save(me, other, 6)).status).toBe(200)
    await start(me, playlist)
    expect((await save(me, playlist, 1)).status).toBe(200)
  })

  test('opens a completed or overridden task again, and a completion from before it does not count', async () => {
    const { boss, team, playlist } = await createTeamWithPlaylist(world, url, 2)
    const [done, exempt] = [team[0]!, team[1]!]
    await completeTask(world, done.id, playlist.id, clock.now())
    await eventually(async () => expect(await tasksOf(done, 'completed')).toHaveLength(1))
    await override(boss, playlist, [exempt], 'exempt')
    clock.advance(1_000)
    expect((await override(boss, playlist, team, 'reset')).json.changed).toBe(2)
    for (const person of team)
      expect(await todayOf(person)).toMatchObject({ id: playlist.id, completed_at: null, override: null })

    const resetAt = (await changesOf(done)).at(-1)!.at as Date
    const completed_at = new Date(clock.now()).toISOString()
    const completion = { person_id: done.id, playlist_id: playlist.id, completed_at }
    // Engagement did not know of the reset yet. The events of one person arrive in order.
    await world.publish('playlist.completed', completion)
    await completeTask(world, exempt.id, playlist.id, clock.now())
    const marker = await createPlaylist(boss)
    await assignPlaylist(boss, marker.id, done)
    await completeTask(world, done.id, marker.id, clock.now())
    await eventually(async () => expect(await tasksOf(done, 'completed')).toMatchObject([{ id: marker.id }]))
    await world.publish('playlist.completed', { ...completion, reset_at: resetAt.toISOString() })
    await eventually(async () => expect(await tasksOf(done, 'completed')).toHaveLength(2))
    expect(await tasksOf(exempt, 'completed')).toEqual([])
  })
})

test('the reasons of exceptions in a list are a look at these people’s details, published once a day for each viewer', async () => {
  const { supervisor, boss, team, playlist } = await createTeamWithPlaylist(world, url, 3)
  const [exempt, restarted] = [team[0]!, team[1]!]
  const director = world.addPerson('director')
  const list = (caller: Caller) => caller.get(`/playlists/${playlist.id}/assign`)
  const views = () => world.of('user.details_viewed').filter(({ by }) => [supervisor.id, director.id].includes(by))
  expect((await list(boss)).json).toHaveLength(3)
  await override(boss, playlist, [exempt], 'exempt')
  for (let look = 0; look < 3; look += 1) expect((await list(boss)).status).toBe(200)
  const first = { by: supervisor.id, person_ids: [exempt.id], viewed_at: new Date(clock.now()).toISOString() }
  await eventually(() => expect(views()).toEqual([first]))

  await override(boss, playlist, [restarted], 'reset')
  await list(boss)
  await eventually(() => expect(views()).toHaveLength(2))
  expect(views().at(-1)).toMatchObject({ by: supervisor.id, person_ids: [restarted.id] })
  await list(asPerson(director))
  await eventually(() => expect(views()).toHaveLength(3))
  expect(views().at(-1)!.person_ids.toSorted()).toEqual([exempt.id, restarted.id].toSorted())

  clock.advance(24 * hour)
  await list(asPerson(supervisor))
  await eventually(() => expect(views()).toHaveLength(4))
})
