import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { consumersOf, events } from '@watchline/contracts/events'
import { eventually } from '@watchline/testing/harness'
import { collectionOf, createEngagementWorld, createTrainee, type EngagementWorld, iso, play } from './_util.ts'

/** Uses RabbitMQ and Redis, as production does. */
let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld({ bus: 'rabbitmq', live: 'redis' })
  url = (await world.start()).url
})
afterAll(() => world.close())

const publishedFor = (personId: string) => world.published.filter(event => event.subject === personId)

describe('completion', () => {
  test('a video completes at 90 %, a playlist with its last playable video, each with one event', async () => {
    const { person, playlist, playlistId, lock, send, watched, track, me } = await createTrainee(
      world,
      url,
      [20, 20, 20],
    )
    playlist.videos[2]!.unavailable = true
    await lock.acquire()
    await play(world, send, playlistId, { to: 17.9, end: 'pause' }, lock.renew)
    expect(await watched()).toMatchObject({ completed: false, completion_rate: 89.5 })
    expect(await collectionOf(world, 'outbox').countDocuments({ 'event.subject': person.id })).toBe(0)
    await play(world, send, playlistId, { from: 17.9, to: 18, end: 'pause' }, lock.renew)
    const completedAt = iso(world.clock.now())
    expect(await watched()).toMatchObject({ completed: true, completion_rate: 90, completed_at: completedAt })

    await play(world, send, playlistId, { to: 20, videoId: 'v1' }, lock.renew)
    // Watching everything again publishes nothing.
    await play(world, send, playlistId, { to: 20, videoId: 'v0' }, lock.renew)
    await play(world, body => track({ ...body, video_id: 'v1' }), playlistId, { to: 20, videoId: 'v1' }, lock.renew)
    await lock.release()

    await eventually(() => expect(publishedFor(person.id)).toHaveLength(3))
    const titles = { playlist_title: playlist.title, video_title: 'Video 0' }
    const playlistDone = publishedFor(person.id).find(event => event.type === 'playlist.completed')!
    expect(
      publishedFor(person.id)
        .filter(event => event.type === 'video.completed')
        .map(event => event.data),
    ).toEqual([
      { person_id: person.id, playlist_id: playlistId, video_id: 'v0', completed_at: completedAt, ...titles },
      expect.objectContaining({ video_id: 'v1' }),
    ])
    expect(consumersOf('playlist.completed')).toContain('playback-session')
    expect(events['playlist.completed'].data.parse(playlistDone.data)).toEqual({
      person_id: person.id,
      playlist_id: playlistId,
      completed_at: expect.any(String),
      playlist_title: playlist.title,
    })
    const summary = (await me.get(`/engagement/watched/${playlistId}`)).json
    expect(summary).toMatchObject({ completed: true, completed_videos: 2, total_videos: 2, completion_rate: 100 })
    expect(await collectionOf(world, 'outbox').countDocuments({ 'event.data.person_id': person.id })).toBe(3)
  })

  test('is reached when the lock interval arrives that pays for the last report', async () => {
    const { person, playlistId, lock, track, watched } = await createTrainee(world, url, [20])
    await lock.acquire()
    const started = world.clock.now()
    const isoAfter = (seconds: number) => iso(started + seconds * 1000)
    await track({ event_type: 'play', watch_time: 0, client_time: isoAfter(0) })
    world.clock.advance(1_000)
    // The report is far ahead of the clock, so it waits for the bank.
    await track({ event_type: 'ended', watch_time: 20, client_time: isoAfter(20) })
    expect((await watched()).watch_time).toBeLessThanOrEqual(4)
    world.clock.advance(19_000)
    await lock.release()
    await eventually(async () => expect(await watched()).toMatchObject({ completed: true, watch_time: 20 }))
    await eventually(() => expect(publishedFor(person.id).map(event => event.type)).toContain('playlist.completed'))
    expect(playlistId).toBeTruthy()
  })

  test('is published with its own time when a completed playlist is reassigned', async () => {
    const { person, playlist, playlistId, lock, send } = await createTrainee(world, url, [10])
    await lock.acquire()
    await play(world, send, playlistId, { to: 10 }, lock.renew)
    const completedAt = iso(world.clock.now())
    await eventually(() => expect(publishedFor(person.id)).toHaveLength(2))
    await world.publish('playlist.unassigned', { playlist_id: playlistId, by: 'boss', unassigned: [person.id] })
    world.clock.advance(1_000)
    await world.publish('playlist.assigned', {
      playlist_id: playlistId,
      title: playlist.title,
      by: 'boss',
      assigned: [person.id],
      assigned_date: iso(world.clock.now()),
    })
    const completions = () => publishedFor(person.id).filter(event => event.type === 'playlist.completed')
    await eventually(() => expect(completions()).toHaveLength(2))
    const completion = { person_id: person.id, playlist_id: playlistId, playlist_title: playlist.title }
    expect(completions().map(event => event.data)).toEqual([
      { ...completion, completed_at: completedAt },
      { ...completion, completed_at: completedAt, assigned_date: iso(world.clock.now()) },
    ])
  })

  test('of the attempt after a reset counts although the event of the reset arrives after it', async () => {
    const { person, playlistId, lock, send, watched, me } = await createTrainee(world, url, [10, 20])
    await lock.acquire()
    for (const [videoId, to] of [
      ['v0', 10],
      ['v1', 20],
    ] as const)
      await play(world, send, playlistId, { to, videoId }, lock.renew)
    const completions = () => publishedFor(person.id).filter(event => event.type === 'playlist.completed')
    await eventually(() => expect(completions()).toHaveLength(1))
    await lock.release()
    world.clock.advance(1_000)
    const resetAt = world.clock.now()
    world.clock.advance(1_000)
    await lock.acquire(false, resetAt)
    await play(world, send, playlistId, { to: 10 }, lock.renew)
    const summary = async () => (await me.get(`/engagement/watched/${playlistId}`)).json
    expect(await summary()).toMatchObject({ completed: false, completed_videos: 1, completion_rate: 33.3 })
    await play(world, send, playlistId, { to: 20, videoId: 'v1' }, lock.renew)
    await eventually(() => expect(completions()).toHaveLength(2))
    const [first, second] = completions().map(event => event.data as { reset_at?: string })
    expect([first!.reset_at, second!.reset_at]).toEqual([undefined, iso(resetAt)])

    await world.publish('assignment.overridden', {
      ...{ playlist_id: playlistId, title: 'Playlist', changed_at: iso(resetAt), by: 'boss' },
      ...{ action: 'reset', changed: [person.id], reason: 'Watched by somebody else' },
    })
    await eventually(async () =>
      expect(await collectionOf(world, 'task_facts').countDocuments({ person_id: person.id, kind: 'reset' })).toBe(1),
    )
    expect(await summary()).toMatchObject({ completed: true, completed_videos: 2, completion_rate: 100 })
    const { videos } = (await collectionOf(world, 'watchers').findOne({ _id: person.id }))!
    const attempts = [playlistId, `${playlistId}~${resetAt}`]
    expect(Object.keys(videos).sort()).toEqual(attempts.flatMap(id => [`${id}:v0`, `${id}:v1`]).sort())
    expect(await watched()).toMatchObject({ watch_time: 10 })
  })

  test('is published once when the event of its assignment arrives after it', async () => {
    const assignedAt = iso(world.clock.now())
    const { person, playlist, playlistId, lock, send } = await createTrainee(world, url, [10])
    world.clock.advance(1_000)
    await lock.acquire()
    await play(world, send, playlistId, { to: 10 }, lock.renew)
    const completedAt = iso(world.clock.now())
    await eventually(() => expect(publishedFor(person.id)).toHaveLength(2))
    await world.publish('playlist.assigned', {
      playlist_id: playlistId,
      title: playlist.title,
      by: 'boss',
      assigned: [person.id],
      assigned_date: assignedAt,
    })
    // A second assignment, after the completion, is published after the first.
    await world.publish('playlist.assigned', {
      playlist_id: playlistId,
      title: playlist.title,
      by: 'boss',
      assigned: [person.id],
      assigned_date: iso(world.clock.now() + 1),
    })
    const completions = () => publishedFor(person.id).filter(event => event.type === 'playlist.completed')
    await eventually(() =>
      expect(completions().map(event => event.data)).toContainEqual(
        expect.objectContaining({ completed_at: completedAt, assigned_date: iso(world.clock.now() + 1) }),
      ),
    )
    expect(completions()).toHaveLength(2)
  })
})
