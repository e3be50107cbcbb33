import type { Channel, ChannelModel, Options } from 'amqplib'
import type { BusLog } from '../event-bus.ts'

/**
 * What stands on the broker. `<exchange>` is a durable topic exchange, the routing key is the event's type. Every group
 * has `<exchange>.<group>` and `<exchange>.<group>.dead`. All groups share `<exchange>.retry.<n>`, the waiting room of
 * the n-th retry, behind a fanout exchange of the same name.
 *
 * A retry is a copy published to the waiting room, confirmed, and only then is the original acknowledged: a consumer
 * that dies in between causes a repeat, never a loss. When its time is up the broker itself moves the copy back: it
 * dead-letters through the default exchange by the copy's own routing key, which is the name of the group's queue. The
 * wait is a property of the message, not of the queue, so that changed delays do not clash with queues that exist; as
 * all messages of one room wait equally long, none stands in another's way.
 *
 * All queues are quorum queues with at-least-once dead-lettering, which RabbitMQ offers from 3.10 on and only together
 * with `reject-publish`. Source: rabbitmq.com/docs/quorum-queues#dead-lettering.
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

/** Only for events that kill the process before it can say so: those it rejects are counted by the bus itself. Lost
 *  connections count as well, hence the room. */
const deliveryLimit = 50
/** RabbitMQ 4 limits deliveries to 20 by default, and every look at the dead letters is one. */
const practicallyUnlimited = 1_000_000_000

const quorum = { 'x-queue-type': 'quorum' }
const safeDeadLettering = { 'x-dead-letter-strategy': 'at-least-once', 'x-overflow': 'reject-publish' }

export async function declareExchange(channel: Channel, topology: Topology): Promise<void> {
  await channel.assertExchange(topology.exchange, 'topic', { durable: true })
}

export interface Declarer {
  /** The group's queue and its dead letters'. */
  group(model: ChannelModel, group: string): Promise<void>
  retry(model: ChannelModel, level: number): Promise<void>
}

/**
 * Declares queues, each on a channel of its own, for a refused declaration closes its channel. A queue that exists with other
 * arguments, from an older or a newer version, is used as it is: it works, and a service that would not start for its sake would
 * help nobody. That is told once a queue; how to replace it is told in the log's words.
 */
export function createDeclarer(topology: Topology, log: BusLog | undefined): Declarer {
  const told = new Set<string>()

  async function queue(model: ChannelModel, name: string, options: Options.AssertQueue): Promise<void> {
    const channel = await model.createChannel()
    channel.on('error', () => {})
    try {
      await channel.assertQueue(name, { durable: true, ...options })
    } catch (error) {
      if ((error as { code?: number }).code !== preconditionFailed) throw error
      if (!told.has(name)) {
        const reason = (error as Error).message
        const advice =
          'it is used as it is; to replace it, stop all services, let it run empty, delete it, start them again'
        log?.error({ queue: name, reason }, `a queue exists with other arguments than this version declares: ${advice}`)
      }
      told.add(name)
      return
    }
    await channel.close()
  }

  return {
    async group(model, group) {
      await queue(model, topology.dead(group), { arguments: { ...quorum, 'x-delivery-limit': practicallyUnlimited } })
      await queue(model, topology.queue(group), {
        deadLetterExchange: '',
        deadLetterRoutingKey: topology.dead(group),
        arguments: { ...quorum, ...safeDeadLettering, 'x-delivery-limit': deliveryLimit },
      })
    },

    async retry(model, level) {
      const name = topology.retry(level)
      await queue(model, name, { deadLetterExchange: '', arguments: { ...quorum, ...safeDeadLettering } })
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

/** Removes everything, messages included: for tests, and for taking a system down for good. */
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
