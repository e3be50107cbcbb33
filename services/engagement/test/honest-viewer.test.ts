import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createEngagementWorld, createTrainee, type EngagementWorld, iso, play } from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

const lengths = [10, 50, 99, 100, 120, 600, 3_601]
const hour = 3600_000

describe('an honest viewer', () => {
  test.each(lengths)('of a video of %d s gets at least 99 %% credited and completes it once', async duration => {
    const { person, playlistId, lock, send, watched } = await createTrainee(world, url, [duration])
    await lock.acquire()
    const answers = await play(world, send, playlistId, { to: duration }, lock.renew)
    await lock.release()
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]))
    expect(answers[0]!.json).toMatchObject({ success: true, watched: { playlist_id: playlistId, completion_rate: 0 } })
    const video = await watched()
    expect(video.completion_rate).toBeGreaterThanOrEqual(99)
    expect(video).toMatchObject({ completed: true, missing: [], notes: [] })
    expect(video.watch_time).toBeLessThanOrEqual(duration + 0.1)
    expect(await completionsOf(person.id)).toEqual(['v0'])
  })

  test.each([10, 120, 600])(
    'of a video of %d s gets everything credited when every report takes 25 s',
    async duration => {
      const { playlistId, lock, send, watched } = await createTrainee(world, url, [duration])
      await lock.acquire()
      await play(world, send, playlistId, { to: duration, latencyS: 25 }, lock.renew)
      await lock.release()
      expect((await watched()).completion_rate).toBeGreaterThanOrEqual(99)
    },
  )

  test.each([10, 120, 600])(
    'of a video of %d s gets everything credited after a break of a day half-way',
    async duration => {
      const { playlistId, lock, send, watched } = await createTrainee(world, url, [duration])
      await lock.acquire()
      await play(world, send, playlistId, { to: duration / 2, end: 'pause' }, lock.renew)
      await lock.release()
      const half = await watched()
      expect(half.completion_rate).toBeCloseTo(50, 0)
      expect(half.missing).toEqual([[duration / 2, duration]])
      world.clock.advance(20 * hour)
      await lock.acquire()
      await play(world, send, playlistId, { from: duration / 2, to: duration }, lock.renew)
      await lock.release()
      expect((await watched()).completion_rate).toBeGreaterThanOrEqual(99)
    },
  )

  test.each(['before', 'after'])(
    'gets everything credited after an hour without a connection, if the end of the lock is known %s the reports',
    async order => {
      const { person, playlistId, lock, send, watched } = await createTrainee(world, url, [600])
      await lock.acquire()
      await play(world, send, playlistId, { to: 60, end: 'playing' }, lock.renew)
      const publishExpiry = lock.expire()
      // The player pauses before the lock has expired.
      const unsent = []
      for (let position = 70; position <= 330; position += 10) {
        world.clock.advance(10_000)
        const event_type = position === 330 ? 'pause' : 'playing'
        unsent.push({ event_type, watch_time: position, client_time: iso(world.clock.now()), event_id: randomUUID() })
      }
      world.clock.advance(hour)
      if (order === 'before') await publishExpiry()
      await lock.acquire()
      for (const report of unsent) expect((await send(report)).status).toBe(200)
      if (order === 'after') await publishExpiry()
      await play(world, send, playlistId, { from: 330, to: 600 }, lock.renew)
      await lock.release()
      const video = await watched()
      expect(video).toMatchObject({ completed: true, missing: [], notes: [] })
      expect(video.watch_time).toBeLessThanOrEqual(600.1)
      expect(await completionsOf(person.id)).toEqual(['v0'])
    },
  )

  test('gets everything credited when the player never reports ended and stops slightly past the duration', async () => {
    for (const end of ['playing', 'pause'] as const) {
      const { playlistId, lock, send, watched } = await createTrainee(world, url, [100])
      await lock.acquire()
      const answers = await play(world, send, playlistId, { to: 100, end, past: 1.9 }, lock.renew)
      expect(answers.at(-1)!.status).toBe(200)
      await lock.release()
      expect(await watched()).toMatchObject({ completion_rate: 100, completed: true, watched: [[0, 100]] })
    }
  })

  test('gets everything credited when the last report arrives between release and monitoring.stopped', async () => {
    const { person, playlistId, lock, track, watched } = await createTrainee(world, url, [10])
    await lock.acquire()
    const started = world.clock.now()
    world.clock.advance(10_000)
    const publishStopped = await lock.release(false)
    world.clock.advance(25_000)
    const isoAfter = (seconds: number) => new Date(started + seconds * 1000).toISOString()
    world.owners.requestedPaths.length = 0
    await track({ event_type: 'play', watch_time: 0, client_time: isoAfter(0), event_id: crypto.randomUUID() })
    await track({ event_type: 'ended', watch_time: 10, client_time: isoAfter(10), event_id: crypto.randomUUID() })
    expect(world.owners.requestedPaths.filter(path => path === `/internal/holds/${person.id}`)).toHaveLength(1)
    expect(await watched()).toMatchObject({ completion_rate: 100, notes: [] })
    await publishStopped()
    expect((await watched()).watch_time).toBe(10)
    expect(playlistId).toBeTruthy()
  })

  test('gets everything credited in half the time at an allowed rate of 2', async () => {
    const fast = (await world.start({ config: { maxPlaybackRate: 2 } })).url
    const { playlistId, lock, me, send, watched } = await createTrainee(world, fast, [600])
    expect((await me.get(`/engagement/watched/${playlistId}`)).json.max_playback_rate).toBe(2)
    await lock.acquire()
    await play(world, send, playlistId, { to: 600, rate: 2 }, lock.renew)
    await lock.release()
    expect((await watched()).completion_rate).toBeGreaterThanOrEqual(99)
  })

  test('gets with each answer what the watched call then says of the reported video', async () => {
    const { playlistId, lock, me, send } = await createTrainee(world, url, [30, 10])
    await lock.acquire()
    const expectSameAnswer = async (videoId: string, answer: { json: Record<string, unknown> }) => {
      const { max_playback_rate: _rate, ...watch } = (await me.get(`/engagement/watched/${playlistId}`)).json
      const videos = watch.videos.filter((video: { video_id: string }) => video.video_id === videoId)
      expect(answer.json).toEqual({ success: true, watched: { ...watch, videos } })
    }
    const sendAndCompare = async (report: Record<string, unknown>) => {
      const answer = await send(report)
      await expectSameAnswer(String(report.video_id), answer)
      return answer
    }
    await play(world, sendAndCompare, playlistId, { to: 30 }, lock.renew)
    const answers = await play(world, sendAndCompare, playlistId, { videoId: 'v1', to: 10 }, lock.renew)
    await lock.release()
    expect(answers.at(-1)!.json.watched).toMatchObject({ completion_rate: 100, completed: true, completed_videos: 2 })
  })

  test('may omit the playlist, the event id and the client time', async () => {
    const { playlistId, lock, me, watched } = await createTrainee(world, url, [30])
    await lock.acquire()
    for (const [event_type, watch_time, wait] of [
      ['play', 0, 10],
      ['playing', 10, 10],
      ['playing', 20, 10],
      ['ended', 30, 0],
    ] as const) {
      const answer = await me.post('/engagement/track', { video_id: 'v0', event_type, watch_time })
      expect([answer.status, answer.json.success]).toEqual([200, true])
      world.clock.advance(wait * 1000)
    }
    await lock.release()
    expect((await watched()).completion_rate).toBe(100)
    expect(playlistId).toBeTruthy()
  })
})

async function completionsOf(personId: string): Promise<string[]> {
  const events = await world
    .database('engagement')
    .collection('outbox')
    .find({ 'event.type': 'video.completed', 'event.data.person_id': personId })
    .toArray()
  return events.map(row => row.event.data.video_id)
}
