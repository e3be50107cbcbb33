import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { conditionsOf } from '@watchline/contracts/conditions'
import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands } from '@watchline/testing/mongo-commands'
import { callAs, collectionOf, createEngagementWorld, createTrainee, type EngagementWorld, iso, play } from './_util.ts'

let world: EngagementWorld
let url: string
const commands: RecordedCommand[] = []
beforeAll(async () => {
  world = await createEngagementWorld()
  const { mongoUrl } = world.config
  const start = (recordedUrl: string) => world.start({ config: { mongoUrl: recordedUrl, maxPlaybackRate: 2 } })
  url = (await recordCommands(mongoUrl, command => commands.push(command), start)).url
})
afterAll(() => world.close())

/** A trainee whose task forbids skipping ahead, under the monitoring lock. */
async function createTask(
  durations: number[],
  { allow_skipping = false, created_by = 'somebody', required_percent = 90 } = {},
) {
  const trainee = await createTrainee(world, url, durations)
  const { person, playlistId, me, lock } = trainee
  world.owners.playlists.set(playlistId, { ...trainee.playlist, created_by })
  const at = iso(world.clock.now())
  world.owners.assignments.set(`${person.id}:${playlistId}`, {
    ...{ person_id: person.id, playlist_id: playlistId, assigned_date: at },
    due: { at: null, changed_at: at, conditions: { ...conditionsOf(null), allow_skipping, required_percent } },
  })
  await lock.acquire()
  const watch = async (from: number, to: number, videoId = 'v0') => {
    const answers = await play(world, trainee.send, playlistId, { from, to, videoId, end: 'pause' }, lock.renew)
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    return answers.at(-1)!.json.watched.videos[0] as PlaylistWatch['videos'][number]
  }
  const readAll = async () => (await me.get(`/engagement/watched/${playlistId}`)).json as PlaylistWatch
  return { ...trainee, watch, readAll }
}

type Task = Awaited<ReturnType<typeof createTask>>

/** Changes the condition as playback-session does, and waits until the service knows it. */
async function change({ person, playlistId, readAll }: Task, allow_skipping: boolean) {
  world.clock.advance(1_000)
  const at = iso(world.clock.now())
  await world.publish('assignment.due_changed', {
    ...{ playlist_id: playlistId, title: 'Safety', by: 'somebody', changed: [person.id], due: null, changed_at: at },
    ...{ conditions: allow_skipping ? null : { ...conditionsOf(null), allow_skipping }, keeps_due: true },
  })
  await eventually(async () => expect((await readAll()).videos[0]?.reach === undefined).toBe(allow_skipping))
}

const rangesOf = ({ videos }: PlaylistWatch) => videos.map(({ watched }) => watched)

test('a task that allows skipping credits what is skipped to, and limits no player', async () => {
  const task = await createTask([100, 100], { allow_skipping: true })
  expect(await task.watch(50, 60)).not.toHaveProperty('reach')
  expect(await task.watch(0, 10, 'v1')).not.toHaveProperty('reach')
  expect(rangesOf(await task.readAll())).toEqual([[[50, 60]], [[0, 10]]])
  for (const { reach } of (await task.readAll()).videos) expect(reach).toBeUndefined()
})

test('an assignment of the version before, whose conditions do not name it, allows skipping', async () => {
  const task = await createTask([100], { required_percent: 95 })
  await task.watch(0, 1)
  await collectionOf(world, 'assignments').updateOne(
    { _id: `${task.person.id}:${task.playlistId}` },
    { $unset: { 'conditions.allow_skipping': '' } },
  )
  await eventually(async () => expect((await task.readAll()).videos[0]).not.toHaveProperty('reach'))
  expect((await task.watch(50, 60)).watched).toEqual([
    [0, 1],
    [50, 60],
  ])
})

describe('without skipping ahead', () => {
  test('seconds beyond the reachable end earn nothing, are noted, and count once they are reached', async () => {
    const task = await createTask([100])
    expect((await task.watch(0, 20)).reach).toEqual({ until: 20, passed: false })
    const ahead = await task.watch(50, 80)
    expect(ahead).toMatchObject({ watched: [[0, 20]], reach: { until: 20 }, notes: [{ code: 'skipped', times: 1 }] })
    expect((await task.watch(19, 50)).watched).toEqual([[0, 50]])
    expect((await task.watch(50.8, 80)).watched).toEqual([
      [0, 50],
      [50.8, 80],
    ])
    expect((await task.watch(80, 92)).reach).toBeUndefined()
    expect(await task.readAll()).toMatchObject({ completed: true })
    // A finished task may be played in any order.
    expect((await task.watch(97, 100)).watched.at(-1)).toEqual([97, 100])
  })

  test('a jump within a play ends its credit, until the player goes back', async () => {
    const task = await createTask([100])
    await task.watch(0, 10)
    world.clock.advance(1_000)
    const started = world.clock.now()
    const report = async (event_type: string, watch_time: number, seconds: number) => {
      world.clock.advance(Math.max(0, started + seconds * 1_000 - world.clock.now()))
      await task.lock.renew()
      const client_time = iso(started + seconds * 1_000)
      return (await task.track({ event_type, watch_time, client_time, event_id: randomUUID() })).json.watched.videos[0]
    }
    await report('play', 10, 0)
    await report('playing', 40, 10)
    expect(await report('pause', 50, 20)).toMatchObject({ watched: [[0, 10]], reach: { until: 10 } })
    expect((await task.watch(10, 30)).watched).toEqual([[0, 30]])
  })

  test('a later video earns nothing before the earlier ones that can play are complete', async () => {
    const task = await createTask([20, 20, 20])
    const [first, unplayable, last] = task.playlist.videos
    const videos = [first!, { ...unplayable!, unavailable: true }, last!]
    const changed = { ...task.playlist, revision: 2, videos }
    world.owners.playlists.set(task.playlistId, changed)
    await world.publish('playlist.changed', { ...changed, by: 'somebody' } as never)
    await eventually(async () => expect((await task.readAll()).videos[1]?.unavailable).toBe(true))
    await task.watch(0, 10)
    expect(await task.watch(0, 10, 'v2')).toMatchObject({ watched: [], reach: { until: 0, passed: false } })
    const afterFirst = await task.watch(10, 18)
    expect(afterFirst).toMatchObject({ completed: true, reach: { until: 18, passed: true } })
    expect((await task.watch(0, 10, 'v2')).watched).toEqual([[0, 10]])
    expect((await task.readAll()).videos.map(({ reach }) => reach)).toEqual([
      { until: 18, passed: true },
      { until: 0, passed: true },
      { until: 10, passed: false },
    ])
  })

  test('the required percentage opens the next video if it is lower than that of a video', async () => {
    const task = await createTask([20, 20], { required_percent: 50 })
    await task.watch(0, 9)
    expect((await task.watch(0, 5, 'v1')).watched).toEqual([])
    expect((await task.watch(9, 10)).reach).toEqual({ until: 10, passed: true })
    expect((await task.watch(0, 5, 'v1')).watched).toEqual([[0, 5]])
  })

  test('a report that arrives twice, also at once, counts once, ahead and in order', async () => {
    const task = await createTask([100])
    const started = world.clock.now()
    const report = (event_type: string, watch_time: number, seconds: number, event_id: string = randomUUID()) =>
      task.track({ event_type, watch_time, client_time: iso(started + seconds * 1_000), event_id })
    world.clock.advance(60_000)
    await task.lock.renew()
    await report('play', 50, 0)
    const [ahead, inOrder] = [randomUUID(), randomUUID()]
    await Promise.all([report('playing', 60, 10, ahead), report('playing', 60, 10, ahead)])
    const { notes } = await task.watched()
    await report('playing', 60, 10, ahead)
    expect(await task.watched()).toMatchObject({ watched: [], notes })
    await report('play', 0, 20)
    await Promise.all([report('playing', 10, 30, inOrder), report('playing', 10, 30, inOrder)])
    expect(await task.watched()).toMatchObject({ watched: [[0, 10]], watch_time: 10 })
  })

  test('reports that come late, all at once and before their time under the lock is known, lose nothing', async () => {
    const task = await createTask([40, 40])
    const started = world.clock.now()
    world.clock.advance(90_000)
    await task.lock.renew()
    const publishStopped = await task.lock.release(false)
    const report = (video_id: string, event_type: string, watch_time: number, seconds: number) =>
      task.track({
        video_id,
        event_type,
        watch_time,
        client_time: iso(started + seconds * 1_000),
        event_id: randomUUID(),
      })
    for (const [offset, videoId] of [
      [0, 'v0'],
      [45, 'v1'],
    ] as const) {
      await report(videoId, 'play', 0, offset)
      await report(videoId, 'playing', 20, offset + 20)
      await report(videoId, 'ended', 40, offset + 40)
    }
    await publishStopped()
    await eventually(async () => expect(rangesOf(await task.readAll())).toEqual([[[0, 40]], [[0, 40]]]))
    await eventually(async () => expect(await task.readAll()).toMatchObject({ completed: true }))
  })

  test('applies from the change on, in both directions; what is credited stays', async () => {
    const task = await createTask([100])
    await task.watch(0, 10)
    expect((await task.watch(50, 60)).watched).toEqual([[0, 10]])
    await change(task, true)
    expect((await task.watch(50, 60)).watched).toEqual([
      [0, 10],
      [50, 60],
    ])
    await change(task, false)
    expect((await task.watch(60, 70)).watched).toEqual([
      [0, 10],
      [50, 60],
    ])
    expect((await task.watch(10, 50)).reach).toEqual({ until: 60, passed: false })
    expect((await task.watch(60, 70)).watched).toEqual([[0, 70]])
  })

  test('limits only the person who has the task: staff may watch the playlist in any order', async () => {
    const author = world.addPerson('supervisor')
    const task = await createTask([100], { created_by: author.id })
    await task.watch(0, 10)
    const { json } = await callAs(world, url, author).get(`/engagement/watched/${task.playlistId}`)
    expect(json.videos).toEqual([expect.not.objectContaining({ reach: expect.anything() })])
    const stranger = callAs(world, url, world.addPerson('user'))
    expect((await stranger.get(`/engagement/watched/${task.playlistId}`)).status).toBe(404)
  })

  test('ends with the task for staff who may still watch the playlist, but not for late reports', async () => {
    const task = await createTask([100])
    const { person, playlistId } = task
    world.changePerson(person, { role: 'director' })
    const findRow = async () => collectionOf(world, 'assignments').findOne({ person_id: person.id })
    await world.publish('playlist.assigned', {
      ...{ playlist_id: playlistId, title: 'Safety', by: 'somebody', assigned: [person.id] },
      ...{ assigned_date: iso(world.clock.now()) },
      conditions: { ...conditionsOf(null), allow_skipping: false, max_rate: 1 },
    })
    await eventually(async () => expect(await findRow()).toMatchObject({ assigned: true }))
    await task.watch(0, 10)
    const unassigned_date = iso(world.clock.now())
    const ended = { playlist_id: playlistId, by: 'somebody', unassigned: [person.id], unassigned_date }
    await world.publish('playlist.unassigned', ended)
    await eventually(async () => expect(await findRow()).toMatchObject({ assigned: false }))
    expect((await task.watch(50, 60)).watched).toEqual([[0, 10]])
    world.clock.advance(limits.lateReportsMs)
    const watch = await task.readAll()
    expect(watch.videos[0]).not.toHaveProperty('reach')
    expect(watch.max_playback_rate).toBe(2)
    await task.lock.acquire()
    expect((await task.watch(50, 60)).watched).toEqual([
      [0, 10],
      [50, 60],
    ])
  })

  test('a report costs one read and one write, as in other tasks', async () => {
    const task = await createTask([3_600])
    await eventually(async () => {
      await task.track({ event_type: 'playing', watch_time: 1 })
      commands.length = 0
      expect((await task.track({ event_type: 'playing', watch_time: 1 })).status).toBe(200)
      expect(commands.filter(({ name }) => name === 'find')).toHaveLength(1)
      expect(commands.filter(({ name }) => name === 'update')).toHaveLength(1)
    })
  })
})
