import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { systemClock } from '@watchline/kit/core/clock'
import { eventually } from '@watchline/testing/harness'
import { type ChatWorld, readAllMessages, startChat, textsOf } from './_util.ts'

// Each replica has its own connections to RabbitMQ and Redis, as in production.
let world: ChatWorld
beforeAll(async () => {
  world = await startChat({ replicas: 2, bus: 'rabbitmq', live: 'redis', clock: systemClock })
})
afterAll(() => world.stop())

test('a message sent at one replica can be read at the other, and publishes hints', async () => {
  const { trainee, supervisor, roomId } = world.createPair()
  const before = await world.callAs(supervisor, 1).get('/chat/unread-count')
  const answer = await world.send(trainee, supervisor, 'Hello', { replica: 0 })
  expect(answer.status).toBe(200)
  const headers = { 'if-none-match': before.headers.get('etag')! }
  const after = await world.callAs(supervisor, 1).get('/chat/unread-count', headers)
  expect([after.status, after.json]).toEqual([200, { unread_count: 1 }])
  expect(await world.listMessages(supervisor, roomId, '', 1)).toEqual([answer.json.message])
  const hintsOfRoom = () => world.hints.filter(({ room_id }) => room_id === roomId).map(({ what }) => what)
  // Hints of different replicas have no common order.
  await eventually(() => expect(hintsOfRoom()).toEqual(['message']))
  await world.markRead(supervisor, roomId, 1, 1)
  await world.callAs(supervisor, 1).post('/chat/typing', { recipient_id: trainee.id })
  await eventually(() => expect(hintsOfRoom()).toEqual(['message', 'read', 'typing']))
})

test('concurrent sends with one client_id at both replicas create one message, also after archiving', async () => {
  const { trainee, supervisor, roomId } = world.createPair()
  for (let index = 0; index < 45; index += 1) {
    const clientId = `id-${index}`
    const answers = await Promise.all(
      [0, 1, 0, 1].map(replica =>
        world.send(index % 2 ? trainee : supervisor, index % 2 ? supervisor : trainee, `Message ${index}`, {
          clientId,
          replica,
        }),
      ),
    )
    expect(answers.map(response => [response.status, response.json.message?.seq])).toEqual(
      Array(4).fill([200, index + 1]),
    )
    await Promise.all([world.resetRateLimit(trainee), world.resetRateLimit(supervisor)])
  }
  await eventually(async () =>
    expect((await world.collection('rooms').findOne({ _id: roomId }))!.moved_seq).toBeGreaterThan(0),
  )
  const lateAnswers = await Promise.all(
    [0, 1].map(replica => world.send(supervisor, trainee, 'x', { clientId: 'id-0', replica })),
  )
  expect(lateAnswers.map(answer => answer.json.message.seq)).toEqual([1, 1])
  const expected = Array.from({ length: 45 }, (_, index) => `Message ${index}`)
  for (const replica of [0, 1])
    expect(textsOf(await readAllMessages(world, trainee, roomId, 50, replica))).toEqual(expected)
})

test.each([
  ['one archiving', 1],
  ['several archivings', 3],
])('a client_id is recognised by a replica that missed %s', async (_name, archivings) => {
  const { trainee, supervisor, roomId } = world.createPair()
  // The second replica remembers the room as it was before any archiving.
  await world.send(trainee, supervisor, 'Message 0', { clientId: 'id-0', replica: 1 })
  const archivedCounts = new Set([0])
  let last = 0
  for (; archivedCounts.size <= archivings; last += 1) {
    await world.resetRateLimit(trainee)
    await world.send(trainee, supervisor, `Message ${last + 1}`, { clientId: `id-${last + 1}`, replica: 0 })
    archivedCounts.add((await world.collection('rooms').findOne({ _id: roomId }))!.moved_seq)
  }
  const edges = [...archivedCounts].flatMap(seq => [seq - 1, seq])
  for (const index of [...edges, last >> 1, last].filter(index => index >= 0)) {
    await world.resetRateLimit(trainee)
    const answer = await world.send(trainee, supervisor, 'x', { clientId: `id-${index}`, replica: 1 })
    expect(answer.json.message).toMatchObject({ seq: index + 1, message: `Message ${index}` })
  }
  expect(await readAllMessages(world, supervisor, roomId, 500)).toHaveLength(last + 1)
})

test('the message rate limit counts over both replicas', async () => {
  const { trainee, supervisor } = world.createPair()
  // The first use opens a long window. A slow machine needs more time than the usual one.
  await world.ports.live.counters.countHit(`chat-messages:${trainee.id}`, 3_600_000, world.ports.clock.now())
  const answers = await Promise.all(
    Array.from({ length: limits.messageRateLimit + 9 }, (_, index) =>
      world.send(trainee, supervisor, `Message ${index}`, { replica: index % 2 }),
    ),
  )
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
  expect((await world.send(supervisor, trainee, 'Calm down', { replica: 1 })).status).toBe(200)
})

test('both replicas refuse messages to a moved person, and still serve reads', async () => {
  const { trainee, supervisor, roomId } = world.createPair()
  for (const replica of [0, 1]) await world.send(trainee, supervisor, 'Before', { replica })
  await world.changeSupervisor(trainee, null)
  for (const replica of [0, 1]) {
    await eventually(async () => expect((await world.send(supervisor, trainee, 'After', { replica })).status).toBe(403))
    await world.resetRateLimit(supervisor)
  }
  const count = (await world.listMessages(trainee, roomId)).length
  for (const replica of [0, 1]) {
    expect((await world.send(trainee, supervisor, 'After', { replica })).status).toBe(403)
    expect(await world.listMessages(supervisor, roomId, '', replica)).toHaveLength(count)
  }
})
