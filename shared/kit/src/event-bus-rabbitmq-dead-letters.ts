import type { GetMessage } from 'amqplib'
import { type DeadLetter, deadLettersListed } from './event-bus.ts'
import type { Publisher } from './event-bus-rabbitmq-publisher.ts'
import type { Receivers } from './event-bus-rabbitmq-receivers.ts'
import { declareGroup, type Topology } from './event-bus-rabbitmq-topology.ts'

/**
 * AMQP has no way to look into a queue: the letters are taken and, when the channel closes, go back to where they were.
 * Who looks or re-drives at the same moment may miss those.
 */
export async function listDeadLetters(topology: Topology, receivers: Receivers, group: string): Promise<DeadLetter[]> {
  return receivers.withChannel(async channel => {
    await declareGroup(channel, topology, group)
    const letters: DeadLetter[] = []
    while (letters.length < deadLettersListed) {
      const message = await channel.get(topology.dead(group))
      if (!message) break
      letters.push(letterOf(message))
    }
    return letters
  })
}

/** To the group's queue alone: the other groups have long had the event. Each leaves only after it is confirmed there. */
export async function redriveDeadLetters(
  topology: Topology,
  receivers: Receivers,
  publisher: Publisher,
  group: string,
): Promise<number> {
  return receivers.withChannel(async channel => {
    await declareGroup(channel, topology, group)
    // No more than stood there: what dies again at once would keep this going for ever.
    const { messageCount } = await channel.checkQueue(topology.dead(group))
    let count = 0
    while (count < messageCount) {
      const message = await channel.get(topology.dead(group))
      if (!message) break
      const { type, messageId, contentType } = message.properties
      await publisher.toQueue(group, message.content, { type, messageId, contentType })
      channel.ack(message)
      count++
    }
    return count
  })
}

/** The bus says why in headers of its own; what the broker itself gave up on carries the broker's word. */
function letterOf(message: GetMessage): DeadLetter {
  const headers = message.properties.headers ?? {}
  const death = headers['x-death']?.[0]
  return {
    event: parsed(message.content.toString()),
    reason: String(headers['x-reason'] ?? headers['x-first-death-reason'] ?? 'unknown'),
    at: String(headers['x-at'] ?? new Date((death?.time.value ?? 0) * 1000).toISOString()),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
