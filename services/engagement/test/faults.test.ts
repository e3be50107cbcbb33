import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ApiResponse } from '@watchline/testing/api-client'
import { withFailingWrites } from '@watchline/testing/faults'
import { eventually } from '@watchline/testing/harness'
import { callAs, collectionOf, createEngagementWorld, createTrainee, type EngagementWorld, iso, play } from './_util.ts'

let world: EngagementWorld
let url: string
beforeAll(async () => {
  world = await createEngagementWorld()
  url = (await world.start()).url
})
afterAll(() => world.close())

type Send = (body: Record<string, unknown>) => Promise<ApiResponse>

/**
 * Repeats the same report with the same id until it is acknowledged, as the client's outbox does.
 */
async function until200(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const answer = await send().catch(() => undefined)
    if (answer?.status === 200) return answer
    if (answer && answer.status < 500) throw new Error(`${answer.status} ${answer.text}`)
  }
  throw new Error('never acknowledged')
}

async function expectCreditedOnce(watched: () => Promise<Record<string, unknown>>, duration: number, personId: string) {
  const video = (await watched()) as { watch_time: number }
  expect(video).toMatchObject({ completion_rate: 100, completed: true, notes: [], missing: [] })
  expect(video.watch_time).toBeCloseTo(duration, 0)
  const completions = await collectionOf(world, 'outbox').countDocuments({
    'event.type': 'video.completed',
    'event.data.person_id': personId,
  })
  expect(completions).toBe(1)
}

describe('a client that repeats until it is acknowledged is credited once', () => {
  test.each(['before', 'after'] as const)('when every second write fails %s MongoDB applies it', async side => {
    const { person, playlistId, lock, send, watched } = await createTrainee(world, url, [100])
    await lock.acquire()
    const sendUntil200: Send = body => until200(() => send(body))
    const fault = (call: number) => (call % 2 === 1 ? side : undefined)
    const failed = await withFailingWrites('bulkWrite', 'watchers', fault, async () => {
      await withFailingWrites('updateOne', 'watchers', fault, async () => {
        await play(world, sendUntil200, playlistId, { to: 100 }, lock.renew)
      })
    })
    expect(failed).toBeGreaterThanOrEqual(4)
    await lock.release()
    await expectCreditedOnce(watched, 100, person.id)
  })

  test('when 2 % of the answers are 503, with the report accepted or not', async () => {
    const { person, playlistId, lock, send, watched } = await createTrainee(world, url, [1_200])
    let callCount = 0
    let failureCount = 0
    // Every 50th call fails, alternately before and after the service accepts the report.
    const faulty: Send = async body => {
      callCount += 1
      if (callCount % 50 !== 0) return send(body)
      failureCount += 1
      if (failureCount % 2 === 0) await send(body)
      return { status: 503, json: undefined, text: '', headers: new Headers() }
    }
    await lock.acquire()
    await play(world, body => until200(() => faulty(body)), playlistId, { to: 1_200 }, lock.renew)
    expect(failureCount).toBeGreaterThanOrEqual(2)
    await lock.release()
    await expectCreditedOnce(watched, 1_200, person.id)
  })

  test('when the service dies during a write and another replica continues', async () => {
    const first = await world.start()
    const trainee = await createTrainee(world, first.url, [40])
    const { person, playlistId, lock, watched } = trainee
    let currentUrl = first.url
    const send: Send = body =>
      callAs(world, currentUrl, person).post('/engagement/track', { playlist_id: playlistId, video_id: 'v0', ...body })
    await lock.acquire()
    await play(world, send, playlistId, { to: 20, end: 'playing' }, lock.renew)
    world.clock.advance(10_000)
    const report = {
      event_type: 'playing',
      watch_time: 30,
      client_time: iso(world.clock.now()),
      event_id: randomUUID(),
    }
    const failed = await withFailingWrites(
      'bulkWrite',
      'watchers',
      call => (call === 1 ? 'after' : undefined),
      async () => {
        expect((await send(report)).status).toBeGreaterThanOrEqual(500)
      },
    )
    expect(failed).toBe(1)
    await first.service.stop()
    await expect(send(report)).rejects.toThrow()
    currentUrl = (await world.start()).url
    expect((await until200(() => send(report))).status).toBe(200)
    world.clock.advance(10_000)
    await send({ event_type: 'ended', watch_time: 40, client_time: iso(world.clock.now()), event_id: randomUUID() })
    await lock.release()
    const me = callAs(world, currentUrl, person)
    const fetchVideo = async () => (await me.get(`/engagement/watched/${playlistId}`)).json.videos[0]
    await expectCreditedOnce(fetchVideo, 40, person.id)
    expect(watched).toBeDefined()
  })

  test('when the transaction of a completion fails after each step', async () => {
    const { person, playlistId, lock, send, watched } = await createTrainee(world, url, [20])
    await lock.acquire()
    await withFailingWrites(
      'updateOne',
      'watchers',
      call => (call === 1 ? 'after' : undefined),
      async () => {
        await play(world, body => until200(() => send(body)), playlistId, { to: 20 }, lock.renew)
      },
    )
    await lock.release()
    await expectCreditedOnce(watched, 20, person.id)
  })
})

describe('two replicas', () => {
  test('credit every second once when both receive one person’s reports', async () => {
    const secondUrl = (await world.start()).url
    const { person, playlistId, lock, track, watched } = await createTrainee(world, url, [100, 100, 100, 100])
    const secondReplica = callAs(world, secondUrl, person)
    await lock.acquire()
    const start = world.clock.now()
    const videos = ['v0', 'v1', 'v2', 'v3']
    // Four videos in sequence, each reported twice, to both replicas concurrently.
    let eventAt = start
    for (const video of videos) {
      for (let position = 0; position <= 100; position += 10) {
        world.clock.advance(eventAt - world.clock.now())
        await lock.renew()
        const report = {
          video_id: video,
          event_type: position === 0 ? 'play' : position === 100 ? 'ended' : 'playing',
          watch_time: position,
          client_time: iso(eventAt),
          event_id: randomUUID(),
        }
        const answers = await Promise.all([
          track(report),
          track(report, secondReplica),
          track(report, secondReplica),
          track(report),
        ])
        expect(answers.map(answer => answer.status)).toEqual([200, 200, 200, 200])
        if (position < 100) eventAt += 10_000
      }
    }
    await lock.release()
    for (const index of [0, 1, 2, 3]) {
      const video = await watched(index)
      expect(video).toMatchObject({ completion_rate: 100, completed: true, watched: [[0, 100]] })
      expect(video.watch_time).toBeCloseTo(100, 0)
    }
    const events = await collectionOf(world, 'outbox').find({ 'event.data.person_id': person.id }).toArray()
    expect(events.map(row => row.event.type).sort()).toEqual([
      'playlist.completed',
      ...videos.map(() => 'video.completed'),
    ])
    expect(playlistId).toBeTruthy()
  })

  test('accept all of 40 concurrent reports of one person', async () => {
    const secondUrl = (await world.start()).url
    const { person, lock, track } = await createTrainee(world, url, [3_600])
    const secondReplica = callAs(world, secondUrl, person)
    await lock.acquire()
    const ids = Array.from({ length: 40 }, () => randomUUID())
    const report = (event_id: string, index: number) =>
      track({ event_type: 'play', watch_time: index, event_id }, ...(index % 2 ? [secondReplica] : []))
    // The first report of each replica fetches the playlist and the assignment from their owner.
    const first = [await report(ids[0]!, 0), await report(ids[1]!, 1)]
    const answers = [...first, ...(await Promise.all(ids.slice(2).map((id, index) => report(id, index + 2))))]
    expect(answers.map(answer => answer.json.success)).toEqual(ids.map(() => true))
    const stored = await collectionOf(world, 'watchers').findOne({ _id: person.id })
    expect([...stored!.seen].sort()).toEqual([...ids].sort())
  })
})

describe('stopping', () => {
  test('finishes accepted reports, raw reports included', async () => {
    // MongoDB deletes raw reports that are a month old by its own clock.
    world.clock.advance(Date.now() - world.clock.now())
    const { service, url: stoppingUrl } = await world.start()
    const { person, track } = await createTrainee(world, stoppingUrl, [60])
    const requests = Array.from({ length: 20 }, (_, index) =>
      track({ event_type: 'play', watch_time: index, event_id: randomUUID() }),
    )
    await Promise.all(requests.slice(0, 10))
    await service.stop()
    const answers = await Promise.allSettled(requests)
    const acknowledged = answers.filter(result => result.status === 'fulfilled' && result.value.status === 200).length
    expect(acknowledged).toBeGreaterThanOrEqual(10)
    const stored = await collectionOf(world, 'watchers').findOne({ _id: person.id })
    expect(stored!.seen.length).toBeGreaterThanOrEqual(acknowledged)
    const raw = await world.database('engagement').collection('reports').countDocuments({ person_id: person.id })
    expect(raw).toBeGreaterThanOrEqual(acknowledged)
  })

  test('a full queue answers 503 with Retry-After and stores nothing', async () => {
    const fullUrl = (await world.start({ tracking: { maxQueue: 0 } })).url
    const { person, track } = await createTrainee(world, fullUrl, [60])
    const lock = await world.ports.live.locks.acquire({
      personId: person.id,
      sid: `sid-${person.id}`,
      fence: 1,
      playlistId: 'any',
      now: world.clock.now(),
      ttlMs: 60_000,
      takeOver: false,
    })
    expect(lock.acquired).toBe(true)
    const answer = await track({ event_type: 'play', watch_time: 0 })
    expect([answer.status, answer.json.code]).toEqual([503, 'overloaded'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await collectionOf(world, 'watchers').findOne({ _id: person.id })).toBeNull()
  })
})

describe('raw reports', () => {
  const makeReport = (seconds: number) => ({
    event_type: seconds === 0 ? 'play' : 'playing',
    watch_time: seconds,
    client_time: iso(world.clock.now()),
    event_id: randomUUID(),
  })
  async function findRawIds(personId: string): Promise<string[]> {
    const rows = await world.database('engagement').collection('reports').find({ person_id: personId }).toArray()
    return rows.map(({ report }) => report.eventId)
  }

  /** Sends another report, and expects that each of the two is stored once. */
  async function expectStoredOnce(
    { person, lock, send }: Awaited<ReturnType<typeof createTrainee>>,
    first: ReturnType<typeof makeReport>,
  ) {
    world.clock.advance(10_000)
    await lock.renew()
    const second = makeReport(10)
    expect((await send(second)).status).toBe(200)
    // Reports are stored in their order, so the last one proves that the others are stored.
    await eventually(async () => expect(await findRawIds(person.id)).toContain(second.event_id))
    expect((await findRawIds(person.id)).sort()).toEqual([first.event_id, second.event_id].sort())
  }

  test('contain a report once that was refused and sent again', async () => {
    const trainee = await createTrainee(world, url, [60])
    const { lock, send } = trainee
    await lock.acquire()
    const first = makeReport(0)
    await withFailingWrites(
      'bulkWrite',
      'watchers',
      call => (call === 1 ? 'before' : undefined),
      async () => expect((await send(first)).status).toBeGreaterThanOrEqual(500),
    )
    expect((await send(first)).status).toBe(200)
    await expectStoredOnce(trainee, first)
  })

  test('contain a report once that was accepted and arrived again', async () => {
    const trainee = await createTrainee(world, url, [60])
    const { lock, send } = trainee
    await lock.acquire()
    const first = makeReport(0)
    expect((await send(first)).status).toBe(200)
    const repeated = await Promise.all([send(first), send(first)])
    expect(repeated.map(answer => answer.status)).toEqual([200, 200])
    await expectStoredOnce(trainee, first)
  })

  test('are stored for 30 days in a time series', async () => {
    const [collection] = await world.database('engagement').listCollections({ name: 'reports' }).toArray()
    expect(collection).toMatchObject({
      type: 'timeseries',
      options: { timeseries: { timeField: 'at' }, expireAfterSeconds: 30 * 24 * 3600 },
    })
  })
})
