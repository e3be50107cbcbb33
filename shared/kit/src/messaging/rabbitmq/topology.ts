import { createHash } from 'node:crypto'
import { type EventDeclaration, events } from '@watchline/contracts/events'
import type { Channel, ChannelModel } from 'amqplib'
import type { BusLog } from '../event-bus.ts'

/**
 * The names on the broker. `<exchange>` is a durable topic exchange; the routing key is the event's
 * type. Each group has the queues `<exchange>.<group>`, `<exchange>.<group>.dead` and
 * `<exchange>.<group>.retry.<n>`, the queue of the n-th retry. The latter two stand behind fanout
 * exchanges with `.entry` at the end of their names. So a broker user with rights on these names
 * can write to the queues of its own group only. The default exchange would lead to all queues.
 *
 * A retry is a copy in the retry queue. The original is acknowledged only after the copy is
 * confirmed, so a consumer that dies in between causes a repeat, never a loss. When the copy
 * expires, the broker dead-letters it to the group's queue. The delay is a property of the message,
 * so changed delays do not clash with existing queues. All messages of one retry queue have the
 * same delay, so none blocks another.
 *
 * All queues are quorum queues with at-least-once dead-lettering. RabbitMQ has it from 3.10, and
 * only together with `reject-publish`. Source: rabbitmq.com/docs/quorum-queues#dead-lettering.
 */
export function topologyOf(exchange: string) {
  return {
    exchange,
    queue: (group: string) => `${exchange}.${group}`,
    dead: (group: string) => `${exchange}.${group}.dead`,
    retry: (group: string, level: number) => `${exchange}.${group}.retry.${level}`,
    /** An exchange that exists once the broker is prepared for this version's event catalogue. */
    prepared: `${exchange}.prepared.${catalogueHash}`,
  }
}

export type Topology = ReturnType<typeof topologyOf>

/** The exchange before a queue of dead letters or retries. */
export const entryOf = (queue: string) => `${queue}.entry`

const catalogueHash = createHash('sha256')
  .update(
    JSON.stringify(
      Object.entries<EventDeclaration>(events).map(([type, { producer, consumers, liveSubscribers }]) => [
        type,
        producer,
        consumers,
        liveSubscribers,
      ]),
    ),
  )
  .digest('hex')
  .slice(0, 12)

/**
 * Only for events that kill the process: the bus itself counts the attempts that fail. Lost
 * connections count as well, so the limit is high.
 */
const deliveryLimit = 50
/** RabbitMQ 4 limits deliveries to 20 by default, and each reading of the dead letters is one. */
const practicallyUnlimited = 1_000_000_000

const quorum = { 'x-queue-type': 'quorum' }
const safeDeadLettering = { 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }

export interface QueueDeclaration {
  name: string
  arguments: Record<string, string | number>
  /** A fanout exchange that leads to it. */
  entry?: string
}

/** The group's queue and the queue of its dead letters. */
export function groupQueues(topology: Topology, group: string): QueueDeclaration[] {
  return [
    {
      name: topology.dead(group),
      arguments: { ...quorum, 'x-delivery-limit': practicallyUnlimited },
      entry: entryOf(topology.dead(group)),
    },
    {
      name: topology.queue(group),
      arguments: {
        ...quorum,
        ...safeDeadLettering,
        ...deadLetterTo(topology.dead(group)),
        'x-delivery-limit': deliveryLimit,
      },
    },
  ]
}

export function retryQueue(topology: Topology, group: string, level: number): QueueDeclaration {
  return {
    name: topology.retry(group, level),
    arguments: { ...quorum, ...safeDeadLettering, ...deadLetterTo(topology.queue(group)) },
    entry: entryOf(topology.retry(group, level)),
  }
}

function deadLetterTo(queue: string) {
  return { 'x-dead-letter-exchange': '', 'x-dead-letter-routing-key': queue }
}

/** Makes sure that the broker has what the bus needs. */
export interface Declarer {
  exchange(channel: Channel): Promise<void>
  /** The group's queue and the queue of its dead letters. */
  group(model: ChannelModel, group: string): Promise<void>
  binding(channel: Channel, group: string, type: string): Promise<void>
  retry(model: ChannelModel, group: string, level: number): Promise<void>
}

/**
 * Declares queues. Each has a channel of its own, because a refused declaration closes its channel.
 * A queue that another version declared with other arguments works, so it is used unchanged and
 * reported once.
 */
export function createDeclarer(topology: Topology, log: BusLog | undefined): Declarer {
  const reported = new Set<string>()

  async function declareQueue(model: ChannelModel, declaration: QueueDeclaration): Promise<void> {
    await assertQueue(model, declaration)
    const { name, entry } = declaration
    if (!entry) return
    await onOwnChannel(model, async channel => {
      await channel.assertExchange(entry, 'fanout', { durable: true })
      await channel.bindQueue(name, entry, '')
    })
  }

  async function assertQueue(model: ChannelModel, declaration: QueueDeclaration): Promise<void> {
    const { name } = declaration
    const channel = await model.createChannel()
    channel.on('error', () => {})
    try {
      await channel.assertQueue(name, { durable: true, arguments: declaration.arguments })
    } catch (error) {
      if ((error as { code?: number }).code !== preconditionFailed) throw error
      if (!reported.has(name)) {
        const reason = (error as Error).message
        const advice =
          'to replace it, stop the gateway, wait until the queue is empty, stop the services, delete it, start all again'
        log?.error(
          { queue: name, reason, advice },
          'a queue exists with other arguments than this version declares, it is used unchanged',
        )
      }
      reported.add(name)
      return
    }
    await channel.close()
  }

  return {
    exchange: async channel => {
      await channel.assertExchange(topology.exchange, 'topic', { durable: true })
    },
    group: async (model, group) => {
      for (const queue of groupQueues(topology, group)) await declareQueue(model, queue)
    },
    binding: async (channel, group, type) => {
      await channel.bindQueue(topology.queue(group), topology.exchange, type)
    },
    retry: (model, group, level) => declareQueue(model, retryQueue(topology, group, level)),
  }
}

/**
 * For a broker where each service has a user of its own. That user may declare nothing, because a
 * queue can dead-letter events to places where its user may not publish. The operator's tools
 * declare everything. Until they have, the bus counts as unavailable.
 */
export function createTopologyCheck(topology: Topology): Declarer {
  return {
    exchange: async channel => {
      await channel.checkExchange(topology.prepared)
    },
    group: (model, group) => onOwnChannel(model, channel => channel.checkQueue(topology.queue(group))),
    binding: async () => {},
    retry: (model, group, level) =>
      onOwnChannel(model, channel => channel.checkExchange(entryOf(topology.retry(group, level)))),
  }
}

async function onOwnChannel(model: ChannelModel, work: (channel: Channel) => Promise<unknown>): Promise<void> {
  const channel = await model.createChannel()
  channel.on('error', () => {})
  await work(channel)
  await channel.close()
}

const preconditionFailed = 406

/** Removes everything, messages included: for tests, and for removing a system for good. */
export async function removeTopology(
  channel: Channel,
  topology: Topology,
  groups: readonly string[],
  retries: number,
): Promise<void> {
  for (const group of groups) {
    const levels = Array.from({ length: retries }, (_, index) => index + 1)
    const queues = [...groupQueues(topology, group), ...levels.map(level => retryQueue(topology, group, level))]
    for (const { name, entry } of queues) {
      await channel.deleteQueue(name)
      if (entry) await channel.deleteExchange(entry)
    }
  }
  await channel.deleteExchange(topology.exchange)
}
