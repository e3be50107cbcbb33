import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { systemClock } from '@watchline/kit/core/clock'
import { eventually } from '@watchline/testing/harness'
import { type ServiceProcess, startServiceProcess } from '@watchline/testing/processes'
import { allMessages, type ChatWorld, startChat } from './_util.ts'

const rooms = 30
const messagesEach = 45
const kills = 4

let world: ChatWorld
let replicas: ServiceProcess[] = []

beforeAll(async () => {
  world = await startChat({ replicas: 0, bus: 'rabbitmq', live: 'redis', clock: systemClock })
  const start = () => startServiceProcess('chat', world, { AUTH_URL: world.authUrl })
  replicas = await Promise.all([start(), start()])
  // A third replica, that is not killed, serves the reads.
  await world.start()
})
afterAll(async () => {
  for (const replica of replicas) await replica.stop()
  await world.stop()
})

test('replicas killed under load, with clients that retry, lose, double or reorder no acknowledged message', async () => {
  let sent = 0
  let refused = 0
  /** Sends messages in sequence to either replica, each with its client_id until it is acknowledged. */
  async function sendAll(
    from: PersonSnapshot,
    to: PersonSnapshot,
  ): Promise<{ id: string; seq: number; text: string }[]> {
    const acknowledged = []
    for (let at = 0; at < messagesEach; at += 1) {
      const text = `${from.role} ${at}`
      for (let attempt = at; ; attempt += 1) {
        sent += 1
        const answer = await world
          .as(from, replicas[attempt % 2]!.url)
          .post('/chat/send', {
            recipient_id: to.id,
            message: text,
            chat_type: 'user_supervisor',
            client_id: `${from.role}-${at}`,
          })
          .catch(() => undefined)
        if (answer?.status === 200) {
          acknowledged.push({ id: answer.json.message.id, seq: answer.json.message.seq, text })
          break
        }
        expect([undefined, 429, 503]).toContain(answer?.status)
        refused += 1
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    }
    return acknowledged
  }

  const pairs = Array.from({ length: rooms }, () => world.pair())
  let done = false
  const sending = Promise.all(
    pairs.map(async ({ trainee, supervisor, roomId }) => ({
      roomId,
      trainee,
      supervisor,
      acknowledgements: await Promise.all([sendAll(trainee, supervisor), sendAll(supervisor, trainee)]),
    })),
  ).finally(() => {
    done = true
  })
  let killed = 0
  while (!done && killed < kills) {
    const before = sent
    // Kill a replica in the middle: after 300 more sends.
    await eventually(() => done || sent > before + 300, 60_000)
    const victim = replicas[killed % 2]!
    await victim.kill()
    killed += 1
    await victim.start()
  }
  const conversations = await sending
  expect(killed).toBe(kills)
  expect(refused).toBeGreaterThan(0)

  for (const { roomId, trainee, supervisor, acknowledgements } of conversations) {
    const all = await allMessages(world, trainee, roomId, 500)
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 2 * messagesEach }, (_, at) => at + 1))
    for (const [acknowledged, sender] of [
      [acknowledgements[0], trainee],
      [acknowledgements[1], supervisor],
    ] as const) {
      const stored = all
        .filter(({ sender_id }) => sender_id === sender.id)
        .map(({ id, seq, message }) => ({ id, seq, text: message }))
      // All, once, with the acknowledged sequence numbers, in the order of sending.
      expect(stored).toEqual(acknowledged)
    }
    expect(await world.unread(supervisor)).toBe(messagesEach)
    expect(await world.unread(trainee)).toBe(messagesEach)
  }
}, 240_000)
