import type { ConsumeMessage } from 'amqplib'
import {
  defaultPrefetch,
  type EventBus,
  type EventBusOptions,
  EventBusUnavailable,
  PoisonError,
  reasonOf,
  type Subscription,
} from '../event-bus.ts'
import { startConsumer } from './consumer.ts'
import { createDeadLetters } from './dead-letters.ts'
import { openPublisher } from './publisher.ts'
import { openReceivers } from './receivers.ts'
import { createDeclarer, createTopologyCheck, topologyOf } from './topology.ts'

export const defaultRetryDelaysMs = [500, 2_000, 10_000, 60_000, 300_000]

export interface RabbitBusOptions extends EventBusOptions {
  url: string
  exchange: string
  /**
   * Each service has a user at the broker with its name, and the operator's tools have declared the
   * topology. Messages state their user, RabbitMQ verifies it, and consumers and live subscribers
   * accept events only from the user that is named as their source.
   */
  hasServiceUsers?: boolean
}

/**
 * The bus on RabbitMQ 3.10 or newer; `topology.ts` describes its queues. Resolves after the first
 * attempt to connect, failed or not. `health()` reports the state, and consumers start once the
 * broker is connected.
 */
export async function createRabbitBus(options: RabbitBusOptions): Promise<EventBus> {
  const { url, consumersOf, retryDelaysMs = defaultRetryDelaysMs, hasServiceUsers = false, log } = options
  const topology = topologyOf(options.exchange)
  const declarer = hasServiceUsers ? createTopologyCheck(topology) : createDeclarer(topology, log)
  const userId = hasServiceUsers ? decodeURIComponent(new URL(url).username) : undefined
  const [receivers, publisher] = await Promise.all([
    openReceivers(url, topology, declarer, log),
    openPublisher(url, topology, declarer, log, userId),
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

    async consume({ consumerGroup, types, prefetch = defaultPrefetch }, handler) {
      const wiring = { retryDelaysMs, topology, declarer, receivers, publisher, hasServiceUsers, log }
      return register(await startConsumer({ consumerGroup, types, prefetch, handler, ...wiring }))
    },

    async subscribeLive({ types }, handler) {
      const receiver = await receivers.add(async channel => {
        const { queue } = await channel.assertQueue('', { exclusive: true, autoDelete: true, durable: false })
        for (const type of types) await channel.bindQueue(queue, topology.exchange, type)
        const handle = ({ content, properties }: ConsumeMessage) => {
          try {
            const event = JSON.parse(content.toString())
            if (hasServiceUsers && event?.source !== properties.userId)
              throw new PoisonError(`the event names ${event?.source}, but its broker user is ${properties.userId}`)
            handler(event)
          } catch (error) {
            log?.error({ reason: reasonOf(error) }, 'live subscriber failed')
          }
        }
        // Without a message, the broker has cancelled the consumer.
        const restart = () => void channel.close().catch(() => {})
        await channel.consume(queue, message => (message ? handle(message) : restart()), { noAck: true })
      })
      return register({ cancel: () => receiver.stop(async () => {}) })
    },

    health: () => (closed ? 'the event bus is closed' : (publisher.problem() ?? receivers.problem())),
    onReconnect: receivers.onConnect,
    onPublishable: publisher.onPublishable,
    deadLetters: deadLetters.list,
    redrive: deadLetters.redrive,
    drop: (consumerGroup, ids, archive) => deadLetters.drop(consumerGroup, ids === 'all' ? undefined : ids, archive),
    replaceDeadLetters: deadLetters.replace,
    depth: deadLetters.depth,

    async close() {
      closed = true
      await Promise.all([...subscriptions].map(subscription => subscription.cancel()))
      await Promise.allSettled(publishing)
      await Promise.all([receivers.close(), publisher.close()])
    },
  }
}
