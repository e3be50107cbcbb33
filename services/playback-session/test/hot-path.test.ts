import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { unavailableLiveStore } from '@watchline/testing/faults'
import { eventually } from '@watchline/testing/harness'
import { type RecordedCommand, recordCommands } from '@watchline/testing/mongo-commands'
import { as, aTeamWatching, type Caller, createPlaybackWorld, type PlaybackWorld, rows } from './_util.ts'

let world: PlaybackWorld
let url: string
/** Commands of the service's own connection, change streams left out. */
let commands: string[]
let numbersGivenOut = 0
beforeAll(async () => {
  world = await createPlaybackWorld()
  commands = []
  const start = (mongoUrl: string) => world.start({ config: { mongoUrl } })
  const note = ({ name, collection }: RecordedCommand) => {
    commands.push(name)
    if (name === 'findAndModify' && collection === 'fences') numbersGivenOut += 1
  }
  url = (await recordCommands(world.config.mongoUrl, note, start)).url
})
afterAll(() => world.close())

const save = (who: Caller, playlistId: string, progress: number) =>
  who.post('/session/save-progress', { playlist_id: playlistId, video_id: 'v1', video_index: 1, progress })

describe('the hot path', () => {
  test('400 saves of 200 people at once cost at most 40 commands', async () => {
    const { team, playlist } = await aTeamWatching(world, url, 200)
    const callers = team.map(each => as(world, url, each))
    for (let at = 0; at < callers.length; at += 20) {
      const some = callers.slice(at, at + 20)
      await Promise.all(
        some.map(each => each.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })),
      )
    }
    // Warm: the events of the start are out, and a save costs nothing but its write.
    await eventually(async () => {
      expect(await rows(world, 'outbox').countDocuments({ pending: true })).toBe(0)
      await Promise.all(callers.map(each => save(each, playlist.id, 1)))
      commands.length = 0
      expect((await save(callers[0]!, playlist.id, 2)).status).toBe(200)
      expect(commands.filter(each => each === 'update')).toHaveLength(1)
      expect(commands.filter(each => each === 'find' || each === 'aggregate').length).toBeLessThanOrEqual(1)
    })

    commands.length = 0
    const answers = await Promise.all(
      [...callers, ...callers].map((each, index) => save(each, playlist.id, 3 + (index % 7))),
    )
    const counted = commands.length
    expect(answers.map(each => each.status)).toEqual(Array(400).fill(200))
    expect(commands).toContain('update')
    expect(counted).toBeLessThanOrEqual(40)
    expect(await rows(world, 'progress').countDocuments({ playlist_id: playlist.id, position: { $gte: 3 } })).toBe(200)
  })

  test('a start that comes many times at once is one transaction, and they do not meet one another', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    const start = () => me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    await eventually(async () => expect(await rows(world, 'outbox').countDocuments({ pending: true })).toBe(0))
    commands.length = 0
    numbersGivenOut = 0
    const answers = await Promise.all(Array.from({ length: 30 }, start))
    expect(answers.map(each => each.status)).toEqual(Array(30).fill(200))
    const sent = (command: string) => commands.filter(each => each === command).length
    // A second fencing number, given out beside the transaction, could make it begin again: both write the same document.
    expect([numbersGivenOut, sent('commitTransaction'), sent('abortTransaction')]).toEqual([1, 1, 0])
    expect(await rows(world, 'monitoring_sessions').countDocuments({ person_id: trainee.id })).toBe(1)
  })

  test('a heartbeat costs MongoDB nothing', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const me = as(world, url, trainee)
    await me.post('/session/monitoring', { is_monitoring: true, playlist_id: playlist.id })
    await me.post('/session/heartbeat')
    await eventually(async () => {
      expect(await rows(world, 'outbox').countDocuments({ pending: true })).toBe(0)
      commands.length = 0
      for (let beat = 0; beat < 20; beat += 1) expect((await me.post('/session/heartbeat')).status).toBe(200)
      // The relay may look into the outbox meanwhile.
      expect(commands.length).toBeLessThanOrEqual(2)
    })
  })
})

describe('a live store that is away', () => {
  test('is 503 with Retry-After for monitoring, and nothing is written', async () => {
    const { trainee, playlist } = await aTeamWatching(world, url)
    const gone = (await world.start({ ports: { live: unavailableLiveStore() } })).url
    const me = as(world, gone, trainee)
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
    expect(await rows(world, 'monitoring_sessions').countDocuments({ person_id: trainee.id })).toBe(0)
    expect(await rows(world, 'progress').countDocuments({ person_id: trainee.id })).toBe(0)
  })
})
