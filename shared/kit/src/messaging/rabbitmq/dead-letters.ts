import type { Channel, GetMessage, Options } from 'amqplib'
import {
  type DeadLetter,
  deadLetterId,
  deadLettersListed,
  type FailedAttempt,
  parseDeadLetter,
  type QueueDepth,
} from '../event-bus.ts'
import type { Publisher } from './publisher.ts'
import type { Receivers } from './receivers.ts'
import type { Topology } from './topology.ts'

interface Taken {
  message: GetMessage
  letter: DeadLetter
}

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

  /**
   * Only the letters present at the start; letters that arrive meanwhile could keep this running
   * for ever.
   */
  async function take(channel: Channel, group: string, limit: number): Promise<Taken[]> {
    const taken: Taken[] = []
    while (taken.length < limit) {
      const message = await channel.get(topology.dead(group))
      if (!message) break
      taken.push({ message, letter: letterOf(message) })
    }
    return taken
  }

  /** Removes those of these ids, or all, each when `first` has resolved for it. */
  async function remove(group: string, ids: readonly string[] | undefined, first: (taken: Taken) => Promise<void>) {
    const wanted = ids && new Set(ids)
    const removed = await look(async channel => {
      const chosen = (await take(channel, group, takenAtOnce)).filter(({ letter }) => !wanted || wanted.has(letter.id))
      let unsettled = 0
      try {
        for (const each of chosen) {
          await first(each)
          channel.ack(each.message)
          if (++unsettled < ackedAtOnce) continue
          await settle(channel, group)
          unsettled = 0
        }
      } finally {
        await settle(channel, group)
      }
      return chosen.length
    })
    return removed ?? 0
  }

  /**
   * Waits until the queue has the acknowledgements: a channel that closes too soon after many drops some of them (RabbitMQ issue
   * 10327), and the letters come back. A get is answered by the queue itself, after what was sent before; what it may bring is given
   * back when the channel closes.
   */
  const settle = (channel: Channel, group: string) => channel.get(topology.dead(group))

  return {
    list: async (group: string): Promise<DeadLetter[]> =>
      (await look(async channel => (await take(channel, group, deadLettersListed)).map(each => each.letter))) ?? [],

    /** To the group's queue alone: the other groups have long had the event. Each leaves only after it is confirmed there. */
    redrive: (group: string, ids?: readonly string[]): Promise<number> =>
      remove(group, ids, async ({ message, letter: { tries } }) => {
        const { type, messageId, contentType } = message.properties
        const headers = { [triesHeader]: JSON.stringify(tries) }
        await publisher.toQueue(group, message.content, { type, messageId, contentType, headers })
      }),

    drop: (group: string, ids: readonly string[] | undefined, keep: (letter: DeadLetter) => Promise<void>) =>
      remove(group, ids, ({ letter }) => keep(letter)),

    async depth(group: string): Promise<QueueDepth | undefined> {
      const [waiting, dead] = await Promise.all([count(topology.queue(group)), count(topology.dead(group))])
      return waiting === undefined && dead === undefined ? undefined : { waiting: waiting ?? 0, dead: dead ?? 0 }
    },
  }
}

/** More would have to be held in memory; whoever has so many calls again. */
const takenAtOnce = 100_000
/** RabbitMQ passes fewer than 32 on to a quorum queue before it waits for an answer. */
const ackedAtOnce = 16
const notFound = 404
const triesHeader = 'x-tries'

/** The failed tries that a message carries. */
export function triesOf(headers: Options.Publish['headers']): FailedAttempt[] {
  try {
    const tries = JSON.parse(headers?.[triesHeader])
    return Array.isArray(tries) ? tries : []
  } catch {
    return []
  }
}

export function headersOfDeath(reason: string, at: string, tries: readonly FailedAttempt[]) {
  return { 'x-reason': reason, 'x-at': at, [triesHeader]: JSON.stringify(tries) }
}

export function headersOfRetry(retries: number, reason: string, tries: readonly FailedAttempt[]) {
  return { 'x-retries': retries, 'x-reason': reason, [triesHeader]: JSON.stringify(tries) }
}

/** The bus says when and why in headers of its own; what the broker itself gave up on carries the broker's word. */
function letterOf(message: GetMessage): DeadLetter {
  const headers = message.properties.headers ?? {}
  const text = message.content.toString()
  const event = parseDeadLetter(text)
  const letter = { id: deadLetterId(text, event), event, tries: triesOf(headers) }
  if (headers['x-at'])
    return { ...letter, reason: String(headers['x-reason'] ?? 'unknown'), at: String(headers['x-at']) }
  // Without `x-at` nobody of ours put it here: the latest of the broker's entries says what it did.
  const death = headers['x-death']?.[0]
  const at = new Date((death?.time.value ?? 0) * 1000).toISOString()
  return { ...letter, reason: `the broker gave it up: ${death?.reason ?? 'unknown'}`, at }
}
