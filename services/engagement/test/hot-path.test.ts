import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands } from '@watchline/testing/mongo-commands'
import { callAs, collectionOf, createEngagementWorld, type EngagementWorld, iso } from './_util.ts'

let world: EngagementWorld
let url: string
/** Commands of requests. */
const commands: RecordedCommand[] = []
/**
 * A second replica with batches of a fixed size, so that batching does not depend on the speed of
 * the machine.
 */
let batchingUrl: string
const batchingCommands: RecordedCommand[] = []
const batchSize = 100

beforeAll(async () => {
  world = await createEngagementWorld()
  const { mongoUrl } = world.config
  const start = (url: string) => world.start({ config: { mongoUrl: url } })
  url = (await recordCommands(mongoUrl, command => commands.push(command), start)).url
  // Full batches do not wait. The limit ends a batch that a refused report leaves incomplete.
  const waitMs = 5_000
  const tracking = { windowMs: waitMs, quietMs: waitMs, maxBatch: batchSize }
  const startBatching = (url: string) => world.start({ config: { mongoUrl: url }, tracking })
  batchingUrl = (await recordCommands(mongoUrl, command => batchingCommands.push(command), startBatching)).url
})
afterAll(() => world.close())

/** Creates people who have the playlist and own its monitoring lock. */
async function lockForTeam(size: number) {
  const playlist = world.playlist([3_600])
  const team = Array.from({ length: size }, () => world.addPerson())
  world.assign(playlist, ...team)
  for (const { id: personId } of team)
    await world.ports.live.locks.acquire({
      personId,
      sid: `sid-${personId}`,
      fence: 1,
      playlistId: playlist.playlist_id,
      now: world.clock.now(),
      ttlMs: limits.monitoringLockMs,
      takeOver: false,
    })
  return { playlist, team }
}

const track = (replicaUrl: string, person: PersonSnapshot, playlistId: string, position: number) =>
  callAs(world, replicaUrl, person).post('/engagement/track', {
    playlist_id: playlistId,
    video_id: 'v0',
    event_type: 'playing',
    watch_time: position,
    event_id: randomUUID(),
  })

describe('the hot path', () => {
  test('a report costs one read and one write once its person and playlist are in memory', async () => {
    const { playlist, team } = await lockForTeam(1)
    await eventually(async () => {
      await track(url, team[0]!, playlist.playlist_id, 1)
      commands.length = 0
      expect((await track(url, team[0]!, playlist.playlist_id, 1)).status).toBe(200)
      expect(commands.filter(({ name }) => name === 'find')).toHaveLength(1)
      expect(commands.filter(({ name }) => name === 'update')).toHaveLength(1)
    })
  })

  test('400 concurrent reports of 200 people cost at most a quarter of a command each', async () => {
    const { playlist, team } = await lockForTeam(2 * batchSize)
    const trackAll = (people: readonly PersonSnapshot[], position: (index: number) => number) =>
      Promise.all(people.map((person, index) => track(batchingUrl, person, playlist.playlist_id, position(index))))
    await trackAll(team, () => 1)
    batchingCommands.length = 0
    // Positions stay within normal play. A jump would be noted, and its note needs a transaction.
    world.clock.advance(10_000)
    const answers = await trackAll([...team, ...team], index => 2 + ((index % team.length) % 7))
    const commandCount = batchingCommands.filter(({ collection }) => collection === 'watchers').length
    expect(answers.map(({ status }) => status)).toEqual(Array(400).fill(200))
    expect(commandCount).toBeGreaterThan(0)
    expect(commandCount).toBeLessThanOrEqual(100)
    const ids = team.map(({ id }) => id)
    expect(await collectionOf(world, 'watchers').countDocuments({ _id: { $in: ids } })).toBe(200)
  })

  test('a person who has watched much reads only the task, and is credited as everybody', async () => {
    const { playlist: first, team } = await lockForTeam(1)
    const person = team[0]!
    const { locks } = world.ports.live
    const sid = `sid-${person.id}`
    const second = world.playlist([10, 3_600])
    world.assign(second, person)
    const watchers = collectionOf(world, 'watchers')
    const report = async (playlistId: string, type: string, position: number, clientTime: number) => {
      const answer = await callAs(world, url, person).post('/engagement/track', {
        ...{ playlist_id: playlistId, video_id: 'v0', event_type: type, watch_time: position },
        ...{ event_id: randomUUID(), client_time: iso(clientTime) },
      })
      expect(answer.status).toBe(200)
      return answer.json.watched
    }
    const start = world.clock.now()
    await eventually(() => report(first.playlist_id, 'play', 0, start))
    const earlier = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `earlier:v${index}`,
        { intervals: [[0, 60]], watchTime: 60, duration: 60, notes: {}, completedAt: 1, lastReportAt: 1 },
      ]),
    )
    const fields = Object.entries(earlier).map(([key, watch]) => [`videos.${key}`, watch])
    await watchers.updateOne({ _id: person.id }, { $set: Object.fromEntries(fields), $inc: { version: 1 } })

    commands.length = 0
    // The bank covers the overdraft only. The remaining seconds wait.
    expect((await report(first.playlist_id, 'playing', 9, start + 9_000)).watch_time).toBe(3)
    expect(commands.filter(({ name, collection }) => name === 'find' && collection === 'watchers')).toHaveLength(1)
    world.clock.advance(30_000)
    await locks.release(person.id, sid)
    await locks.acquire({
      ...{ personId: person.id, sid, fence: 2, playlistId: second.playlist_id },
      ...{ now: world.clock.now(), ttlMs: limits.monitoringLockMs, takeOver: false },
    })
    world.clock.advance(20_000)
    // This report pays for a video of another playlist, and the next one completes a video.
    await report(second.playlist_id, 'play', 0, start + 40_000)
    const watched = await report(second.playlist_id, 'playing', 10, start + 50_000)
    expect(watched).toMatchObject({
      completed_videos: 1,
      watch_time: 10,
      videos: [{ video_id: 'v0', completed: true }],
    })
    const { videos } = (await watchers.findOne({ _id: person.id }))!
    expect(videos).toMatchObject(earlier)
    expect(videos[`${first.playlist_id}:v0`]).toMatchObject({ watchTime: 9, intervals: [[0, 9]] })
    expect(videos[`${second.playlist_id}:v0`]).toMatchObject({ watchTime: 10 })
    expect(Object.keys(videos)).toHaveLength(302)
  })

  test('a supervisor’s dashboard reads at most ten documents, by id', async () => {
    const supervisor = world.addPerson('supervisor')
    const team = Array.from({ length: 10 }, () => world.addPerson('user', { supervisor_id: supervisor.id }))
    const playlist = world.playlist([100, 100])
    for (const person of team) {
      await world.publish('user.created', { person, by: null })
      for (const videoId of ['v0', 'v1'])
        await callAs(world, url, person)
          .post('/engagement/track', {
            playlist_id: playlist.playlist_id,
            video_id: videoId,
            event_type: 'play',
            watch_time: 0,
          })
          .then(answer => expect(answer.status).toBe(404))
    }
    world.assign(playlist, ...team)
    for (const person of team) {
      for (const videoId of ['v0', 'v1']) {
        const report = { playlist_id: playlist.playlist_id, video_id: videoId, event_type: 'play', watch_time: 0 }
        expect((await callAs(world, url, person).post('/engagement/track', report)).status).toBe(200)
      }
    }
    const supervisorClient = callAs(world, url, supervisor)
    await eventually(async () => expect((await supervisorClient.get('/engagement/dashboard')).json).toHaveLength(20))
    await eventually(async () => {
      commands.length = 0
      const answer = await supervisorClient.get('/engagement/dashboard')
      expect(answer.json).toHaveLength(20)
      expect(commands.filter(({ name }) => name === 'find')).toEqual([
        { name: 'find', collection: 'watchers', filter: { _id: { $in: expect.any(Array) } } },
      ])
    })
    const read = commands.find(({ name }) => name === 'find')!.filter as { _id: { $in: string[] } }
    expect(read._id.$in.sort()).toEqual(team.map(({ id }) => id).sort())
  })
})

describe('query plans', () => {
  test('of a team’s assignments use the index alone', async () => {
    const supervisor = world.addPerson('supervisor')
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    await world.publish('user.created', { person: trainee, by: null })
    const readTeam = () => callAs(world, url, supervisor).get('/engagement/team')
    await eventually(async () => expect((await readTeam()).json.members).toHaveLength(1))
    commands.length = 0
    await readTeam()
    const isOfAssignments = ({ name, collection }: RecordedCommand) =>
      name === 'aggregate' && collection === 'assignments'
    const { pipeline } = commands.find(isOfAssignments)!
    const aggregate = { aggregate: 'assignments', pipeline, cursor: {} }
    const plan = JSON.stringify(
      await world.database('engagement').command({ explain: aggregate, verbosity: 'queryPlanner' }),
    )
    expect(plan).toContain('IXSCAN')
    expect(plan).not.toContain('"stage":"FETCH"')
  })

  test('of assignments, comments and people use an index', async () => {
    const database = world.database('engagement')
    const shownComments = {
      playlist_id: 'a',
      video_id: 'b',
      parent_id: null,
      $and: [
        { $or: [{ 'review.approved': { $ne: false } }, { person_id: 'c' }] },
        { $or: [{ hidden: null }, { person_id: { $in: ['c', 'd'] } }] },
        { $or: [{ deleted_at: null }, { reply_count: { $gt: 0 } }] },
      ],
    }
    const plans = [
      database.collection('assignments').find({ person_id: 'a', assigned: true }).sort({ at: -1, playlist_id: 1 }),
      database.collection('assignments').find({ playlist_id: 'a', assigned: true, person_id: { $in: ['b', 'c'] } }),
      database
        .collection('comments')
        .find({ ...shownComments, person_id: { $in: ['c', 'd'] } })
        .sort({ timestamp: 1, created_at: 1, _id: 1 }),
      database.collection('comments').find(shownComments).sort({ timestamp: 1, created_at: 1, _id: 1 }),
      database.collection('people').find({ role: 'user' }).sort({ name_key: 1, _id: 1 }),
      database.collection('people').find({ supervisor_id: 'a', role: 'user' }),
    ]
    for (const plan of plans) {
      const { winningPlan } = (await plan.explain('queryPlanner')).queryPlanner
      const text = JSON.stringify(winningPlan)
      expect(text).toContain('IXSCAN')
      expect(text).not.toContain('COLLSCAN')
      expect(text).not.toContain('"stage":"SORT"')
    }
  })
})
