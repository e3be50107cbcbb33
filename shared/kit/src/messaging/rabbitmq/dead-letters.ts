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

interface FetchedLetter {
  message: GetMessage
  letter: DeadLetter
}

/**
 * The dead letters of a group. AMQP cannot read a queue without consuming it. The messages are
 * fetched, and return to their place when the channel closes. A concurrent reader misses them.
 */
export function createDeadLetters(topology: Topology, receivers: Receivers, publisher: Publisher) {
  /** Undefined if the queue does not exist: reading must not create it. */
  async function withQueue<T>(work: (channel: Channel) => Promise<T>): Promise<T | undefined> {
    try {
      return await receivers.withChannel(work)
    } catch (error) {
      if ((error as { code?: number }).code === notFound) return undefined
      throw error
    }
  }

  const count = (queue: string) => withQueue(async channel => (await channel.checkQueue(queue)).messageCount)

  /**
   * Only the letters present at the start; letters that arrive meanwhile could keep this running
   * for ever.
   */
  async function fetchLetters(channel: Channel, consumerGroup: string, limit: number): Promise<FetchedLetter[]> {
    const fetched: FetchedLetter[] = []
    while (fetched.length < limit) {
      const message = await channel.get(topology.dead(consumerGroup))
      if (!message) break
      fetched.push({ message, letter: toDeadLetter(message) })
    }
    return fetched
  }

  /** Removes those with these ids, or all, each after `save` has resolved for it. */
  async function remove(
    consumerGroup: string,
    ids: readonly string[] | undefined,
    save: (fetched: FetchedLetter) => Promise<void>,
  ) {
    const selectedIds = ids && new Set(ids)
    const removed = await withQueue(async channel => {
      const fetched = await fetchLetters(channel, consumerGroup, maxFetched)
      const selected = fetched.filter(({ letter }) => !selectedIds || selectedIds.has(letter.id))
      let unsettled = 0
      try {
        for (const item of selected) {
          await save(item)
          channel.ack(item.message)
          if (++unsettled < ackedAtOnce) continue
          await awaitAcknowledgements(channel, consumerGroup)
          unsettled = 0
        }
      } finally {
        await awaitAcknowledgements(channel, consumerGroup)
      }
      return selected.length
    })
    return removed ?? 0
  }

  /**
   * A channel that closes soon after many acknowledgements drops some of them, and the letters
   * return to the queue (RabbitMQ issue 10327). The queue answers a get after everything sent
   * before it. The letter that the get fetches returns when the channel closes.
   */
  const awaitAcknowledgements = (channel: Channel, consumerGroup: string) => channel.get(topology.dead(consumerGroup))

  return {
    list: async (consumerGroup: string, limit = deadLettersListed): Promise<DeadLetter[]> =>
      (await withQueue(async channel => {
        const fetched = await fetchLetters(channel, consumerGroup, limit)
        return fetched.map(({ letter }) => letter)
      })) ?? [],

    /** To the group's own queue, because the other groups have handled the event. */
    redrive: (consumerGroup: string, ids?: readonly string[]): Promise<number> =>
      remove(consumerGroup, ids, async ({ message, letter: { tries } }) => {
        const { type, messageId, contentType } = message.properties
        const headers = { [triesHeader]: JSON.stringify(tries), [publisherHeader]: publisherOf(message, consumerGroup) }
        await publisher.toQueue(consumerGroup, message.content, { type, messageId, contentType, headers })
      }),

    drop: (consumerGroup: string, ids: readonly string[] | undefined, archive: (letter: DeadLetter) => Promise<void>) =>
      remove(consumerGroup, ids, ({ letter }) => archive(letter)),

    /** The letter is removed only after the broker has its replacement. */
    replace: (
      consumerGroup: string,
      ids: readonly string[],
      replacementOf: (letter: DeadLetter) => object | undefined,
    ): Promise<number> =>
      remove(consumerGroup, ids, async ({ message, letter }) => {
        const replacement = replacementOf(letter)
        if (!replacement) return
        const { type, messageId, contentType } = message.properties
        const origin = { [publisherHeader]: publisherOf(message, consumerGroup) }
        const headers = { ...headersOfDeath(letter.reason, letter.at, letter.tries), ...origin }
        const content = Buffer.from(JSON.stringify(replacement))
        await publisher.toDeadLetters(consumerGroup, content, { type, messageId, contentType, headers })
      }),

    async depth(consumerGroup: string): Promise<QueueDepth | undefined> {
      const [waiting, dead] = await Promise.all([
        count(topology.queue(consumerGroup)),
        count(topology.dead(consumerGroup)),
      ])
      return waiting === undefined && dead === undefined ? undefined : { waiting: waiting ?? 0, dead: dead ?? 0 }
    },
  }
}

/** They are held in memory; for more than that, call again. */
const maxFetched = 100_000
/** RabbitMQ passes fewer than 32 to a quorum queue before it waits for an answer. */
const ackedAtOnce = 16
const notFound = 404
const triesHeader = 'x-tries'
export const publisherHeader = 'x-publisher'
/** The broker user of the operator's commands. */
const operatorUser = 'operator'

/**
 * The broker user that published the event first. RabbitMQ has compared the message's `user_id`
 * with the connection's user. A copy has the user of the group that moved it, or of the operator
 * who redrives it. Their header names the first user; nobody else's header counts.
 */
export function publisherOf({ properties }: Pick<GetMessage, 'properties'>, consumerGroup: string): string {
  const userId = typeof properties.userId === 'string' ? properties.userId : ''
  const header = properties.headers?.[publisherHeader]
  return typeof header === 'string' && [consumerGroup, operatorUser].includes(userId) ? header : userId
}

/** The failed attempts that a message carries. */
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

/** The bus stores time and reason in its own headers; the broker stores its own in `x-death`. */
function toDeadLetter(message: GetMessage): DeadLetter {
  const headers = message.properties.headers ?? {}
  const text = message.content.toString()
  const event = parseDeadLetter(text)
  const letter = { id: deadLetterId(text, event), event, tries: triesOf(headers) }
  if (headers['x-at'])
    return { ...letter, reason: String(headers['x-reason'] ?? 'unknown'), at: String(headers['x-at']) }
  // Without `x-at` the broker itself moved the message here; its latest entry comes first.
  const death = headers['x-death']?.[0]
  const at = new Date((death?.time.value ?? 0) * 1000).toISOString()
  return { ...letter, reason: `the broker gave it up: ${death?.reason ?? 'unknown'}`, at }
}
