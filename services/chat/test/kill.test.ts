import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { PersonSnapshot } from '@watchline/contracts/people'
import { systemClock } from '@watchline/kit/core/clock'
import { eventually } from '@watchline/testing/harness'
import { type ServiceProcess, startServiceProcess } from '@watchline/testing/processes'
import { type ChatWorld, readAllMessages, startChat } from './_util.ts'

const rooms = 30
const kills = 4

let world: ChatWorld
let replicas: ServiceProcess[] = []

beforeAll(async () => {
  world = await startChat({ replicas: 0, bus: 'rabbitmq', live: 'redis', clock: systemClock })
  const start = () => startServiceProcess('chat', world, { AUTH_URL: world.authUrl })
  replicas = await Promise.all([start(), start()])
  // A third replica serves the reads and is never killed.
  await world.start()
})
afterAll(async () => {
  for (const replica of replicas) await replica.stop()
  await world.stop()
})

test('no acknowledged message is lost, doubled or reordered although replicas are killed under load', async () => {
  let sendCount = 0
  let refusedCount = 0
  let killCount = 0
  /**
   * Sends messages in sequence to both replicas until the last kill. Repeats each until it is
   * acknowledged.
   */
  async function sendAll(
    from: PersonSnapshot,
    to: PersonSnapshot,
  ): Promise<{ id: string; seq: number; text: string }[]> {
    const acknowledged = []
    for (let index = 0; killCount < kills; index += 1) {
      const text = `${from.role} ${index}`
      for (let attempt = index; ; attempt += 1) {
        sendCount += 1
        const answer = await world
          .callAs(from, replicas[attempt % 2]!.url)
          .post('/chat/send', {
            recipient_id: to.id,
            message: text,
            chat_type: 'user_supervisor',
            client_id: `${from.role}-${index}`,
          })
          .catch(() => undefined)
        if (answer?.status === 200) {
          acknowledged.push({ id: answer.json.message.id, seq: answer.json.message.seq, text })
          break
        }
        expect([undefined, 429, 503]).toContain(answer?.status)
        refusedCount += 1
        await new Promise(resolve => setTimeout(resolve, 50))
      }
    }
    return acknowledged
  }

  const pairs = Array.from({ length: rooms }, () => world.createPair())
  const sending = Promise.all(
    pairs.map(async ({ trainee, supervisor, roomId }) => ({
      roomId,
      trainee,
      supervisor,
      acknowledgements: await Promise.all([sendAll(trainee, supervisor), sendAll(supervisor, trainee)]),
    })),
  )
  while (killCount < kills) {
    const before = sendCount
    // Kill a replica in the middle: after 300 more sends.
    await eventually(() => sendCount > before + 300)
    const victim = replicas[killCount % 2]!
    await victim.kill()
    await victim.start()
    killCount += 1
  }
  const conversations = await sending
  expect(refusedCount).toBeGreaterThan(0)

  for (const { roomId, trainee, supervisor, acknowledgements } of conversations) {
    const messages = await readAllMessages(world, trainee, roomId, 500)
    const count = acknowledgements[0].length + acknowledgements[1].length
    expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
    for (const [acknowledged, sender] of [
      [acknowledgements[0], trainee],
      [acknowledgements[1], supervisor],
    ] as const) {
      const stored = messages
        .filter(({ sender_id }) => sender_id === sender.id)
        .map(({ id, seq, message }) => ({ id, seq, text: message }))
      // Each message is stored once, with its acknowledged sequence number, in the order of
      // sending.
      expect(stored).toEqual(acknowledged)
    }
    expect(await world.countUnread(supervisor)).toBe(acknowledgements[0].length)
    expect(await world.countUnread(trainee)).toBe(acknowledgements[1].length)
  }
})
