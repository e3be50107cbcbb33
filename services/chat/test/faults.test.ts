import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { EventBusUnavailable } from '@watchline/kit/messaging/event-bus'
import { openMongoGate, withFailingWrites } from '@watchline/testing/faults'
import { eventually, serverUrl } from '@watchline/testing/harness'
import mongoose from 'mongoose'
import { allMessages, type ChatWorld, startChat, textsOf } from './_util.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await startChat({ noRateLimit: true, replicas: 2 })
})
afterAll(() => world.stop())

/** Sends as the client does: again with the same client_id until a replica acknowledges. */
async function until200(from: PersonSnapshot, to: PersonSnapshot, message: string, clientId: string, at = 0) {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const answer = await world.send(from, to, message, { clientId, replica: (at + attempt) % 2 })
    if (answer.status === 200) return answer
    expect(answer.status).toBeGreaterThanOrEqual(500)
  }
  throw new Error('never acknowledged')
}

const numbered = (count: number) => Array.from({ length: count }, (_, at) => `Message ${at}`)

describe('a client that retries until it is acknowledged has its messages stored once, in order', () => {
  test.each(['before', 'after'] as const)('when every second write of rooms fails %s it is applied', async side => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.introduce(trainee, supervisor)
    const failed = await withFailingWrites(
      'bulkWrite',
      'rooms',
      call => (call % 2 === 1 ? side : undefined),
      async () => {
        for (const [at, text] of numbered(50).entries()) await until200(trainee, supervisor, text, `id-${at}`, at)
      },
    )
    expect(failed).toBeGreaterThan(20)
    expect(textsOf(await allMessages(world, supervisor, roomId))).toEqual(numbered(50))
    expect(await world.unread(supervisor)).toBe(50)
  })

  test.each([
    ['after', 'a broken connection', new mongoose.mongo.MongoNetworkError('cut')],
    ['before', 'a stepped-down primary', new mongoose.mongo.MongoServerError({ message: 'stepped down', code: 189 })],
  ] as const)('the service retries a write that fails %s it is applied, by %s', async (side, _what, error) => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.introduce(trainee, supervisor)
    const failed = await withFailingWrites(
      'bulkWrite',
      'rooms',
      call => (call === 1 ? side : undefined),
      async () => {
        expect((await world.send(trainee, supervisor, 'Once')).status).toBe(200)
      },
      error,
    )
    expect(failed).toBe(1)
    expect(textsOf(await allMessages(world, supervisor, roomId))).toEqual(['Once'])
  })

  test.each([
    ['insertMany', 'messages', 'before'],
    ['insertMany', 'messages', 'after'],
    ['bulkWrite', 'rooms', 'after'],
  ] as const)('when archiving breaks off (%s of %s fails %s it is applied)', async (method, collection, side) => {
    const { trainee, supervisor, roomId } = world.pair()
    await world.introduce(trainee, supervisor)
    const failed = await withFailingWrites(
      method,
      collection,
      call => (call % 3 !== 0 ? side : undefined),
      async () => {
        for (const [at, text] of numbered(60).entries()) await until200(trainee, supervisor, text, `id-${at}`, at)
      },
    )
    expect(failed).toBeGreaterThan(0)
    // Later messages complete the archiving.
    for (let at = 60; at < 160; at += 1) await until200(trainee, supervisor, `Message ${at}`, `id-${at}`)
    await eventually(async () => {
      const room = await world.rows('rooms').findOne({ _id: roomId })
      expect(room!.moved_seq).toBeGreaterThanOrEqual(96)
      expect(room!.tail.length).toBeLessThan(48)
    })
    expect(textsOf(await allMessages(world, supervisor, roomId))).toEqual(numbered(160))
    expect((await until200(trainee, supervisor, 'x', 'id-7')).json.message.message).toBe('Message 7')
  })
})

describe('MongoDB away', () => {
  test('answers every call with 503 and Retry-After; a message sent again afterwards is stored once', async () => {
    const gate = await openMongoGate(serverUrl('MONGO_URL'))
    try {
      const { url, service } = await world.start({ config: { mongoUrl: gate.mongoUrl } })
      const { trainee, supervisor, roomId } = world.pair()
      const me = world.as(trainee, url)
      const send = (message: string, client_id: string) =>
        me.post('/chat/send', { recipient_id: supervisor.id, message, chat_type: 'user_supervisor', client_id })
      expect((await send('Before', 'id-1')).status).toBe(200)
      gate.shut()
      const answers = await Promise.all([
        send('Meanwhile', 'id-2'),
        me.get(`/chat/messages/${roomId}`),
        me.get('/chat/unread-count'),
        me.get('/chat/rooms'),
        me.post(`/chat/mark-read?room_id=${roomId}`),
        me.get(`/chat/rooms/${roomId}/export`),
      ])
      expect(answers.map(response => [response.status, response.json?.code])).toEqual(
        Array(6).fill([503, 'unavailable']),
      )
      for (const response of answers) expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      gate.open()
      await eventually(async () => expect((await send('Meanwhile', 'id-2')).status).toBe(200), 30_000)
      expect(textsOf(await world.messages(supervisor, roomId))).toEqual(['Before', 'Meanwhile'])
      await service.stop()
    } finally {
      await gate.close()
    }
  })
})

describe('a broker that is away', () => {
  test('loses hints only', async () => {
    const publish = () => Promise.reject(new EventBusUnavailable('away'))
    const { url } = await world.start({ ports: { bus: { ...world.ports.bus, publish } } })
    const { trainee, supervisor, roomId } = world.pair()
    const body = { recipient_id: supervisor.id, message: 'Hello', chat_type: 'user_supervisor' }
    expect((await world.as(trainee, url).post('/chat/send', body)).status).toBe(200)
    expect((await world.as(supervisor, url).post(`/chat/mark-read?room_id=${roomId}`)).status).toBe(200)
    expect((await world.as(supervisor, url).post('/chat/typing', { recipient_id: trainee.id })).status).toBe(200)
    expect(await world.messages(supervisor, roomId)).toHaveLength(1)
  })
})

describe('too much at once', () => {
  test('answers 503 with Retry-After beyond the queue, and stores nothing', async () => {
    const { url } = await world.start({ sending: { maxQueue: 0 } })
    const { trainee, supervisor, roomId } = world.pair()
    const body = { recipient_id: supervisor.id, message: 'Hello', chat_type: 'user_supervisor' }
    const answer = await world.as(trainee, url).post('/chat/send', body)
    expect([answer.status, answer.json.code]).toEqual([503, 'overloaded'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await world.rows('rooms').countDocuments({ _id: roomId })).toBe(0)
  })
})

describe('stopping', () => {
  test('completes the accepted messages and their archiving', async () => {
    const { url, service } = await world.start()
    const { trainee, supervisor, roomId } = world.pair()
    const send = (at: number) =>
      world.as(trainee, url).post('/chat/send', {
        recipient_id: supervisor.id,
        message: `Message ${at}`,
        chat_type: 'user_supervisor',
      })
    const sends = Array.from({ length: 80 }, (_, at) => send(at))
    await Promise.all(sends.slice(0, 40))
    await service.stop()
    const answers = await Promise.allSettled(sends)
    const acknowledged = answers.flatMap(answer =>
      answer.status === 'fulfilled' ? [answer.value.json.message.id] : [],
    )
    expect(acknowledged.length).toBeGreaterThanOrEqual(40)
    const stored = new Set((await allMessages(world, supervisor, roomId)).map(({ id }) => id))
    for (const id of acknowledged) expect(stored.has(id)).toBe(true)
    const room = await world.rows('rooms').findOne({ _id: roomId })
    expect(room!.tail.length).toBeLessThan(48)
  })
})
