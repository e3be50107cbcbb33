import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import {
  callAs,
  collectionOf,
  createEngagementWorld,
  createLock,
  createPeople,
  createTrainee,
  type EngagementWorld,
  iso,
  play,
} from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

const defaults = { grace_days: 0, required_percent: 90, max_rate: null, attention_checks: false, allow_skipping: true }
const percentOf = (required_percent: number) => ({ ...defaults, required_percent })
type Trainee = Awaited<ReturnType<typeof createTrainee>>

const completionsOf = ({ person, playlistId }: Trainee) =>
  world.published.filter(
    ({ type, subject, data }) =>
      type === 'playlist.completed' &&
      subject === person.id &&
      (data as { playlist_id: string }).playlist_id === playlistId,
  )
const assignmentOf = ({ person, playlistId }: Trainee) =>
  collectionOf(world, 'assignments').findOne({ person_id: person.id, playlist_id: playlistId })
const watchOf = async ({ me, playlistId }: Trainee) => (await me.get(`/engagement/watched/${playlistId}`)).json

/** Publishes an assignment now, and waits until the service knows it. */
async function assign(trainee: Trainee, conditions?: ReturnType<typeof percentOf>) {
  world.clock.advance(1_000)
  const at = iso(world.clock.now())
  await world.publish('playlist.assigned', {
    ...{ playlist_id: trainee.playlistId, title: 'Safety', by: 'somebody', assigned: [trainee.person.id] },
    ...{ assigned_date: at, ...(conditions && { conditions }) },
  })
  await eventually(async () => expect((await assignmentOf(trainee))?.at).toEqual(new Date(at)))
  await expectPercent(trainee, conditions?.required_percent)
}

/** The hot path reads the conditions from memory, which follows the database. */
const expectPercent = (trainee: Trainee, percent: number | undefined) =>
  eventually(async () => expect((await watchOf(trainee)).required_percent).toBe(percent === 90 ? undefined : percent))

async function change(trainee: Trainee, conditions: ReturnType<typeof percentOf> | null) {
  world.clock.advance(1_000)
  const at = iso(world.clock.now())
  await world.publish('assignment.due_changed', {
    ...{ playlist_id: trainee.playlistId, title: 'Safety', by: 'somebody', changed: [trainee.person.id] },
    ...{ due: null, changed_at: at, conditions, keeps_due: true },
  })
  await eventually(async () => expect((await assignmentOf(trainee))?.due_changed_at).toEqual(new Date(at)))
}

async function watch(trainee: Trainee, from: number, to: number, videoId = 'v0') {
  const send: Trainee['send'] = body => trainee.send({ ...body, video_id: videoId } as never)
  await play(world, send, trainee.playlistId, { from, to, videoId, end: 'pause' }, trainee.lock.renew)
}

describe('the required percentage of a task', () => {
  test('completes the task before its videos if it is lower', async () => {
    const trainee = await createTrainee(world, url, [20, 20])
    await assign(trainee, percentOf(50))
    await trainee.lock.acquire()
    await watch(trainee, 0, 10)
    expect(await watchOf(trainee)).toMatchObject({ completed: false, required_percent: 50 })
    await watch(trainee, 0, 10, 'v1')
    expect(await watchOf(trainee)).toMatchObject({ completed: true, completed_videos: 0 })
    await eventually(() => expect(completionsOf(trainee)).toHaveLength(1))
    await watch(trainee, 10, 12)
    await trainee.lock.release()
    expect(completionsOf(trainee)).toHaveLength(1)
    const { json } = await trainee.me.get(`/records/people/${trainee.person.id}?playlist_id=${trainee.playlistId}`)
    expect(json.tasks).toMatchObject([{ completed: true, completed_videos: 0 }])
    expect(json.tasks[0].completed_at).not.toBeNull()
  })

  test('keeps the task open after its videos are completed if it is higher', async () => {
    const trainee = await createTrainee(world, url, [100])
    await assign(trainee, percentOf(100))
    await trainee.lock.acquire()
    await watch(trainee, 0, 92)
    expect(await watchOf(trainee)).toMatchObject({ completed: false, completed_videos: 1, required_percent: 100 })
    const record = async () =>
      (await trainee.me.get(`/records/people/${trainee.person.id}?playlist_id=${trainee.playlistId}`)).json.tasks[0]
    expect(await record()).toMatchObject({ completed: false, completed_videos: 1 })
    await watch(trainee, 92, 100)
    await trainee.lock.release()
    await eventually(() => expect(completionsOf(trainee)).toHaveLength(1))
    expect(await watchOf(trainee)).toMatchObject({ completed: true, completion_rate: 100 })
    expect(await record()).toMatchObject({ completed: true })
  })

  test('can be lowered, which completes an open task, and raising it takes no completion back', async () => {
    const trainee = await createTrainee(world, url, [20])
    await assign(trainee, percentOf(100))
    await trainee.lock.acquire()
    await watch(trainee, 0, 12)
    await trainee.lock.release()
    expect(completionsOf(trainee)).toHaveLength(0)
    await change(trainee, percentOf(60))
    await eventually(() => expect(completionsOf(trainee)).toHaveLength(1))
    await expectPercent(trainee, 60)
    // playback-session changes open tasks only; this change met a completion under way.
    await change(trainee, percentOf(100))
    expect(await watchOf(trainee)).toMatchObject({ completed: true, required_percent: 60 })
    expect(completionsOf(trainee)).toHaveLength(1)
  })

  test('is that of the latest change, if an older event of a lower one arrives after it', async () => {
    const trainee = await createTrainee(world, url, [20])
    await assign(trainee)
    const { person, playlistId } = trainee
    await trainee.lock.acquire()
    await watch(trainee, 0, 12)
    await trainee.lock.release()
    const olderAt = iso(world.clock.now())
    await change(trainee, percentOf(100))
    const facts = collectionOf(world, 'task_facts')
    const countFacts = () => facts.countDocuments({ person_id: person.id, playlist_id: playlistId })
    const before = await countFacts()
    await world.publish('assignment.due_changed', {
      ...{ playlist_id: playlistId, title: 'Safety', by: 'somebody', changed: [person.id] },
      ...{ due: null, changed_at: olderAt, conditions: percentOf(50), keeps_due: true },
    })
    await world.publish('playlist.assigned', {
      ...{ playlist_id: playlistId, title: 'Safety', by: 'somebody', assigned: [person.id] },
      ...{ assigned_date: olderAt, conditions: percentOf(50) },
    })
    await eventually(async () => expect(await countFacts()).toBeGreaterThanOrEqual(before + 2), 20_000)
    const stored = await collectionOf(world, 'watchers').findOne({ _id: person.id })
    expect(stored!.completedPlaylists ?? []).toEqual([])
    expect(await watchOf(trainee)).toMatchObject({ completed: false, required_percent: 100 })
  })

  test('of a new assignment decides whether an earlier completion counts', async () => {
    const trainee = await createTrainee(world, url, [20])
    await assign(trainee, percentOf(50))
    await trainee.lock.acquire()
    await watch(trainee, 0, 10)
    await eventually(() => expect(completionsOf(trainee)).toHaveLength(1))
    await assign(trainee)
    expect(await watchOf(trainee)).toMatchObject({ completed: false })
    expect(completionsOf(trainee)).toHaveLength(1)
    await watch(trainee, 10, 18)
    await trainee.lock.release()
    await eventually(() => expect(completionsOf(trainee)).toHaveLength(2))
    await assign(trainee, percentOf(60))
    await eventually(() => expect(completionsOf(trainee)).toHaveLength(3))
  })

  test('decides about no other task, whose waiting notes are published at the same time', async () => {
    const trainee = await createTrainee(world, url, [100])
    const { person, track } = trainee
    await assign(trainee)
    await trainee.lock.acquire()
    await watch(trainee, 0, 60)
    // The note of the second jump waits, and the player sends nothing more.
    await track({ event_type: 'play', watch_time: 60 })
    for (const position of [80, 99]) await track({ watch_time: position })
    const watcher = () => collectionOf(world, 'watchers').findOne({ _id: person.id })
    expect((await watcher())!.untold).toHaveLength(1)
    const other = world.playlist([100], { title: 'Fire' })
    world.assign(other, person)
    const otherTask = { ...trainee, playlistId: other.playlist_id }
    await watchOf(otherTask)
    world.clock.advance(limits.integrityNoteMs)
    await assign(otherTask, percentOf(50))
    expect((await watcher())!.completedPlaylists ?? []).toEqual([])
    expect(await watchOf(trainee)).toMatchObject({ completed: false })
  })

  test('is met when the lock interval arrives that pays for the last report', async () => {
    const trainee = await createTrainee(world, url, [20])
    await assign(trainee, percentOf(50))
    await trainee.lock.acquire()
    const started = world.clock.now()
    const isoAfter = (seconds: number) => iso(started + seconds * 1000)
    await trainee.track({ event_type: 'play', watch_time: 0, client_time: isoAfter(0) })
    world.clock.advance(1_000)
    await trainee.track({ event_type: 'pause', watch_time: 11, client_time: isoAfter(11) })
    expect(await watchOf(trainee)).toMatchObject({ completed: false })
    world.clock.advance(10_000)
    await trainee.lock.release()
    await eventually(() => expect(completionsOf(trainee)).toHaveLength(1))
  })

  test('decides the lists of superiors, too', async () => {
    const people = createPeople(world)
    const person = people.trainee1
    const playlist = world.playlist([20])
    world.assign(playlist, person)
    const me = callAs(world, url, person)
    const playlistId = playlist.playlist_id
    const track = (body: Record<string, unknown>) =>
      me.post('/engagement/track', { playlist_id: playlistId, video_id: 'v0', event_type: 'playing', ...body })
    const lock = createLock(world, person.id, playlistId)
    const trainee = { person, playlist, playlistId, me, lock, track, send: track } as Trainee
    await assign(trainee, percentOf(95))
    await lock.acquire()
    await watch(trainee, 0, 18)
    const listed = async () => {
      const { json } = await callAs(world, url, people.supervisor).get('/engagement/team')
      return json.members.find(({ user_id }: { user_id: string }) => user_id === person.id)
    }
    expect(await listed()).toMatchObject({ completed_videos: 1, total_videos: 1, progress: 'under_way' })
    await watch(trainee, 18, 20)
    await lock.release()
    expect(await listed()).toMatchObject({ completed_videos: 1, progress: 'finished' })
  })
})
