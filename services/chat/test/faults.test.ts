import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { EventBusUnavailable } from '@watchline/kit/messaging/event-bus'
import { openMongoGate, withFailingWrites } from '@watchline/testing/faults'
import { eventually, serverUrl } from '@watchline/testing/harness'
import mongoose from 'mongoose'
import { type ChatWorld, readAllMessages, startChat, textsOf } from './_util.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await startChat({ noRateLimit: true, replicas: 2 })
})
afterAll(() => world.stop())

/**
 * Repeats a message with the same client_id until a replica acknowledges it, as the client does.
 */
async function sendUntil200(
  from: PersonSnapshot,
  to: PersonSnapshot,
  message: string,
  clientId: string,
  firstReplica = 0,
) {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const answer = await world.send(from, to, message, { clientId, replica: (firstReplica + attempt) % 2 })
    if (answer.status === 200) return answer
    expect(answer.status).toBeGreaterThanOrEqual(500)
  }
  throw new Error('never acknowledged')
}

const makeTexts = (count: number) => Array.from({ length: count }, (_, index) => `Message ${index}`)

describe('a client that retries until it is acknowledged has its messages stored once, in order', () => {
  test.each(['before', 'after'] as const)(
    'when every second write of rooms fails %s MongoDB applies it',
    async side => {
      const { trainee, supervisor, roomId } = world.createPair()
      await world.publishPeople(trainee, supervisor)
      const failed = await withFailingWrites(
        'bulkWrite',
        'rooms',
        call => (call % 2 === 1 ? side : undefined),
        async () => {
          for (const [index, text] of makeTexts(50).entries())
            await sendUntil200(trainee, supervisor, text, `id-${index}`, index)
        },
      )
      expect(failed).toBeGreaterThan(20)
      expect(textsOf(await readAllMessages(world, supervisor, roomId))).toEqual(makeTexts(50))
      expect(await world.countUnread(supervisor)).toBe(50)
    },
  )

  test.each([
    ['after', 'a broken connection', new mongoose.mongo.MongoNetworkError('cut')],
    ['before', 'a stepped-down primary', new mongoose.mongo.MongoServerError({ message: 'stepped down', code: 189 })],
  ] as const)('the service retries a write that fails %s MongoDB applies it, by %s', async (side, _cause, error) => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.publishPeople(trainee, supervisor)
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
    expect(textsOf(await readAllMessages(world, supervisor, roomId))).toEqual(['Once'])
  })

  test.each([
    ['insertMany', 'messages', 'before'],
    ['insertMany', 'messages', 'after'],
    ['bulkWrite', 'rooms', 'after'],
  ] as const)(
    'when archiving is interrupted (%s of %s fails %s MongoDB applies it)',
    async (method, collection, side) => {
      const { trainee, supervisor, roomId } = world.createPair()
      await world.publishPeople(trainee, supervisor)
      const failed = await withFailingWrites(
        method,
        collection,
        call => (call % 3 !== 0 ? side : undefined),
        async () => {
          for (const [index, text] of makeTexts(60).entries())
            await sendUntil200(trainee, supervisor, text, `id-${index}`, index)
        },
      )
      expect(failed).toBeGreaterThan(0)
      // Later messages complete the archiving.
      for (let index = 60; index < 160; index += 1)
        await sendUntil200(trainee, supervisor, `Message ${index}`, `id-${index}`)
      await eventually(async () => {
        const room = await world.collection('rooms').findOne({ _id: roomId })
        expect(room!.moved_seq).toBeGreaterThanOrEqual(96)
        expect(room!.tail.length).toBeLessThan(48)
      })
      expect(textsOf(await readAllMessages(world, supervisor, roomId))).toEqual(makeTexts(160))
      expect((await sendUntil200(trainee, supervisor, 'x', 'id-7')).json.message.message).toBe('Message 7')
    },
  )
})

describe('an unavailable MongoDB', () => {
  test('answers every call with 503 and Retry-After; a message sent again afterwards is stored once', async () => {
    const gate = await openMongoGate(serverUrl('MONGO_URL'))
    try {
      const { url, service } = await world.start({ config: { mongoUrl: gate.mongoUrl } })
      const { trainee, supervisor, roomId } = world.createPair()
      const me = world.callAs(trainee, url)
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
      await eventually(async () => expect((await send('Meanwhile', 'id-2')).status).toBe(200))
      expect(textsOf(await world.listMessages(supervisor, roomId))).toEqual(['Before', 'Meanwhile'])
      await service.stop()
    } finally {
      await gate.close()
    }
  })
})

describe('an unavailable broker', () => {
  test('loses hints only', async () => {
    const publish = () => Promise.reject(new EventBusUnavailable('away'))
    const { url } = await world.start({ ports: { bus: { ...world.ports.bus, publish } } })
    const { trainee, supervisor, roomId } = world.createPair()
    const body = { recipient_id: supervisor.id, message: 'Hello', chat_type: 'user_supervisor' }
    expect((await world.callAs(trainee, url).post('/chat/send', body)).status).toBe(200)
    expect((await world.callAs(supervisor, url).post(`/chat/mark-read?room_id=${roomId}`)).status).toBe(200)
    expect((await world.callAs(supervisor, url).post('/chat/typing', { recipient_id: trainee.id })).status).toBe(200)
    expect(await world.listMessages(supervisor, roomId)).toHaveLength(1)
  })
})

describe('an overloaded service', () => {
  test('answers 503 with Retry-After when its queue is full, and stores nothing', async () => {
    const { url } = await world.start({ sending: { maxQueue: 0 } })
    const { trainee, supervisor, roomId } = world.createPair()
    const body = { recipient_id: supervisor.id, message: 'Hello', chat_type: 'user_supervisor' }
    const answer = await world.callAs(trainee, url).post('/chat/send', body)
    expect([answer.status, answer.json.code]).toEqual([503, 'overloaded'])
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await world.collection('rooms').countDocuments({ _id: roomId })).toBe(0)
  })
})

describe('stopping', () => {
  test('completes the accepted messages and their archiving', async () => {
    const { url, service } = await world.start()
    const { trainee, supervisor, roomId } = world.createPair()
    const send = (index: number) =>
      world.callAs(trainee, url).post('/chat/send', {
        recipient_id: supervisor.id,
        message: `Message ${index}`,
        chat_type: 'user_supervisor',
      })
    const sends = Array.from({ length: 80 }, (_, index) => send(index))
    await Promise.all(sends.slice(0, 40))
    await service.stop()
    const answers = await Promise.allSettled(sends)
    const acknowledged = answers.flatMap(answer =>
      answer.status === 'fulfilled' && answer.value.status === 200 ? [answer.value.json.message.id] : [],
    )
    expect(acknowledged.length).toBeGreaterThanOrEqual(40)
    const stored = new Set((await readAllMessages(world, supervisor, roomId)).map(({ id }) => id))
    for (const id of acknowledged) expect(stored.has(id)).toBe(true)
    const room = await world.collection('rooms').findOne({ _id: roomId })
    expect(room!.tail.length).toBeLessThan(48)
  })
})
