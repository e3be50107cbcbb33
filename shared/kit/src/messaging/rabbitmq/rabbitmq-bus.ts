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
 * The bus on RabbitMQ 3.10 or newer; `topology.ts` describes its queues. Resolves after the first
 * attempt to connect, failed or not. `health()` reports the state, and consumers start once the
 * broker is connected.
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

  function register(subscription: Subscription): Subscription {
    const registered: Subscription = {
      async cancel() {
        await subscription.cancel()
        subscriptions.delete(registered)
      },
    }
    subscriptions.add(registered)
    return registered
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
      return register(await startConsumer({ group, types, prefetch, handler, ...wiring }))
    },

    async subscribeLive({ types }, handler) {
      const receiver = await receivers.add(async channel => {
        const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
        for (const type of types) await channel.bindQueue(queue, topology.exchange, type)
        const handle = (content: Buffer) => {
          try {
            handler(JSON.parse(content.toString()))
          } catch (error) {
            log?.error({ reason: reasonOf(error) }, 'live subscriber failed')
          }
        }
        // Without a message, the broker has cancelled the consumer.
        const restart = () => void channel.close().catch(() => {})
        await channel.consume(queue, message => (message ? handle(message.content) : restart()), { noAck: true })
      })
      return register({ cancel: () => receiver.stop(async () => {}) })
    },

    health: () => (closed ? 'the event bus is closed' : (publisher.problem() ?? receivers.problem())),
    onReconnect: receivers.onConnect,
    onPublishable: publisher.onPublishable,
    deadLetters: deadLetters.list,
    redrive: deadLetters.redrive,
    drop: (group, ids, archive) => deadLetters.drop(group, ids === 'all' ? undefined : ids, archive),
    depth: deadLetters.depth,

    async close() {
      closed = true
      await Promise.all([...subscriptions].map(subscription => subscription.cancel()))
      await Promise.allSettled(publishing)
      await Promise.all([receivers.close(), publisher.close()])
    },
  }
}
