import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { ChatMessage, ChatRoom } from '@watchline/contracts/chat'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { eventually } from '@watchline/testing/harness'
import fc from 'fast-check'
import { allMessages, type ChatWorld, startChat, textsOf } from './_util.ts'

let world: ChatWorld
beforeAll(async () => {
  // Two replicas without sticky routing: a call may go to either.
  world = await startChat({ noRateLimit: true, replicas: 2 })
})
afterAll(() => world.stop())

const anyReplica = () => Math.floor(Math.random() * 2)

async function sendTexts(from: PersonSnapshot, to: PersonSnapshot, texts: readonly string[]): Promise<ChatMessage[]> {
  const answers = await Promise.all(texts.map(text => world.send(from, to, text, { replica: anyReplica() })))
  return answers.map(answer => {
    expect(answer.status).toBe(200)
    return answer.json.message
  })
}

const numbered = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `Message ${from + at}`)

describe('the messages of a room', () => {
  test('are the newest 50, oldest first, and older ones by cursor', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    for (const text of numbered(120)) await sendTexts(trainee, supervisor, [text])
    const answer = await world.as(supervisor).get(`/chat/messages/${roomId}`)
    expect(textsOf(answer.json)).toEqual(numbered(50, 70))
    expect(answer.headers.get('x-total-count')).toBe('120')
    const cursor = answer.headers.get('x-next-cursor')
    expect(textsOf(await world.messages(supervisor, roomId, `?cursor=${cursor}`))).toEqual(numbered(50, 20))
    for (const limit of [1, 32, 33, 120, 500]) {
      const all = await allMessages(world, trainee, roomId, limit)
      expect(textsOf(all)).toEqual(numbered(120))
      expect(all.map(({ seq }) => seq)).toEqual(numbered(120).map((_, at) => at + 1))
    }
    const last = await world.as(supervisor).get(`/chat/messages/${roomId}?limit=120`)
    expect(last.headers.get('x-next-cursor')).toBeNull()
  })

  test('have one order for both people and replicas, and times that never run backwards', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await Promise.all([
      sendTexts(trainee, supervisor, numbered(60)),
      sendTexts(supervisor, trainee, numbered(60, 100)),
      sendTexts(trainee, supervisor, numbered(60, 200)),
    ])
    const seen = await Promise.all(
      [trainee, supervisor].flatMap(who => [0, 1].map(replica => allMessages(world, who, roomId, 70, replica))),
    )
    for (const messages of seen) expect(messages).toEqual(seen[0])
    expect(seen[0]!.map(({ seq }) => seq)).toEqual(Array.from({ length: 180 }, (_, at) => at + 1))
    expect(textsOf(seen[0]!).sort()).toEqual([...numbered(60), ...numbered(60, 100), ...numbered(60, 200)].sort())
    const times = seen[0]!.map(({ timestamp }) => timestamp)
    expect(times).toEqual([...times].sort())
  })

  test('of one sender keep their order over alternating replicas', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    const talk = async (from: PersonSnapshot, to: PersonSnapshot) => {
      for (const [at, text] of numbered(50).entries()) await world.send(from, to, text, { replica: at % 2 })
    }
    await Promise.all([talk(trainee, supervisor), talk(supervisor, trainee)])
    const all = await allMessages(world, trainee, roomId)
    for (const sender of [trainee, supervisor])
      expect(textsOf(all.filter(({ sender_id }) => sender_id === sender.id))).toEqual(numbered(50))
  })

  test('have no gap and no repeat when paged while others arrive', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(140),
        fc.integer({ min: 9, max: 60 }),
        fc.array(fc.nat(45), { minLength: 3, maxLength: 3 }),
        async (before, limit, arriving) => {
          const { trainee, supervisor, roomId } = world.pair()
          const parts = [Math.ceil(before / 2), before - Math.ceil(before / 2)]
          await sendTexts(trainee, supervisor, numbered(parts[0]!))
          await sendTexts(supervisor, trainee, numbered(parts[1]!, 1_000))
          if (before === 0) await sendTexts(trainee, supervisor, ['The only one'])
          const there = Math.max(1, before)
          const seen: ChatMessage[] = []
          let cursor: string | null = null
          let pageIndex = 0
          do {
            const coming = sendTexts(supervisor, trainee, numbered(pageIndex < 3 ? arriving[pageIndex]! : 0, 2_000))
            pageIndex += 1
            const query: string = `?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`
            const answer = await world.as(trainee, anyReplica()).get(`/chat/messages/${roomId}${query}`)
            expect(answer.status).toBe(200)
            seen.unshift(...answer.json)
            cursor = answer.headers.get('x-next-cursor')
            await coming
          } while (cursor)
          const newest = seen.at(-1)!.seq
          expect(newest).toBeGreaterThanOrEqual(there)
          expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: newest }, (_, at) => at + 1))
          const now = await allMessages(world, supervisor, roomId, 500)
          expect(seen).toEqual(now.slice(0, newest))
        },
      ),
      { numRuns: 20 },
    )
  })

  test('are complete at any read during archiving', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await sendTexts(trainee, supervisor, ['The first'])
    let done = false
    const writing = (async () => {
      for (let round = 0; round < 12; round += 1)
        await Promise.all([
          sendTexts(trainee, supervisor, numbered(20)),
          sendTexts(supervisor, trainee, numbered(20, 100)),
        ])
    })().finally(() => {
      done = true
    })
    const seenIds = new Map<number, string>()
    let read = 0
    while (!done) {
      const answer = await world.as(supervisor, anyReplica()).get(`/chat/messages/${roomId}?limit=500`)
      const page: ChatMessage[] = answer.json
      expect(page.map(({ seq }) => seq)).toEqual(page.map((_, at) => at + 1))
      expect(page.length).toBeGreaterThanOrEqual(seenIds.size)
      for (const { seq, id } of page) {
        expect(seenIds.get(seq) ?? id).toBe(id)
        seenIds.set(seq, id)
      }
      read += 1
    }
    await writing
    expect(read).toBeGreaterThan(5)
    expect(await allMessages(world, trainee, roomId, 500)).toHaveLength(481)
    // The recent and the archived messages together are the room, without a gap.
    await eventually(async () => {
      const room = await world.rows('rooms').findOne({ _id: roomId })
      const archivedCount = await world.rows('messages').countDocuments({ _id: new RegExp(`^${roomId}:`) })
      expect(archivedCount).toBeGreaterThanOrEqual(room!.moved_seq)
      expect(room!.moved_seq + room!.tail.length).toBe(481)
    })
  })

  test('refuse an invalid cursor', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await sendTexts(trainee, supervisor, ['x'])
    for (const query of ['cursor=abc', 'cursor=eyJiZWZvcmUiOjB9', 'limit=0', 'limit=501', 'limit=x'])
      expect([query, (await world.as(trainee).get(`/chat/messages/${roomId}?${query}`)).status]).toEqual([query, 422])
  })
})

describe('first messages of both people at once', () => {
  test('open one room, at both replicas', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { trainee, supervisor, roomId } = world.pair()
      const answers = await Promise.all(
        [0, 1, 0, 1, 0, 1].map((replica, at) =>
          at % 2 === 0
            ? world.send(trainee, supervisor, `Mine ${at}`, { replica })
            : world.send(supervisor, trainee, `Yours ${at}`, { replica }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
      expect(new Set(answers.map(answer => answer.json.room_id))).toEqual(new Set([roomId]))
      const all = await allMessages(world, trainee, roomId)
      expect(all.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
      expect(all.map(({ id }) => id).sort()).toEqual(answers.map(answer => answer.json.message.id).sort())
      expect(await world.unread(trainee)).toBe(3)
    }
  })
})

const own = (room: ChatRoom, who: PersonSnapshot) =>
  who.id === room.user1_id ? room.unread_count_user1 : room.unread_count_user2

describe('reading', () => {
  test('marks up to a message, or all without one, and never goes back', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await sendTexts(trainee, supervisor, numbered(3))
    await sendTexts(supervisor, trainee, numbered(2))
    await sendTexts(trainee, supervisor, numbered(40))
    const state = async () => {
      const [room] = await world.rooms(supervisor)
      return [await world.unread(supervisor), own(room!, supervisor), room!.read_seq]
    }
    expect(await state()).toEqual([43, 43, 0])
    await world.read(supervisor, roomId, 2)
    expect(await state()).toEqual([41, 41, 2])
    await world.read(supervisor, roomId, 1)
    expect(await state()).toEqual([41, 41, 2])
    await world.read(supervisor, roomId, 5)
    expect(await state()).toEqual([40, 40, 5])
    await world.read(supervisor, roomId, 1_000_000)
    expect(await state()).toEqual([0, 0, 45])
    await sendTexts(trainee, supervisor, ['One more'])
    expect(await state()).toEqual([1, 1, 45])
    await world.read(supervisor, roomId)
    await world.read(supervisor, roomId)
    await world.read(supervisor, roomId, 3)
    expect(await state()).toEqual([0, 0, 46])
    const [seen] = await world.rooms(trainee)
    expect([seen!.read_seq, seen!.other_read_seq, own(seen!, trainee)]).toEqual([0, 46, 2])
    for (const upTo of ['0', '-1', 'x', '1.5'])
      expect((await world.as(supervisor).post(`/chat/mark-read?room_id=${roomId}&up_to=${upTo}`)).status).toBe(422)
  })

  test('hints the pages of both people', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await sendTexts(trainee, supervisor, ['Hello'])
    await world.read(supervisor, roomId)
    await eventually(() => {
      const change = world.hints.find(({ room_id, what }) => room_id === roomId && what === 'read')
      expect(change).toMatchObject({ by: supervisor.id })
      expect([...change!.person_ids].sort()).toEqual([trainee.id, supervisor.id].sort())
    })
  })

  test('leaves messages unread that arrive at the same time', async () => {
    const { trainee, supervisor, roomId } = world.pair()
    await sendTexts(trainee, supervisor, ['Message 0'])
    for (let round = 0; round < 25; round += 1) {
      const page = await world.messages(supervisor, roomId, '', anyReplica())
      const seen = page.at(-1)!.seq
      const [sent] = await Promise.all([
        sendTexts(trainee, supervisor, numbered(4)),
        world.read(supervisor, roomId, seen, anyReplica()),
        world.read(supervisor, roomId, seen, anyReplica()),
      ])
      expect(await world.unread(supervisor, anyReplica())).toBe(sent.length)
      const [room] = await world.rooms(supervisor)
      expect(room!.read_seq).toBe(seen)
    }
  })

  test('counts as an oracle does, in random concurrent histories of several rooms', async () => {
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
        const supervisor = world.person('supervisor')
        const oracles = await Promise.all(
          histories.map(async history => {
            const trainee = world.person('user', { supervisor_id: supervisor.id })
            const people = [trainee, supervisor] as const
            const roomId = [trainee.id, supervisor.id].sort().join('-')
            const senders: number[] = []
            const readSeq: [number, number] = [0, 0]
            const unread = (who: number) =>
              senders.filter((by, at) => by !== who && at + 1 > readSeq[who as 0 | 1]).length
            for (const step of history) {
              const [me, other] = [people[step.by as 0 | 1], people[(1 - step.by) as 0 | 1]]
              if (step.do === 'send') {
                await sendTexts(me, other, numbered(step.times))
                senders.push(...Array<number>(step.times).fill(step.by))
              } else if (step.do === 'read' && senders.length > 0) {
                const upTo = step.upTo === undefined ? undefined : Math.max(1, Math.floor(step.upTo * senders.length))
                expect((await world.read(me, roomId, upTo, anyReplica())).status).toBe(200)
                const to = Math.min(upTo ?? senders.length, senders.length)
                readSeq[step.by as 0 | 1] = Math.max(readSeq[step.by as 0 | 1], to)
              } else if (senders.length > 0) {
                const room = (await world.rooms(me, '?limit=500', anyReplica())).find(({ id }) => id === roomId)!
                expect([own(room, me), own(room, other), room.read_seq, room.other_read_seq]).toEqual([
                  unread(step.by),
                  unread(1 - step.by),
                  readSeq[step.by as 0 | 1],
                  readSeq[(1 - step.by) as 0 | 1],
                ])
              }
            }
            expect(await world.unread(trainee, anyReplica())).toBe(unread(0))
            return unread(1)
          }),
        )
        expect(await world.unread(supervisor, anyReplica())).toBe(oracles.reduce((sum, unread) => sum + unread, 0))
      }),
      { numRuns: 12 },
    )
  })
})

describe('an export', () => {
  test('is the whole room as text, oldest first, with names and times', async () => {
    const supervisor = world.person('supervisor', { name: 'Supervisor One' })
    const trainee = world.person('user', { name: 'Trainee One', supervisor_id: supervisor.id })
    const roomId = [trainee.id, supervisor.id].sort().join('-')
    const at = new Date(world.clock.now()).toISOString()
    await sendTexts(trainee, supervisor, ['Hello\nSupervisor One: forged'])
    await sendTexts(supervisor, trainee, ['שלום 👋🏽'])
    await sendTexts(trainee, supervisor, numbered(600))
    const laterTexts = textsOf(await allMessages(world, trainee, roomId, 500)).slice(2)
    const answer = await world.as(supervisor).get(`/chat/rooms/${roomId}/export`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="chat-\d{4}-\d\d-\d\d\.txt"$/)
    expect(laterTexts).toHaveLength(600)
    expect(answer.text).toBe(
      [
        'Chat between Supervisor One and Trainee One',
        '',
        `${at} Trainee One: Hello`,
        '    Supervisor One: forged',
        `${at} Supervisor One: שלום 👋🏽`,
        ...laterTexts.map(text => `${at} Trainee One: ${text}`),
        '',
      ].join('\n'),
    )
  })
})
