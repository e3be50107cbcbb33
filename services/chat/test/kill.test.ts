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
  // One more, that nobody kills, to look from.
  await world.start()
})
afterAll(async () => {
  for (const each of replicas) await each.stop()
  await world.stop()
})

test('killed again and again under load, with clients that send again: no acknowledged message lost, doubled or out of order', async () => {
  let sent = 0
  let refused = 0
  /** Sends one after the other, to either replica, each again with its client_id until it is acknowledged. */
  async function talk(from: PersonSnapshot, to: PersonSnapshot): Promise<{ id: string; seq: number; text: string }[]> {
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
  const talking = Promise.all(
    pairs.map(async ({ trainee, supervisor, roomId }) => ({
      roomId,
      trainee,
      supervisor,
      said: await Promise.all([talk(trainee, supervisor), talk(supervisor, trainee)]),
    })),
  ).finally(() => {
    done = true
  })
  let killed = 0
  while (!done && killed < kills) {
    const before = sent
    // In the middle of it: when a good part of the messages has come in since the last time.
    await eventually(() => done || sent > before + 300, 60_000)
    const victim = replicas[killed % 2]!
    await victim.kill()
    killed += 1
    await victim.start()
  }
  const talks = await talking
  expect(killed).toBe(kills)
  expect(refused).toBeGreaterThan(0)

  for (const { roomId, trainee, supervisor, said } of talks) {
    const all = await allMessages(world, trainee, roomId, 500)
    expect(all.map(each => each.seq)).toEqual(Array.from({ length: 2 * messagesEach }, (_, at) => at + 1))
    for (const [acknowledged, sender] of [
      [said[0], trainee],
      [said[1], supervisor],
    ] as const) {
      const stored = all
        .filter(each => each.sender_id === sender.id)
        .map(({ id, seq, message }) => ({ id, seq, text: message }))
      // All of them, once, at the places that were told, in the order in which they were said.
      expect(stored).toEqual(acknowledged)
    }
    expect(await world.unread(supervisor)).toBe(messagesEach)
    expect(await world.unread(trainee)).toBe(messagesEach)
  }
}, 240_000)
