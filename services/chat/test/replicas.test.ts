import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { systemClock } from '@watchline/kit/core/clock'
import { eventually } from '@watchline/testing/harness'
import { allMessages, type ChatWorld, startChat, textsOf } from './_util.ts'

// Two replicas as in production, each with its own connections to RabbitMQ and Redis.
let world: ChatWorld
beforeAll(async () => {
  world = await startChat({ replicas: 2, bus: 'rabbitmq', live: 'redis', clock: systemClock })
})
afterAll(() => world.stop())

test('a message sent at one replica is read at the other, and hinted to all', async () => {
  const { trainee, supervisor, roomId } = world.pair()
  const before = await world.as(supervisor, 1).get('/chat/unread-count')
  const answer = await world.send(trainee, supervisor, 'Hello', { replica: 0 })
  expect(answer.status).toBe(200)
  const again = { 'if-none-match': before.headers.get('etag')! }
  const after = await world.as(supervisor, 1).get('/chat/unread-count', again)
  expect([after.status, after.json]).toEqual([200, { unread_count: 1 }])
  expect(await world.messages(supervisor, roomId, '', 1)).toEqual([answer.json.message])
  await world.read(supervisor, roomId, 1, 1)
  await world.as(supervisor, 1).post('/chat/typing', { recipient_id: trainee.id })
  await eventually(() =>
    expect(world.hints.filter(({ room_id }) => room_id === roomId).map(({ what }) => what)).toEqual([
      'message',
      'read',
      'typing',
    ]),
  )
})

test('one client_id at both replicas at once is one message, also after archiving', async () => {
  const { trainee, supervisor, roomId } = world.pair()
  for (let at = 0; at < 45; at += 1) {
    const clientId = `id-${at}`
    const answers = await Promise.all(
      [0, 1, 0, 1].map(replica =>
        world.send(at % 2 ? trainee : supervisor, at % 2 ? supervisor : trainee, `Message ${at}`, {
          clientId,
          replica,
        }),
      ),
    )
    expect(answers.map(response => [response.status, response.json.message?.seq])).toEqual(Array(4).fill([200, at + 1]))
    await Promise.all([world.resetRateLimit(trainee), world.resetRateLimit(supervisor)])
  }
  await eventually(async () =>
    expect((await world.rows('rooms').findOne({ _id: roomId }))!.moved_seq).toBeGreaterThan(0),
  )
  const late = await Promise.all(
    [0, 1].map(replica => world.send(supervisor, trainee, 'x', { clientId: 'id-0', replica })),
  )
  expect(late.map(answer => answer.json.message.seq)).toEqual([1, 1])
  const expected = Array.from({ length: 45 }, (_, at) => `Message ${at}`)
  for (const replica of [0, 1])
    expect(textsOf(await allMessages(world, trainee, roomId, 50, replica))).toEqual(expected)
})

test.each([
  ['one archiving', 1],
  ['several archivings', 3],
])('a client_id is recognised by a replica that missed %s', async (_name, archivings) => {
  const { trainee, supervisor, roomId } = world.pair()
  // The second replica remembers the room as it was before any archiving.
  await world.send(trainee, supervisor, 'Message 0', { clientId: 'id-0', replica: 1 })
  const seen = new Set([0])
  let last = 0
  for (; seen.size <= archivings; last += 1) {
    await world.resetRateLimit(trainee)
    await world.send(trainee, supervisor, `Message ${last + 1}`, { clientId: `id-${last + 1}`, replica: 0 })
    seen.add((await world.rows('rooms').findOne({ _id: roomId }))!.moved_seq)
  }
  const edges = [...seen].flatMap(seq => [seq - 1, seq])
  for (const at of [...edges, last >> 1, last].filter(index => index >= 0)) {
    await world.resetRateLimit(trainee)
    const answer = await world.send(trainee, supervisor, 'x', { clientId: `id-${at}`, replica: 1 })
    expect(answer.json.message).toMatchObject({ seq: at + 1, message: `Message ${at}` })
  }
  expect(await allMessages(world, supervisor, roomId, 500)).toHaveLength(last + 1)
})

test('the message rate limit counts over both replicas', async () => {
  const { trainee, supervisor } = world.pair()
  const answers = await Promise.all(
    Array.from({ length: limits.messageRateLimit + 10 }, (_, at) =>
      world.send(trainee, supervisor, `Message ${at}`, { replica: at % 2 }),
    ),
  )
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
  expect((await world.send(supervisor, trainee, 'Calm down', { replica: 1 })).status).toBe(200)
})

test('both replicas refuse a moved person soon, and still serve reads', async () => {
  const { trainee, supervisor, roomId } = world.pair()
  for (const replica of [0, 1]) await world.send(trainee, supervisor, 'Before', { replica })
  await world.changeSupervisor(trainee, null)
  for (const replica of [0, 1]) {
    await eventually(async () => expect((await world.send(supervisor, trainee, 'After', { replica })).status).toBe(403))
    await world.resetRateLimit(supervisor)
  }
  const count = (await world.messages(trainee, roomId)).length
  for (const replica of [0, 1]) {
    expect((await world.send(trainee, supervisor, 'After', { replica })).status).toBe(403)
    expect(await world.messages(supervisor, roomId, '', replica)).toHaveLength(count)
  }
})
