import type { Channel, GetMessage, Options } from 'amqplib'
import { type DeadLetter, type Depth, deadLettersListed, type FailedTry, letterId, readLetter } from './event-bus.ts'
import type { Publisher } from './event-bus-rabbitmq-publisher.ts'
import type { Receivers } from './event-bus-rabbitmq-receivers.ts'
import type { Topology } from './event-bus-rabbitmq-topology.ts'

/**
 * The dead letters of a group. AMQP has no way to look into a queue: the letters are taken and, when the channel closes, go back to
 * where they were. Who looks or re-drives at the same moment may miss those.
 */
export function createDeadLetters(topology: Topology, receivers: Receivers, publisher: Publisher) {
  /** On a channel for a moment; undefined where there is no such queue: looking makes none. */
  async function look<T>(work: (channel: Channel) => Promise<T>): Promise<T | undefined> {
    try {
      return await receivers.withChannel(work)
    } catch (error) {
      if ((error as { code?: number }).code === notFound) return undefined
      throw error
    }
  }

  const count = (queue: string) => look(async channel => (await channel.checkQueue(queue)).messageCount)

  /** Visits what stands there, and not what dies while it does so: that could go on for ever. */
  async function each(
    group: string,
    ids: readonly string[] | undefined,
    limit: number,
    visit: (message: GetMessage, letter: DeadLetter, channel: Channel) => Promise<void>,
  ): Promise<number> {
    const wanted = ids && new Set(ids)
    const visited = await look(async channel => {
      const taken: { message: GetMessage; letter: DeadLetter }[] = []
      for (let seen = 0; seen < limit; seen++) {
        const message = await channel.get(topology.dead(group))
        if (!message) break
        const letter = letterOf(message)
        if (!wanted || wanted.has(letter.id)) taken.push({ message, letter })
      }
      for (const { message, letter } of taken) await visit(message, letter, channel)
      return taken.length
    })
    return visited ?? 0
  }

  return {
    async list(group: string): Promise<DeadLetter[]> {
      const letters: DeadLetter[] = []
      await each(group, undefined, deadLettersListed, async (_message, letter) => void letters.push(letter))
      return letters
    },

    /** To the group's queue alone: the other groups have long had the event. Each leaves only after it is confirmed there. */
    redrive: (group: string, ids?: readonly string[]): Promise<number> =>
      each(group, ids, takenAtOnce, async (message, { tries }, channel) => {
        const { type, messageId, contentType } = message.properties
        const headers = { [triesHeader]: JSON.stringify(tries) }
        await publisher.toQueue(group, message.content, { type, messageId, contentType, headers })
        channel.ack(message)
      }),

    drop: (group: string, ids: readonly string[] | undefined, keep: (letter: DeadLetter) => Promise<void>) =>
      each(group, ids, takenAtOnce, async (message, letter, channel) => {
        await keep(letter)
        channel.ack(message)
      }),

    async depth(group: string): Promise<Depth | undefined> {
      const [waiting, dead] = await Promise.all([count(topology.queue(group)), count(topology.dead(group))])
      return waiting === undefined && dead === undefined ? undefined : { waiting: waiting ?? 0, dead: dead ?? 0 }
    },
  }
}

/** More would have to be held in memory; whoever has so many calls again. */
const takenAtOnce = 100_000
const notFound = 404
const triesHeader = 'x-tries'

/** The failed tries that a message carries. */
export function triesOf(headers: Options.Publish['headers']): FailedTry[] {
  try {
    const tries = JSON.parse(headers?.[triesHeader])
    return Array.isArray(tries) ? tries : []
  } catch {
    return []
  }
}

export function headersOfDeath(reason: string, at: string, tries: readonly FailedTry[]) {
  return { 'x-reason': reason, 'x-at': at, [triesHeader]: JSON.stringify(tries) }
}

export function headersOfRetry(retries: number, reason: string, tries: readonly FailedTry[]) {
  return { 'x-retries': retries, 'x-reason': reason, [triesHeader]: JSON.stringify(tries) }
}

/** The bus says when and why in headers of its own; what the broker itself gave up on carries the broker's word. */
function letterOf(message: GetMessage): DeadLetter {
  const headers = message.properties.headers ?? {}
  const text = message.content.toString()
  const event = readLetter(text)
  const letter = { id: letterId(text, event), event, tries: triesOf(headers) }
  if (headers['x-at'])
    return { ...letter, reason: String(headers['x-reason'] ?? 'unknown'), at: String(headers['x-at']) }
  // Without `x-at` nobody of ours put it here: the latest of the broker's entries says what it did.
  const death = headers['x-death']?.[0]
  const at = new Date((death?.time.value ?? 0) * 1000).toISOString()
  return { ...letter, reason: `the broker gave it up: ${death?.reason ?? 'unknown'}`, at }
}
