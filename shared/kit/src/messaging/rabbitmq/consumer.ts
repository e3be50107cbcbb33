import type { Channel, ConsumeMessage, Options } from 'amqplib'
import { addAttempt, type BusLog, type Delivery, PoisonError, reasonOf, type Subscription } from '../event-bus.ts'
import { headersOfDeath, headersOfRetry, publisherHeader, publisherOf, triesOf } from './dead-letters.ts'
import type { Publisher } from './publisher.ts'
import type { Receivers } from './receivers.ts'
import type { Declarer, Topology } from './topology.ts'

export interface ConsumerOptions {
  consumerGroup: string
  types: readonly string[]
  prefetch: number
  handler(event: unknown, delivery: Delivery): Promise<void>
  retryDelaysMs: readonly number[]
  topology: Topology
  declarer: Declarer
  receivers: Receivers
  publisher: Publisher
  /** See {@link RabbitBusOptions}. */
  hasServiceUsers: boolean
  log: BusLog | undefined
}

/**
 * Handles a group's events from its queue. A failed event waits in a retry queue; after the last
 * retry it goes to the dead letters.
 */
export async function startConsumer(options: ConsumerOptions): Promise<Subscription> {
  const {
    consumerGroup,
    prefetch,
    handler,
    retryDelaysMs,
    topology,
    declarer,
    receivers,
    publisher,
    hasServiceUsers,
    log,
  } = options
  const types = new Set(options.types)
  const running = new Set<Promise<void>>()
  let tag: string | undefined
  let cancelled = false

  const receiver = await receivers.add(async (channel, model) => {
    await declarer.group(model, consumerGroup)
    for (const type of types) await declarer.binding(channel, consumerGroup, type)
    await channel.prefetch(prefetch)
    const { consumerTag } = await channel.consume(topology.queue(consumerGroup), message => {
      // The broker cancelled the consumer, perhaps because the queue was removed. A new channel
      // declares the queue again.
      if (!message) return void channel.close().catch(() => {})
      const work: Promise<void> = consumeMessage(channel, message).finally(() => running.delete(work))
      running.add(work)
    })
    tag = consumerTag
  })

  async function consumeMessage(channel: Channel, message: ConsumeMessage): Promise<void> {
    try {
      await handle(message)
    } catch (error) {
      if (!(await moveFailed(channel, message, error))) return answer(() => channel.nack(message, false, true))
    }
    answer(() => channel.ack(message))
  }

  async function handle(message: ConsumeMessage): Promise<void> {
    let event: { type?: unknown } | null
    try {
      event = JSON.parse(message.content.toString())
    } catch {
      throw new PoisonError('not JSON')
    }
    const type = event?.type
    // Retried, not poison: during a rollout another replica may know the type.
    if (typeof type === 'string' && !types.has(type)) throw new Error(`no handler here for ${type}`)
    const attempt = retriesOf(message) + 1
    await handler(event, hasServiceUsers ? { attempt, publisher: publisherOf(message, consumerGroup) } : { attempt })
  }

  /**
   * Moves a failed event to its retry queue or the dead letters; false if that is not possible any
   * more. Keeps trying, because a returned event would be redelivered at once, over and over.
   */
  async function moveFailed(channel: Channel, message: ConsumeMessage, error: unknown): Promise<boolean> {
    const moveMessage = prepareMove(message, error)
    for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
      try {
        await moveMessage()
        return true
      } catch (failure) {
        log?.warn({ group: consumerGroup, reason: reasonOf(failure) }, 'failed event could not be moved, retrying')
        if (cancelled || !receiver.isUsing(channel)) return false
        await new Promise(resolve => setTimeout(resolve, wait * (0.5 + Math.random() / 2)))
      }
    }
  }

  function prepareMove(message: ConsumeMessage, error: unknown): () => Promise<void> {
    const reason = reasonOf(error)
    const { type, messageId, contentType, headers } = message.properties
    const properties: Options.Publish = { type, messageId, contentType }
    const retries = retriesOf(message)
    const at = new Date().toISOString()
    const tries = addAttempt(triesOf(headers), { at, reason })
    const origin = { [publisherHeader]: publisherOf(message, consumerGroup) }
    const delay = retryDelaysMs[retries]
    const fields = { group: consumerGroup, type, event_id: messageId, reason, retries }
    if (error instanceof PoisonError || delay === undefined) {
      log?.error(fields, 'event put to the dead letters')
      const death = { ...properties, headers: { ...headersOfDeath(reason, at, tries), ...origin } }
      return () => publisher.toDeadLetters(consumerGroup, message.content, death)
    }
    log?.warn(fields, 'event will be retried')
    const next = { ...properties, headers: { ...headersOfRetry(retries + 1, reason, tries), ...origin } }
    return () => publisher.toRetryQueue(consumerGroup, retries + 1, delay, message.content, next)
  }

  return {
    async cancel() {
      cancelled = true
      await receiver.stop(async channel => {
        if (tag !== undefined) await channel.cancel(tag)
        await Promise.all(running)
      })
      await Promise.all(running)
    },
  }
}

function retriesOf(message: ConsumeMessage): number {
  return Number(message.properties.headers?.['x-retries'] ?? 0)
}

function answer(send: () => void): void {
  try {
    send()
  } catch {
    // The channel is closed, so the broker redelivers the event.
  }
}
