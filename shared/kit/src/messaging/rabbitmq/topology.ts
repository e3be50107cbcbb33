import type { Channel, ChannelModel, Options } from 'amqplib'
import type { BusLog } from '../event-bus.ts'

/**
 * The names on the broker. `<exchange>` is a durable topic exchange; the routing key is the event's
 * type. Each group has the queues `<exchange>.<group>` and `<exchange>.<group>.dead`. All groups
 * share `<exchange>.retry.<n>`, the queue of the n-th retry, behind a fanout exchange of the same
 * name.
 *
 * A retry is a copy in the retry queue. The original is acknowledged only after the copy is
 * confirmed, so a consumer that dies in between causes a repeat, never a loss. When the copy
 * expires, the broker dead-letters it through the default exchange, with the name of the group's
 * queue as routing key. The delay is a property of the message, so changed delays do not clash with
 * existing queues. All messages of one retry queue have the same delay, so none blocks another.
 *
 * All queues are quorum queues with at-least-once dead-lettering. RabbitMQ has it from 3.10, and
 * only together with `reject-publish`. Source: rabbitmq.com/docs/quorum-queues#dead-lettering.
 */
export function topologyOf(exchange: string) {
  return {
    exchange,
    queue: (group: string) => `${exchange}.${group}`,
    dead: (group: string) => `${exchange}.${group}.dead`,
    retry: (level: number) => `${exchange}.retry.${level}`,
  }
}

export type Topology = ReturnType<typeof topologyOf>

/**
 * Only for events that kill the process: the bus itself counts the attempts that fail. Lost
 * connections count as well, so the limit is high.
 */
const deliveryLimit = 50
/** RabbitMQ 4 limits deliveries to 20 by default, and each reading of the dead letters is one. */
const practicallyUnlimited = 1_000_000_000

const quorum = { 'x-queue-type': 'quorum' }
const safeDeadLettering = { 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }

export async function declareExchange(channel: Channel, topology: Topology): Promise<void> {
  await channel.assertExchange(topology.exchange, 'topic', { durable: true })
}

export interface Declarer {
  /** The group's queue and the queue of its dead letters. */
  group(model: ChannelModel, group: string): Promise<void>
  retry(model: ChannelModel, level: number): Promise<void>
}

/**
 * Declares queues. Each has a channel of its own, because a refused declaration closes its channel.
 * A queue that another version declared with other arguments works, so it is used unchanged and
 * reported once.
 */
export function createDeclarer(topology: Topology, log: BusLog | undefined): Declarer {
  const reported = new Set<string>()

  async function declareQueue(model: ChannelModel, name: string, options: Options.AssertQueue): Promise<void> {
    const channel = await model.createChannel()
    channel.on('error', () => {})
    try {
      await channel.assertQueue(name, { durable: true, ...options })
    } catch (error) {
      if ((error as { code?: number }).code !== preconditionFailed) throw error
      if (!reported.has(name)) {
        const reason = (error as Error).message
        const advice =
          'it is used unchanged; to replace it, stop the gateway, wait until the queue is empty, stop the services, delete it, start all again'
        log?.error({ queue: name, reason }, `a queue exists with other arguments than this version declares: ${advice}`)
      }
      reported.add(name)
      return
    }
    await channel.close()
  }

  return {
    async group(model, group) {
      await declareQueue(model, topology.dead(group), {
        arguments: { ...quorum, 'x-delivery-limit': practicallyUnlimited },
      })
      await declareQueue(model, topology.queue(group), {
        deadLetterExchange: '',
        deadLetterRoutingKey: topology.dead(group),
        arguments: { ...quorum, ...safeDeadLettering, 'x-delivery-limit': deliveryLimit },
      })
    },

    async retry(model, level) {
      const name = topology.retry(level)
      await declareQueue(model, name, { deadLetterExchange: '', arguments: { ...quorum, ...safeDeadLettering } })
      const channel = await model.createChannel()
      channel.on('error', () => {})
      await channel.assertExchange(name, 'fanout', { durable: true })
      await channel.bindQueue(name, name, '')
      await channel.close()
    },
  }
}

const preconditionFailed = 406

export async function bindGroup(channel: Channel, topology: Topology, group: string, type: string): Promise<void> {
  await channel.bindQueue(topology.queue(group), topology.exchange, type)
}

/** Removes everything, messages included: for tests, and for removing a system for good. */
export async function removeTopology(
  channel: Channel,
  topology: Topology,
  groups: readonly string[],
  retries: number,
): Promise<void> {
  for (const group of groups) {
    await channel.deleteQueue(topology.queue(group))
    await channel.deleteQueue(topology.dead(group))
  }
  for (let level = 1; level <= retries; level++) {
    await channel.deleteQueue(topology.retry(level))
    await channel.deleteExchange(topology.retry(level))
  }
  await channel.deleteExchange(topology.exchange)
}
