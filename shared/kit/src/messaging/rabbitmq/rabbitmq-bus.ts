import {
  defaultPrefetch,
  type EventBus,
  type EventBusOptions,
  EventBusUnavailable,
  reasonOf,
  type Subscription,
} from '../event-bus.ts'
import { startConsumer } from './consumer.ts'
import { createDeadLetters } from './dead-letters.ts'
import { openPublisher } from './publisher.ts'
import { openReceivers } from './receivers.ts'
import { createDeclarer, topologyOf } from './topology.ts'

export const defaultRetryDelaysMs = [500, 2_000, 10_000, 60_000, 300_000]

/**
 * The bus on RabbitMQ 3.10 or newer; what stands on the broker is told in `event-bus-rabbitmq-topology.ts`. Resolves
 * after the first attempt to connect, also when the broker is away: `health()` tells, and whoever consumes or follows
 * begins as soon as the broker is there.
 */
export async function createRabbitBus(options: EventBusOptions & { url: string; exchange: string }): Promise<EventBus> {
  const { url, consumersOf, retryDelaysMs = defaultRetryDelaysMs, log } = options
  const topology = topologyOf(options.exchange)
  const declarer = createDeclarer(topology, log)
  const [receivers, publisher] = await Promise.all([
    openReceivers(url, topology, log),
    openPublisher(url, topology, declarer, log),
  ])
  const deadLetters = createDeadLetters(topology, receivers, publisher)
  const subscriptions = new Set<Subscription>()
  const publishing = new Set<Promise<void>>()
  let closed = false

  function remember(subscription: Subscription): Subscription {
    const remembered: Subscription = {
      async cancel() {
        await subscription.cancel()
        subscriptions.delete(remembered)
      },
    }
    subscriptions.add(remembered)
    return remembered
  }

  return {
    async publish(event) {
      if (closed) throw new EventBusUnavailable('the event bus is closed')
      const content = Buffer.from(JSON.stringify(event))
      const properties = { contentType: 'application/cloudevents+json', type: event.type, messageId: event.id }
      const work = publisher.toGroups(consumersOf(event.type), event.type, content, properties)
      publishing.add(work)
      await work.finally(() => publishing.delete(work))
    },

    async consume({ group, types, prefetch = defaultPrefetch }, handler) {
      const wiring = { retryDelaysMs, topology, declarer, receivers, publisher, log }
      return remember(await startConsumer({ group, types, prefetch, handler, ...wiring }))
    },

    async subscribeLive({ types }, handler) {
      const receiver = await receivers.add(async channel => {
        const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
        for (const type of types) await channel.bindQueue(queue, topology.exchange, type)
        const take = (content: Buffer) => {
          try {
            handler(JSON.parse(content.toString()))
          } catch (error) {
            log?.error({ reason: reasonOf(error) }, 'a follower failed')
          }
        }
        const lost = () => void channel.close().catch(() => {})
        await channel.consume(queue, message => (message ? take(message.content) : lost()), { noAck: true })
      })
      return remember({ cancel: () => receiver.stop(async () => {}) })
    },

    health: () => (closed ? 'the event bus is closed' : (publisher.problem() ?? receivers.problem())),
    onReconnect: receivers.onConnect,
    onPublishable: publisher.onPublishable,
    deadLetters: deadLetters.list,
    redrive: deadLetters.redrive,
    drop: (group, ids, keep) => deadLetters.drop(group, ids === 'all' ? undefined : ids, keep),
    depth: deadLetters.depth,

    async close() {
      closed = true
      await Promise.all([...subscriptions].map(subscription => subscription.cancel()))
      await Promise.allSettled(publishing)
      await Promise.all([receivers.close(), publisher.close()])
    },
  }
}
