import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { createManualClock } from '@watchline/testing/manual-clock'
import { as, aTeamWatching, createPlaybackWorld, type PlaybackWorld, rows, videos } from './_util.ts'

const clock = createManualClock()
let world: PlaybackWorld
let url: string
beforeAll(async () => {
  world = await createPlaybackWorld({ clock })
  url = (await world.start()).url
})
afterAll(() => world.close())

const at = (ms: number) => new Date(ms).toISOString()
const assignment = (personId: string, playlistId: string) =>
  rows(world, 'assignments').findOne({ _id: `${personId}:${playlistId}` })

describe('playlist.completed', () => {
  test('completes the assignment once: the first time stays, however often it is told', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const data = { person_id: trainee.id, playlist_id: playlist.id, completed_at: at(clock.now()) }
    await world.tell('playlist.completed', data, { id: `done-${trainee.id}` })
    await world.tell('playlist.completed', data, { id: `done-${trainee.id}` })
    await world.tell('playlist.completed', { ...data, completed_at: at(clock.now() + 60_000) })
    expect(await assignment(trainee.id, playlist.id)).toMatchObject({
      status: 'completed',
      completed_at: new Date(clock.now()),
    })
  })

  test('of something not assigned changes nothing', async () => {
    const { trainee } = await aTeamWatching(world, url)
    const data = { person_id: trainee.id, playlist_id: 'other', completed_at: at(clock.now()) }
    await world.tell('playlist.completed', data)
    expect(await assignment(trainee.id, 'other')).toBeNull()
    expect(await world.ports.bus.deadLetters('playback-session')).toEqual([])
  })

  test('assigning it again to who has completed it leaves it completed', async () => {
    const { boss, trainee, playlist } = await aTeamWatching(world, url)
    const data = { person_id: trainee.id, playlist_id: playlist.id, completed_at: at(clock.now()) }
    await world.tell('playlist.completed', data)
    const again = await boss.put(`/playlists/${playlist.id}/assign`, { assigned_users: [trainee.id] })
    expect(again.json.assigned).toBe(0)
    expect((await assignment(trainee.id, playlist.id))?.status).toBe('completed')
  })
})

describe('session.revoked', () => {
  test('ends the monitored session of that sid only, at the time it was revoked', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee, `here-${trainee.id}`)
    await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    clock.advance(1_000)
    const revoked = { person_id: trainee.id, reason: 'replaced' as const }
    await world.tell('session.revoked', { ...revoked, sid: `elsewhere-${trainee.id}` })
    expect((await me.post('/session/heartbeat')).status).toBe(200)
    await world.tell('session.revoked', { ...revoked, sid: `here-${trainee.id}` })
    expect((await me.post('/session/heartbeat')).status).toBe(409)
    await eventually(() =>
      expect(world.of('monitoring.stopped').filter(each => each.person_id === trainee.id)).toMatchObject([
        { reason: 'signed_out', stopped_at: at(clock.now()) },
      ]),
    )
  })

  test('of somebody never seen is harmless', async () => {
    await world.tell('session.revoked', { sid: 'nobody', person_id: 'nobody', reason: 'signed_out' })
    expect(await world.ports.bus.deadLetters('playback-session')).toEqual([])
  })
})

describe('the people it keeps', () => {
  test('a change of role counts at once, and an older event does not bring the past back', async () => {
    const person = world.person('user')
    const promoted = world.change(person, { role: 'supervisor' })
    await world.tell('user.role_changed', { person: promoted, by: null, previous_role: 'user' })
    await world.tell('user.created', { person, by: null })
    const me = as(world, url, person)
    await eventually(async () => expect((await me.get('/supervisor/tasks')).status).toBe(200))
    expect(await rows(world, 'people').findOne({ _id: person.id })).toMatchObject({ role: 'supervisor', version: 2 })
  })

  test('a promotion it has not heard of counts before it refuses anybody', async () => {
    const person = world.person('user')
    const me = as(world, url, person)
    expect((await me.get('/supervisor/tasks')).status).toBe(403)
    world.change(person, { role: 'supervisor' })
    expect((await me.get('/supervisor/tasks')).status).toBe(200)
    expect((await me.post('/playlists', { title: 'T', videos: videos(1) })).status).toBe(201)
  })
})

describe('poison', () => {
  test.each([
    ['no data', 'playlist.completed', undefined],
    ['an object for a person', 'playlist.completed', { person_id: { $gt: '' }, playlist_id: 'p', completed_at: at(0) }],
    ['no time', 'playlist.completed', { person_id: 'p', playlist_id: 'p', completed_at: 'soon' }],
    ['no sid', 'session.revoked', { person_id: 'p', reason: 'signed_out' }],
    ['an unknown reason', 'session.revoked', { sid: 's', person_id: 'p', reason: 'bored' }],
  ])('%s goes to the dead letters, and what comes after is consumed', async (_what, type, data) => {
    const before = (await world.ports.bus.deadLetters('playback-session')).length
    const { trainee, playlist } = await aTeamWatching(world, url)
    await world.tell(type as 'playlist.completed', data as never)
    await world.tell('playlist.completed', {
      person_id: trainee.id,
      playlist_id: playlist.id,
      completed_at: at(clock.now()),
    })
    expect((await assignment(trainee.id, playlist.id))?.status).toBe('completed')
    expect(await world.ports.bus.deadLetters('playback-session')).toHaveLength(before + 1)
  })
})
