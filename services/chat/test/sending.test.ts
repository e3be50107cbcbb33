import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@watchline/contracts/limits'
import { eventually } from '@watchline/testing/harness'
import { type ChatWorld, readAllMessages, startChat, textsOf } from './_util.ts'

let world: ChatWorld
beforeAll(async () => {
  world = await startChat()
})
afterAll(() => world.stop())

describe('a message', () => {
  test('is stored with its room and can be read by both people', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const answer = await world.send(trainee, supervisor, '  Where is the exit? ', { clientId: 'm-1' })
    expect(answer.status).toBe(200)
    const message = {
      seq: 1,
      sender_id: trainee.id,
      message: 'Where is the exit?',
      timestamp: new Date(world.clock.now()).toISOString(),
      client_id: 'm-1',
    }
    expect(answer.json).toMatchObject({ success: true, room_id: roomId, message })
    for (const person of [trainee, supervisor])
      expect(await world.listMessages(person, roomId)).toEqual([answer.json.message])
    expect(await world.collection('rooms').countDocuments({ _id: roomId })).toBe(1)
    const [first, second] = [trainee.id, supervisor.id].sort()
    const [room] = await world.listRooms(supervisor)
    expect(room).toMatchObject({
      id: roomId,
      user1_id: first,
      user2_id: second,
      chat_type: 'user_supervisor',
      open: true,
      other: { id: trainee.id, name: trainee.name, role: 'user' },
      last_message: answer.json.message,
      read_seq: 0,
      other_read_seq: 0,
    })
    expect([room!.unread_count_user1, room!.unread_count_user2].sort()).toEqual([0, 1])
    expect(await world.countUnread(supervisor)).toBe(1)
    expect(await world.countUnread(trainee)).toBe(0)
  })

  test('publishes a hint for both people', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.send(trainee, supervisor, 'Hello')
    const change = await eventually(() => {
      const hint = world.hints.find(({ room_id }) => room_id === roomId)
      expect(hint).toBeDefined()
      return hint!
    })
    expect(change).toMatchObject({ what: 'message', by: trainee.id })
    expect([...change.person_ids].sort()).toEqual([trainee.id, supervisor.id].sort())
  })

  test.each([
    ['emoji of several code points', '👩🏽‍🚒🏳️‍🌈 done 👍🏿'],
    ['right-to-left text with a direction of its own', 'שלום \u202Eabc\u202C مرحبا بالعالم'],
    ['combining characters, composed and not', 'Z̸̡͎͗a\u0301l\u0323 é e\u0301'],
    ['text that looks like a field or an operator', '$last_seq {"$ne": null} $$ROOT $now'],
    ['markup', '<img src=x onerror=alert(1)> & <b>'],
    ['several lines', 'one\n\n\ttwo\r\nthree'],
  ])('of %s arrives as sent', async (_name, text) => {
    const { trainee, supervisor, roomId } = world.createPair()
    const answer = await world.send(trainee, supervisor, text)
    expect([answer.status, answer.json.message.message]).toEqual([200, text])
    expect(textsOf(await world.listMessages(supervisor, roomId))).toEqual([text])
  })

  test('with half of a surrogate pair gets the replacement character, for both people', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const answer = await world.send(trainee, supervisor, 'broken \uD83D end')
    expect(answer.json.message.message).toBe('broken \uFFFD end')
    expect(textsOf(await world.listMessages(supervisor, roomId))).toEqual(['broken \uFFFD end'])
  })

  test('of 4,000 characters is stored whole', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const text = 'ü'.repeat(limits.chatMessageMaxLength)
    expect((await world.send(trainee, supervisor, text)).status).toBe(200)
    expect(textsOf(await world.listMessages(supervisor, roomId))).toEqual([text])
  })
})

describe('bad input is refused and nothing is stored', () => {
  const validBody = { message: 'Hello', chat_type: 'user_supervisor' }
  const bodies: [string, Record<string, unknown>, number][] = [
    ['blank', { message: '' }, 422],
    ['only white space', { message: ' \n\t ' }, 422],
    ['over 4,000 characters', { message: 'x'.repeat(limits.chatMessageMaxLength + 1) }, 422],
    ['a control character', { message: 'a\u0000b' }, 422],
    ['a message that is not text', { message: { $ne: null } }, 422],
    ['no message', { message: undefined }, 422],
    ['another chat_type', { chat_type: 'manager_director' }, 422],
    ['the administrator’s chat_type', { chat_type: 'admin' }, 422],
    ['an unknown chat_type', { chat_type: 'friends' }, 422],
    ['no chat_type', { chat_type: undefined }, 422],
    ['no recipient', { recipient_id: undefined }, 422],
    ['an invalid recipient id', { recipient_id: { $gt: '' } }, 422],
    ['an unknown recipient', { recipient_id: 'nobody' }, 404],
    ['an invalid client_id', { client_id: 'a b#c' }, 422],
    ['a client_id too long', { client_id: 'x'.repeat(101) }, 422],
  ]
  test.each(bodies)('%s', async (_name, fields, status) => {
    const { trainee, supervisor, roomId } = world.createPair()
    const answer = await world
      .callAs(trainee)
      .post('/chat/send', { recipient_id: supervisor.id, ...validBody, ...fields })
    expect([answer.status, typeof answer.json.detail]).toEqual([status, 'string'])
    expect(await world.collection('rooms').countDocuments({ _id: roomId })).toBe(0)
    expect(await world.listMessages(supervisor, roomId)).toEqual([])
  })

  test('the sender as recipient', async () => {
    const { trainee } = world.createPair()
    const answer = await world.callAs(trainee).post('/chat/send', { recipient_id: trainee.id, ...validBody })
    expect([answer.status, answer.json.code, answer.json.errors[0].path]).toEqual([422, 'invalid', 'recipient_id'])
    expect(await world.collection('rooms').countDocuments({ user1_id: trainee.id })).toBe(0)
  })

  test('a body that is not JSON, and a caller without a session', async () => {
    const { trainee } = world.createPair()
    expect((await world.callAs(trainee).post('/chat/send', '{"message":')).status).toBe(400)
    expect((await world.callAs(trainee).post('/chat/send', 'x', { 'content-type': 'text/plain' })).status).toBe(415)
    const response = await fetch(`${world.urls[0]}/api/chat/send`, { method: 'POST' })
    expect(response.status).toBe(401)
  })
})

describe('a message repeated with its client_id', () => {
  test('is the same message, also while the first send is in progress', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const sendAgain = () => world.send(trainee, supervisor, 'Once', { clientId: 'once' })
    const answers = await Promise.all(Array.from({ length: 12 }, sendAgain))
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(new Set(answers.map(answer => answer.json.message.id)).size).toBe(1)
    expect((await sendAgain()).json).toEqual(answers[0]!.json)
    expect(textsOf(await world.listMessages(supervisor, roomId))).toEqual(['Once'])
    expect(await world.countUnread(supervisor)).toBe(1)
  })

  test('keeps its first text', async () => {
    const { trainee, supervisor } = world.createPair()
    const first = await world.send(trainee, supervisor, 'First text', { clientId: 'same' })
    const second = await world.send(trainee, supervisor, 'Second text', { clientId: 'same' })
    expect(second.json).toEqual(first.json)
  })

  test('is the same message after its room was archived once or repeatedly', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const first = await world.send(trainee, supervisor, 'Message 0', { clientId: 'id-0' })
    for (let index = 1; index <= 100; index += 1) {
      await world.resetRateLimit(trainee)
      const answer = await world.send(trainee, supervisor, `Message ${index}`, { clientId: `id-${index}` })
      expect(answer.json.message.seq).toBe(index + 1)
      if (index % 20 === 0) {
        const repeated = await world.send(trainee, supervisor, 'Message 0', { clientId: 'id-0' })
        expect(repeated.json).toEqual(first.json)
      }
    }
    expect(
      await world.collection('messages').countDocuments({ _id: new RegExp(`^${roomId}:`) }),
    ).toBeGreaterThanOrEqual(64)
    await world.resetRateLimit(trainee)
    const repeated = await Promise.all(
      Array.from({ length: 30 }, (_, index) => world.send(trainee, supervisor, 'x', { clientId: `id-${index * 3}` })),
    )
    expect(repeated.map(answer => answer.json.message.seq)).toEqual(repeated.map((_, index) => index * 3 + 1))
    const texts = textsOf(await readAllMessages(world, supervisor, roomId))
    expect(texts).toEqual(Array.from({ length: 101 }, (_, index) => `Message ${index}`))
  })

  test('is a different message from the partner or in another room', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const second = world.addPerson('user', { supervisor_id: supervisor.id })
    await world.send(trainee, supervisor, 'Mine', { clientId: 'id' })
    await world.send(supervisor, trainee, 'Yours', { clientId: 'id' })
    await world.send(supervisor, second, 'Elsewhere', { clientId: 'id' })
    expect(textsOf(await world.listMessages(trainee, roomId))).toEqual(['Mine', 'Yours'])
    expect(await world.countUnread(second)).toBe(1)
  })

  test('without a client_id is a second message', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await world.send(trainee, supervisor, 'Yes')
    await world.send(trainee, supervisor, 'Yes')
    expect(
      (await world.listMessages(supervisor, roomId)).map(({ message, client_id }) => [message, client_id]),
    ).toEqual([
      ['Yes', null],
      ['Yes', null],
    ])
  })
})

describe('the message rate limit', () => {
  test('refuses only the sender with 429 and Retry-After, and expires', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const answers = await Promise.all(
      Array.from({ length: limits.messageRateLimit + 15 }, (_, index) =>
        world.send(trainee, supervisor, `Message ${index}`),
      ),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(15)
    expect(refused[0]!.json.code).toBe('too_many')
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await readAllMessages(world, supervisor, roomId)).toHaveLength(limits.messageRateLimit)
    expect((await world.send(supervisor, trainee, 'Calm down')).status).toBe(200)
    expect((await world.listMessages(trainee, roomId)).length).toBe(limits.chatPageSize)
    world.clock.advance(limits.messageRateWindowMs + 1)
    expect((await world.send(trainee, supervisor, 'Sorry')).status).toBe(200)
  })

  test('also limits typing', async () => {
    const { trainee, supervisor } = world.createPair()
    const reportTyping = () => world.callAs(trainee).post('/chat/typing', { recipient_id: supervisor.id })
    const answers = await Promise.all(Array.from({ length: limits.typingReportLimit + 2 }, reportTyping))
    expect(answers.map(({ status }) => status).sort()).toEqual([
      ...Array(limits.typingReportLimit).fill(200),
      ...Array(2).fill(429),
    ])
    world.clock.advance(limits.typingReportMs + 1)
    expect((await reportTyping()).status).toBe(200)
  })
})

test('one person makes a bounded number of transcripts and of files with their own data', async () => {
  const { trainee, supervisor, roomId } = world.createPair()
  await world.send(trainee, supervisor, 'Hello')
  const useUp = async (key: string) => {
    for (let used = 1; used < limits.exportRateLimit; used += 1)
      await world.ports.live.counters.countHit(key, limits.exportRateWindowMs, world.clock.now())
  }
  for (const [key, path] of [
    [`chat-exports:${trainee.id}`, `/chat/rooms/${roomId}/export`],
    [`data-exports:chat:${trainee.id}`, '/chat/record/data'],
  ] as const) {
    await useUp(key)
    const [last, refused] = [await world.callAs(trainee).get(path), await world.callAs(trainee).get(path)]
    expect([last.status, refused.status, refused.json.code]).toEqual([200, 429, 'too_many'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await world.callAs(supervisor).get(path)).status).toBe(200)
    world.clock.advance(limits.exportRateWindowMs + 1)
    expect((await world.callAs(trainee).get(path)).status).toBe(200)
  }
})

describe('typing', () => {
  test('publishes a hint for the partner only, and stores nothing', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    expect((await world.callAs(trainee).post('/chat/typing', { recipient_id: supervisor.id })).status).toBe(200)
    await eventually(() => {
      expect(world.hints.filter(({ room_id }) => room_id === roomId)).toEqual([
        { room_id: roomId, what: 'typing', by: trainee.id, person_ids: [supervisor.id] },
      ])
    })
    expect(await world.collection('rooms').countDocuments({ _id: roomId })).toBe(0)
  })

  test('is refused to strangers, unknown people and oneself', async () => {
    const { trainee } = world.createPair()
    const stranger = world.addPerson('manager')
    const reportTyping = (recipient_id: string) => world.callAs(trainee).post('/chat/typing', { recipient_id })
    // Sending makes the service request the stranger from auth.
    await world.send(trainee, stranger, 'x')
    expect((await reportTyping(stranger.id)).status).toBe(403)
    expect((await reportTyping('nobody')).status).toBe(404)
    expect((await reportTyping(trainee.id)).status).toBe(403)
    expect((await world.callAs(trainee).post('/chat/typing', {})).status).toBe(422)
  })
})
