import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { unavailableLiveStore } from '@watchline/testing/faults'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands } from '@watchline/testing/mongo-commands'
import {
  type Caller,
  callAs,
  collectionOf,
  createPlaybackWorld,
  createTeamWithPlaylist,
  type PlaybackWorld,
  type StartOptions,
} from './_util.ts'

let world: PlaybackWorld
let url: string
/** A replica that writes only full batches of 200 positions, however slow the machine is. */
let fullBatchesUrl: string
/** Commands of requests at both replicas. */
let commands: RecordedCommand[]
beforeAll(async () => {
  world = await createPlaybackWorld()
  commands = []
  const startRecorded = async (saving?: StartOptions['saving']) => {
    const start = (mongoUrl: string) => world.start({ config: { mongoUrl }, ...(saving && { saving }) })
    return (await recordCommands(world.config.mongoUrl, command => commands.push(command), start)).url
  }
  url = await startRecorded()
  fullBatchesUrl = await startRecorded({ windowMs: 600_000, quietMs: 600_000, maxBatch: 200 })
})
afterAll(() => world.close())

/** Commands on the collections of saves and heartbeats. The relay and the jobs use others. */
function routeCommands(): string[] {
  const collections: readonly unknown[] = ['progress', 'assignments', 'playlists', 'people', 'monitoring_sessions']
  return commands.filter(({ collection }) => collections.includes(collection)).map(({ name }) => name)
}

const save = (caller: Caller, playlistId: string, progress: number) =>
  caller.post('/session/save-progress', { playlist_id: playlistId, video_id: 'v1', video_index: 1, progress })

const isRead = (name: string) => name === 'find' || name === 'aggregate'

describe('the hot path', () => {
  test('400 concurrent saves of 200 people cost at most 40 commands', async () => {
    const { team, playlist } = await createTeamWithPlaylist(world, url, 200)
    const callers = team.map(person => callAs(world, url, person))
    for (let first = 0; first < callers.length; first += 20) {
      const batch = callers.slice(first, first + 20)
      await Promise.all(
        batch.map(caller => caller.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })),
      )
    }
    await eventually(async () => {
      expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBe(0)
      await Promise.all(callers.map(caller => save(caller, playlist.id, 1)))
      commands.length = 0
      expect((await save(callers[0]!, playlist.id, 2)).status).toBe(200)
      const [reads, writes] = [routeCommands().filter(isRead), routeCommands().filter(name => !isRead(name))]
      expect(writes).toEqual(['update'])
      expect(reads.length).toBeLessThanOrEqual(1)
    })

    const batchCallers = team.map(person => callAs(world, fullBatchesUrl, person))
    // The first round fills the caches of this replica.
    await eventually(async () => {
      commands.length = 0
      const answers = await Promise.all(
        [...batchCallers, ...batchCallers].map((caller, index) => save(caller, playlist.id, 3 + (index % 7))),
      )
      expect(answers.map(answer => answer.status)).toEqual(Array(400).fill(200))
      expect(routeCommands()).toContain('update')
      expect(routeCommands().length).toBeLessThanOrEqual(40)
    })
    expect(
      await collectionOf(world, 'progress').countDocuments({ playlist_id: playlist.id, position: { $gte: 3 } }),
    ).toBe(200)
  })

  test('many concurrent repeats of a start are one transaction without conflicts', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    const start = () => me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    await eventually(async () => expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBe(0))
    commands.length = 0
    const answers = await Promise.all(Array.from({ length: 30 }, start))
    expect(answers.map(answer => answer.status)).toEqual(Array(30).fill(200))
    const countCommands = (name: string) => commands.filter(command => command.name === name).length
    const fencingTokens = commands.filter(
      ({ name, collection }) => name === 'findAndModify' && collection === 'fences',
    ).length
    // A second fencing token would write the same document and make the transaction retry.
    expect([fencingTokens, countCommands('commitTransaction'), countCommands('abortTransaction')]).toEqual([1, 1, 0])
    expect(await collectionOf(world, 'monitoring_sessions').countDocuments({ person_id: trainee.id })).toBe(1)
  })

  test('a start reads the open session once before its transaction and once in it', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    commands.length = 0
    const start = { is_monitoring: true, playlist_id: playlist.id }
    expect((await callAs(world, url, trainee).post('/session/monitoring', start)).status).toBe(200)
    const reads = commands.filter(({ name, collection }) => name === 'find' && collection === 'monitoring_sessions')
    expect(reads).toHaveLength(2)
  })

  test('a heartbeat sends no command to MongoDB', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const me = callAs(world, url, trainee)
    await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    await me.post('/session/heartbeat')
    await eventually(async () => {
      expect(await collectionOf(world, 'outbox').countDocuments({ pending: true })).toBe(0)
      commands.length = 0
      for (let beat = 0; beat < 20; beat += 1) expect((await me.post('/session/heartbeat')).status).toBe(200)
      expect(routeCommands()).toEqual([])
    })
  })
})

describe('an unavailable live store', () => {
  test('answers monitoring with 503 and Retry-After, and nothing is written', async () => {
    const { trainee, playlist } = await createTeamWithPlaylist(world, url)
    const brokenUrl = (await world.start({ ports: { live: unavailableLiveStore() } })).url
    const me = callAs(world, brokenUrl, trainee)
    for (const answer of [
      await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id }),
      await me.post('/session/monitoring', { is_monitoring: false }),
      await save(me, playlist.id, 1),
      await me.post('/session/heartbeat'),
      await me.get('/session/status'),
    ]) {
      expect([answer.status, answer.json.code]).toEqual([503, 'unavailable'])
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await me.get('/playlists/today')).json.id).toBe(playlist.id)
    expect(await collectionOf(world, 'monitoring_sessions').countDocuments({ person_id: trainee.id })).toBe(0)
    expect(await collectionOf(world, 'progress').countDocuments({ person_id: trainee.id })).toBe(0)
  })
})
