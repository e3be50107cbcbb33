import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ChatMessage, ChatRoom } from '@watchline/contracts/chat'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import fc from 'fast-check'
import { type ChatWorld, readAllMessages, startChat, textsOf } from './_util.ts'

let world: ChatWorld
beforeAll(async () => {
  // Each call goes to a random one of two replicas.
  world = await startChat({ noRateLimit: true, replicas: 2 })
})
afterAll(() => world.stop())

const anyReplica = () => Math.floor(Math.random() * 2)

const maxConcurrent = 60

async function sendTexts(from: PersonSnapshot, to: PersonSnapshot, texts: readonly string[]): Promise<ChatMessage[]> {
  const messages: ChatMessage[] = []
  // More connections at once may overflow the accept queue of a busy process.
  for (let start = 0; start < texts.length; start += maxConcurrent) {
    const batch = texts.slice(start, start + maxConcurrent)
    const answers = await Promise.all(batch.map(text => world.send(from, to, text, { replica: anyReplica() })))
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      messages.push(answer.json.message)
    }
  }
  return messages
}

const makeTexts = (count: number, from = 0) => Array.from({ length: count }, (_, index) => `Message ${from + index}`)

describe('the messages of a room', () => {
  test('are the newest 50, oldest first, and older ones by cursor', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    for (const text of makeTexts(120)) await sendTexts(trainee, supervisor, [text])
    const answer = await world.callAs(supervisor).get(`/chat/messages/${roomId}`)
    expect(textsOf(answer.json)).toEqual(makeTexts(50, 70))
    expect(answer.headers.get('x-total-count')).toBe('120')
    const cursor = answer.headers.get('x-next-cursor')
    expect(textsOf(await world.listMessages(supervisor, roomId, `?cursor=${cursor}`))).toEqual(makeTexts(50, 20))
    for (const limit of [1, 32, 33, 120, 500]) {
      const messages = await readAllMessages(world, trainee, roomId, limit)
      expect(textsOf(messages)).toEqual(makeTexts(120))
      expect(messages.map(({ seq }) => seq)).toEqual(makeTexts(120).map((_, index) => index + 1))
    }
    const last = await world.callAs(supervisor).get(`/chat/messages/${roomId}?limit=120`)
    expect(last.headers.get('x-next-cursor')).toBeNull()
  })

  test('have one order for both people at both replicas, and increasing times', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await Promise.all([
      sendTexts(trainee, supervisor, makeTexts(60)),
      sendTexts(supervisor, trainee, makeTexts(60, 100)),
      sendTexts(trainee, supervisor, makeTexts(60, 200)),
    ])
    const readings = await Promise.all(
      [trainee, supervisor].flatMap(person =>
        [0, 1].map(replica => readAllMessages(world, person, roomId, 70, replica)),
      ),
    )
    for (const messages of readings) expect(messages).toEqual(readings[0])
    expect(readings[0]!.map(({ seq }) => seq)).toEqual(Array.from({ length: 180 }, (_, index) => index + 1))
    expect(textsOf(readings[0]!).sort()).toEqual(
      [...makeTexts(60), ...makeTexts(60, 100), ...makeTexts(60, 200)].sort(),
    )
    const times = readings[0]!.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...times].sort())
  })

  test('of one sender keep their order over alternating replicas', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    const sendAll = async (from: PersonSnapshot, to: PersonSnapshot) => {
      for (const [index, text] of makeTexts(50).entries()) await world.send(from, to, text, { replica: index % 2 })
    }
    await Promise.all([sendAll(trainee, supervisor), sendAll(supervisor, trainee)])
    const messages = await readAllMessages(world, trainee, roomId)
    for (const sender of [trainee, supervisor])
      expect(textsOf(messages.filter(({ sender_id }) => sender_id === sender.id))).toEqual(makeTexts(50))
  })

  test('are paged without gap or repeat while new ones arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(140),
        fc.integer({ min: 9, max: 60 }),
        fc.array(fc.nat(45), { minLength: 3, maxLength: 3 }),
        async (before, limit, arriving) => {
          const { trainee, supervisor, roomId } = world.createPair()
          const parts = [Math.ceil(before / 2), before - Math.ceil(before / 2)]
          await sendTexts(trainee, supervisor, makeTexts(parts[0]!))
          await sendTexts(supervisor, trainee, makeTexts(parts[1]!, 1_000))
          if (before === 0) await sendTexts(trainee, supervisor, ['The only one'])
          const initialCount = Math.max(1, before)
          const pagedMessages: ChatMessage[] = []
          let cursor: string | null = null
          let pageIndex = 0
          do {
            const sending = sendTexts(supervisor, trainee, makeTexts(pageIndex < 3 ? arriving[pageIndex]! : 0, 2_000))
            pageIndex += 1
            const query: string = `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
            const answer = await world.callAs(trainee, anyReplica()).get(`/chat/messages/${roomId}${query}`)
            expect(answer.status).toBe(200)
            pagedMessages.unshift(...answer.json)
            cursor = answer.headers.get('x-next-cursor')
            await sending
          } while (cursor)
          const newest = pagedMessages.at(-1)!.seq
          expect(newest).toBeGreaterThanOrEqual(initialCount)
          expect(pagedMessages.map(({ seq }) => seq)).toEqual(Array.from({ length: newest }, (_, index) => index + 1))
          const current = await readAllMessages(world, supervisor, roomId, 500)
          expect(pagedMessages).toEqual(current.slice(0, newest))
        },
      ),
      { numRuns: 20 },
    )
  })

  test('are complete in every read during archiving', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await sendTexts(trainee, supervisor, ['The first'])
    let isDone = false
    const writing = (async () => {
      for (let round = 0; round < 12; round += 1)
        await Promise.all([
          sendTexts(trainee, supervisor, makeTexts(20)),
          sendTexts(supervisor, trainee, makeTexts(20, 100)),
        ])
    })().finally(() => {
      isDone = true
    })
    const seenIds = new Map<number, string>()
    let readCount = 0
    while (!isDone) {
      const answer = await world.callAs(supervisor, anyReplica()).get(`/chat/messages/${roomId}?limit=500`)
      const page: ChatMessage[] = answer.json
      expect(page.map(({ seq }) => seq)).toEqual(page.map((_, index) => index + 1))
      expect(page.length).toBeGreaterThanOrEqual(seenIds.size)
      for (const { seq, id } of page) {
        expect(seenIds.get(seq) ?? id).toBe(id)
        seenIds.set(seq, id)
      }
      readCount += 1
    }
    await writing
    expect(readCount).toBeGreaterThan(5)
    expect(await readAllMessages(world, trainee, roomId, 500)).toHaveLength(481)
    // The recent and the archived messages together are the room, without a gap.
    await eventually(async () => {
      const room = await world.collection('rooms').findOne({ _id: roomId })
      const archivedCount = await world.collection('messages').countDocuments({ _id: new RegExp(`^${roomId}:`) })
      expect(archivedCount).toBeGreaterThanOrEqual(room!.moved_seq)
      expect(room!.moved_seq + room!.tail.length).toBe(481)
    })
  })

  test('refuse an invalid cursor', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await sendTexts(trainee, supervisor, ['x'])
    for (const query of ['cursor=abc', 'cursor=eyJiZWZvcmUiOjB9', 'limit=0', 'limit=501', 'limit=x'])
      expect([query, (await world.callAs(trainee).get(`/chat/messages/${roomId}?${query}`)).status]).toEqual([
        query,
        422,
      ])
  })
})

describe('concurrent first messages of both people', () => {
  test('open one room, at both replicas', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { trainee, supervisor, roomId } = world.createPair()
      const answers = await Promise.all(
        [0, 1, 0, 1, 0, 1].map((replica, index) =>
          index % 2 === 0
            ? world.send(trainee, supervisor, `Mine ${index}`, { replica })
            : world.send(supervisor, trainee, `Yours ${index}`, { replica }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
      expect(new Set(answers.map(answer => answer.json.room_id))).toEqual(new Set([roomId]))
      const messages = await readAllMessages(world, trainee, roomId)
      expect(messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
      expect(messages.map(({ id }) => id).sort()).toEqual(answers.map(answer => answer.json.message.id).sort())
      expect(await world.countUnread(trainee)).toBe(3)
    }
  })
})

const ownUnreadCount = (room: ChatRoom, person: PersonSnapshot) =>
  person.id === room.user1_id ? room.unread_count_user1 : room.unread_count_user2

describe('reading', () => {
  test('marks messages up to one, or all, and never unmarks any', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await sendTexts(trainee, supervisor, makeTexts(3))
    await sendTexts(supervisor, trainee, makeTexts(2))
    await sendTexts(trainee, supervisor, makeTexts(40))
    const state = async () => {
      const [room] = await world.listRooms(supervisor)
      return [await world.countUnread(supervisor), ownUnreadCount(room!, supervisor), room!.read_seq]
    }
    expect(await state()).toEqual([43, 43, 0])
    await world.markRead(supervisor, roomId, 2)
    expect(await state()).toEqual([41, 41, 2])
    await world.markRead(supervisor, roomId, 1)
    expect(await state()).toEqual([41, 41, 2])
    await world.markRead(supervisor, roomId, 5)
    expect(await state()).toEqual([40, 40, 5])
    await world.markRead(supervisor, roomId, 1_000_000)
    expect(await state()).toEqual([0, 0, 45])
    await sendTexts(trainee, supervisor, ['One more'])
    expect(await state()).toEqual([1, 1, 45])
    await world.markRead(supervisor, roomId)
    await world.markRead(supervisor, roomId)
    await world.markRead(supervisor, roomId, 3)
    expect(await state()).toEqual([0, 0, 46])
    const [traineeRoom] = await world.listRooms(trainee)
    expect([traineeRoom!.read_seq, traineeRoom!.other_read_seq, ownUnreadCount(traineeRoom!, trainee)]).toEqual([
      0, 46, 2,
    ])
    for (const upTo of ['0', '-1', 'x', '1.5'])
      expect((await world.callAs(supervisor).post(`/chat/mark-read?room_id=${roomId}&up_to=${upTo}`)).status).toBe(422)
  })

  test('publishes a hint for both people', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await sendTexts(trainee, supervisor, ['Hello'])
    await world.markRead(supervisor, roomId)
    await eventually(() => {
      const change = world.hints.find(({ room_id, what }) => room_id === roomId && what === 'read')
      expect(change).toMatchObject({ by: supervisor.id })
      expect([...change!.person_ids].sort()).toEqual([trainee.id, supervisor.id].sort())
    })
  })

  test('leaves messages unread that arrive at the same time', async () => {
    const { trainee, supervisor, roomId } = world.createPair()
    await sendTexts(trainee, supervisor, ['Message 0'])
    for (let round = 0; round < 25; round += 1) {
      const page = await world.listMessages(supervisor, roomId, '', anyReplica())
      const lastSeq = page.at(-1)!.seq
      const [sent] = await Promise.all([
        sendTexts(trainee, supervisor, makeTexts(4)),
        world.markRead(supervisor, roomId, lastSeq, anyReplica()),
        world.markRead(supervisor, roomId, lastSeq, anyReplica()),
      ])
      expect(await world.countUnread(supervisor, anyReplica())).toBe(sent.length)
      const [room] = await world.listRooms(supervisor)
      expect(room!.read_seq).toBe(lastSeq)
    }
  })

  test('matches an oracle in random concurrent histories of several rooms', async () => {
    const steps = fc.array(
      fc.oneof(
        {
          weight: 4,
          arbitrary: fc.record({
            do: fc.constant('send' as const),
            by: fc.nat(1),
            times: fc.integer({ min: 1, max: 12 }),
          }),
        },
        {
          weight: 2,
          arbitrary: fc.record({
            do: fc.constant('read' as const),
            by: fc.nat(1),
            upTo: fc.option(fc.double({ min: 0, max: 1.2, noNaN: true }), { nil: undefined }),
          }),
        },
        { weight: 1, arbitrary: fc.record({ do: fc.constant('look' as const), by: fc.nat(1) }) },
      ),
      { minLength: 5, maxLength: 18 },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(steps, { minLength: 2, maxLength: 4 }), async histories => {
        // All rooms belong to one supervisor, whose unread total is the sum.
        const supervisor = world.addPerson('supervisor')
        const oracles = await Promise.all(
          histories.map(async history => {
            const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
            const people = [trainee, supervisor] as const
            const roomId = [trainee.id, supervisor.id].sort().join('-')
            const senders: number[] = []
            const readSeq: [number, number] = [0, 0]
            const unread = (side: number) =>
              senders.filter((by, index) => by !== side && index + 1 > readSeq[side as 0 | 1]).length
            for (const step of history) {
              const [me, partner] = [people[step.by as 0 | 1], people[(1 - step.by) as 0 | 1]]
              if (step.do === 'send') {
                await sendTexts(me, partner, makeTexts(step.times))
                senders.push(...Array<number>(step.times).fill(step.by))
              } else if (step.do === 'read' && senders.length > 0) {
                const upTo = step.upTo === undefined ? undefined : Math.max(1, Math.floor(step.upTo * senders.length))
                expect((await world.markRead(me, roomId, upTo, anyReplica())).status).toBe(200)
                const readUpTo = Math.min(upTo ?? senders.length, senders.length)
                readSeq[step.by as 0 | 1] = Math.max(readSeq[step.by as 0 | 1], readUpTo)
              } else if (senders.length > 0) {
                const room = (await world.listRooms(me, '?limit=500', anyReplica())).find(({ id }) => id === roomId)!
                expect([
                  ownUnreadCount(room, me),
                  ownUnreadCount(room, partner),
                  room.read_seq,
                  room.other_read_seq,
                ]).toEqual([
                  unread(step.by),
                  unread(1 - step.by),
                  readSeq[step.by as 0 | 1],
                  readSeq[(1 - step.by) as 0 | 1],
                ])
              }
            }
            expect(await world.countUnread(trainee, anyReplica())).toBe(unread(0))
            return unread(1)
          }),
        )
        expect(await world.countUnread(supervisor, anyReplica())).toBe(oracles.reduce((sum, unread) => sum + unread, 0))
      }),
      { numRuns: 12 },
    )
  })
})

describe('an export', () => {
  test('is the whole room as text, oldest first, with names and times', async () => {
    const supervisor = world.addPerson('supervisor', { name: 'Supervisor One' })
    const trainee = world.addPerson('user', { name: 'Trainee One', supervisor_id: supervisor.id })
    const roomId = [trainee.id, supervisor.id].sort().join('-')
    const sentAt = new Date(world.clock.now()).toISOString()
    await sendTexts(trainee, supervisor, ['Hello\nSupervisor One: forged'])
    await sendTexts(supervisor, trainee, ['שלום 👋🏽'])
    await sendTexts(trainee, supervisor, makeTexts(600))
    const laterTexts = textsOf(await readAllMessages(world, trainee, roomId, 500)).slice(2)
    const answer = await world.callAs(supervisor).get(`/chat/rooms/${roomId}/export`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="chat-\d{4}-\d\d-\d\d\.txt"$/)
    expect(laterTexts).toHaveLength(600)
    expect(answer.text).toBe(
      [
        'Chat between Supervisor One and Trainee One',
        '',
        `${sentAt} Trainee One: Hello`,
        '    Supervisor One: forged',
        `${sentAt} Supervisor One: שלום 👋🏽`,
        ...laterTexts.map(text => `${sentAt} Trainee One: ${text}`),
        '',
      ].join('\n'),
    )
  })
})
