import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands } from '@watchline/testing/mongo-commands'
import { as, createEngagementWorld, type EngagementWorld, rows } from './_util.ts'

let world: EngagementWorld
let url: string
/** Commands of the service's own connection, change streams left out. */
let commands: RecordedCommand[]
beforeAll(async () => {
  world = await createEngagementWorld()
  commands = []
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl } })
  url = (await recordCommands(world.config.mongoUrl, command => commands.push(command), start)).url
})
afterAll(() => world.close())

describe('the hot path', () => {
  test('400 reports of 200 people at once cost a quarter of a command each at most, however slowly they come in', async () => {
    const playlist = world.playlist([3_600])
    const team = Array.from({ length: 200 }, () => world.person())
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
    const callers = team.map(each => as(world, url, each))
    const track = (who: (typeof callers)[number], at: number) =>
      who.post('/engagement/track', {
        playlist_id: playlist.playlist_id,
        video_id: 'v0',
        event_type: 'playing',
        watch_time: at,
        event_id: randomUUID(),
      })
    // Warm: people, playlists and assignments are in memory, and a report costs nothing but its read and its write.
    await eventually(async () => {
      await Promise.all(callers.map(each => track(each, 1)))
      commands.length = 0
      expect((await track(callers[0]!, 1)).status).toBe(200)
      expect(commands.filter(each => each.name === 'find')).toHaveLength(1)
      expect(commands.filter(each => each.name === 'update')).toHaveLength(1)
    })

    commands.length = 0
    // Nobody jumps: of that others would be told.
    world.clock.advance(10_000)
    const answers = await Promise.all(
      [...callers, ...callers].map((each, index) => track(each, 2 + ((index % callers.length) % 7))),
    )
    const counted = commands.filter(each => each.collection === 'watchers').length
    expect(answers.map(each => each.status)).toEqual(Array(400).fill(200))
    expect(counted).toBeGreaterThan(0)
    // On a machine that does nothing else it is a tenth (docs/performance.md): there a batch holds more of them.
    expect(counted).toBeLessThanOrEqual(100)
    const ids = team.map(each => each.id)
    expect(await rows(world, 'watchers').countDocuments({ _id: { $in: ids } })).toBe(200)
  })

  test('a supervisor’s dashboard reads at most ten documents, by id', async () => {
    const supervisor = world.person('supervisor')
    const team = Array.from({ length: 10 }, () => world.person('user', { supervisor_id: supervisor.id }))
    const playlist = world.playlist([100, 100])
    for (const person of team) {
      await world.publish('user.created', { person, by: null })
      for (const each of ['v0', 'v1'])
        await as(world, url, person)
          .post('/engagement/track', {
            playlist_id: playlist.playlist_id,
            video_id: each,
            event_type: 'play',
            watch_time: 0,
          })
          .then(answer => expect(answer.status).toBe(404))
    }
    world.assign(playlist, ...team)
    for (const person of team) {
      for (const each of ['v0', 'v1']) {
        const report = { playlist_id: playlist.playlist_id, video_id: each, event_type: 'play', watch_time: 0 }
        expect((await as(world, url, person).post('/engagement/track', report)).status).toBe(200)
      }
    }
    const boss = as(world, url, supervisor)
    await eventually(async () => expect((await boss.get('/engagement/dashboard')).json).toHaveLength(20))
    await eventually(async () => {
      commands.length = 0
      const answer = await boss.get('/engagement/dashboard')
      expect(answer.json).toHaveLength(20)
      expect(commands.filter(each => each.name === 'find')).toEqual([
        { name: 'find', collection: 'watchers', filter: { _id: { $in: expect.any(Array) } } },
      ])
    })
    expect((commands[0]!.filter as { _id: { $in: string[] } })._id.$in.sort()).toEqual(team.map(each => each.id).sort())
  })
})

describe('query plans', () => {
  test('of assignments, comments and people use an index', async () => {
    const database = world.database('engagement')
    const plans = [
      database.collection('assignments').find({ person_id: 'a', assigned: true }).sort({ at: -1, playlist_id: 1 }),
      database.collection('assignments').find({ playlist_id: 'a', assigned: true, person_id: { $in: ['b', 'c'] } }),
      database
        .collection('comments')
        .find({ playlist_id: 'a', video_id: 'b', person_id: { $in: ['c', 'd'] } })
        .sort({ timestamp: 1, created_at: 1, _id: 1 }),
      database
        .collection('comments')
        .find({ playlist_id: 'a', video_id: 'b' })
        .sort({ timestamp: 1, created_at: 1, _id: 1 }),
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
