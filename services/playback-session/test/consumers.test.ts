import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import {
  callAs,
  collectionOf,
  createPlaybackWorld,
  createTeamWithPlaylist,
  type PlaybackWorld,
  videos,
} from './_util.ts'

const clock = createManualClock()
let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start()).url
})
afterAll(() => world.close())

const iso = (ms: number) => new Date(ms).toISOString()
const findAssignment = (personId: string, playlistId: string) =>
  collectionOf(world, 'assignments').findOne({ _id: `${personId}:${playlistId}` })

describe('playlist.completed', () => {
  test('completes the assignment and keeps the first time of completion when the event repeats', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const data = { person_id: trainee.id, playlist_id: playlist.id, completed_at: iso(clock.now()) }
    await world.publish('playlist.completed', data, { id: `done-${trainee.id}` })
    await world.publish('playlist.completed', data, { id: `done-${trainee.id}` })
    await world.publish('playlist.completed', { ...data, completed_at: iso(clock.now() + 60_000) })
    expect(await findAssignment(trainee.id, playlist.id)).toMatchObject({
      status: 'completed',
      completed_at: new Date(clock.now()),
    })
  })

  test('without an assignment changes nothing', async () => {
    const { trainee } = await createTeamWithPlaylist(world, url)
    const data = { person_id: trainee.id, playlist_id: 'other', completed_at: iso(clock.now()) }
    await world.publish('playlist.completed', data)
    expect(await findAssignment(trainee.id, 'other')).toBeNull()
    expect(await world.ports.bus.deadLetters('playback-session')).toEqual([])
  })

  test('from before an assignment completes it only if it names it, or if the clocks may differ that much', async () => {
    const { supervisor, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const completedAt = clock.now()
    const completion = { person_id: trainee.id, playlist_id: playlist.id, completed_at: iso(completedAt) }
    const statusOf = async () => (await findAssignment(trainee.id, playlist.id))?.status
    const assignAgain = async () => {
      const people = { assigned_users: [trainee.id] }
      await callAs(world, url, supervisor).delete(`/playlists/${playlist.id}/assign`, people)
      await callAs(world, url, supervisor).put(`/playlists/${playlist.id}/assign`, people)
    }
    clock.advance(3600_000)
    await assignAgain()
    await world.publish('playlist.completed', completion)
    expect(await statusOf()).toBe('assigned')
    const { assigned_date } = (await findAssignment(trainee.id, playlist.id))!
    await world.publish('playlist.completed', { ...completion, assigned_date: assigned_date.toISOString() })
    expect(await statusOf()).toBe('completed')

    await assignAgain()
    await world.publish('playlist.completed', { ...completion, completed_at: iso(clock.now() - 10_000) })
    expect(await statusOf()).toBe('completed')
  })

  test('a repeated assignment leaves a completed one completed', async () => {
    const { boss, trainee, playlist } = await createTeamWithPlaylist(world, url)
    const data = { person_id: trainee.id, playlist_id: playlist.id, completed_at: iso(clock.now()) }
    await world.publish('playlist.completed', data)
    const answer = await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id] })
    expect(answer.json.assigned).toBe(0)
    expect((await findAssignment(trainee.id, playlist.id))?.status).toBe('completed')
  })
})

describe('session.revoked', () => {
  test('ends the monitored session of that sid only, at the time of the revocation', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee, `here-${trainee.id}`)
    await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    clock.advance(1_000)
    const revoked = { person_id: trainee.id, reason: 'replaced' as const }
    await world.publish('session.revoked', { ...revoked, sid: `elsewhere-${trainee.id}` })
    expect((await me.post('/session/heartbeat')).status).toBe(200)
    await world.publish('session.revoked', { ...revoked, sid: `here-${trainee.id}` })
    expect((await me.post('/session/heartbeat')).status).toBe(409)
    await eventually(() =>
      expect(world.of('monitoring.stopped').filter(event => event.person_id === trainee.id)).toMatchObject([
        { reason: 'signed_out', stopped_at: iso(clock.now()) },
      ]),
    )
  })

  test('for an unknown person changes nothing', async () => {
    await world.publish('session.revoked', { sid: 'nobody', person_id: 'nobody', reason: 'signed_out' })
    expect(await world.ports.bus.deadLetters('playback-session')).toEqual([])
  })
})

describe('the projection of people', () => {
  test('a role change applies at once, and an older event does not undo it', async () => {
    const person = world.addPerson('user')
    const promoted = world.changePerson(person, { role: 'supervisor' })
    await world.publish('user.role_changed', { person: promoted, by: null, previous_role: 'user' })
    await world.publish('user.created', { person, by: null })
    const me = callAs(world, url, person)
    await eventually(async () => expect((await me.get('/supervisor/tasks')).status).toBe(200))
    expect(await collectionOf(world, 'people').findOne({ _id: person.id })).toMatchObject({
      role: 'supervisor',
      version: 2,
    })
  })

  test('a deactivated person calls nothing, and nobody assigns to them', async () => {
    const [person, director] = [world.addPerson('user'), world.addPerson('director')]
    const playlist = (await callAs(world, url, director).post('/playlists', { title: 'T', videos: videos(1) })).json
    const deactivated = world.changePerson(person, { deactivated_at: iso(clock.now()) })
    await world.publish('user.deactivated', {
      person: deactivated,
      by: null,
      previous_supervisor_id: null,
      previous_manager_id: null,
    })
    const me = callAs(world, url, person)
    await eventually(async () => expect((await me.get('/playlists/today')).json.code).toBe('deactivated'))
    const assign = () =>
      callAs(world, url, director).put(`/playlists/${playlist.id}/assign`, { assigned_users: [person.id] })
    expect((await assign()).status).toBe(409)

    const reactivated = world.changePerson(deactivated, { deactivated_at: undefined })
    await world.publish('user.reactivated', { person: reactivated, by: null })
    await eventually(async () => expect((await assign()).status).toBe(200))
    expect((await me.get('/playlists/today')).status).toBe(200)
  })

  test('before a refusal the service asks auth for a newer role', async () => {
    const person = world.addPerson('user')
    const me = callAs(world, url, person)
    expect((await me.get('/supervisor/tasks')).status).toBe(403)
    world.changePerson(person, { role: 'supervisor' })
    expect((await me.get('/supervisor/tasks')).status).toBe(200)
    expect((await me.post('/playlists', { title: 'T', videos: videos(1) })).status).toBe(201)
  })
})

describe('poison events', () => {
  test.each([
    ['no data', 'playlist.completed', undefined],
    [
      'an object for a person',
      'playlist.completed',
      { person_id: { $gt: '' }, playlist_id: 'p', completed_at: iso(0) },
    ],
    ['no time', 'playlist.completed', { person_id: 'p', playlist_id: 'p', completed_at: 'soon' }],
    ['no sid', 'session.revoked', { person_id: 'p', reason: 'signed_out' }],
    ['an unknown reason', 'session.revoked', { sid: 's', person_id: 'p', reason: 'bored' }],
  ])('an event with %s becomes a dead letter, and the next event is consumed', async (_name, type, data) => {
    const before = (await world.ports.bus.deadLetters('playback-session')).length
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    await world.publish(type as 'playlist.completed', data as never)
    await world.publish('playlist.completed', {
      person_id: trainee.id,
      playlist_id: playlist.id,
      completed_at: iso(clock.now()),
    })
    expect((await findAssignment(trainee.id, playlist.id))?.status).toBe('completed')
    expect(await world.ports.bus.deadLetters('playback-session')).toHaveLength(before + 1)
  })
})
