import type { Channel, ConsumeMessage, Options } from 'amqplib'
import { addAttempt, type BusLog, type Delivery, PoisonError, reasonOf, type Subscription } from '../event-bus.ts'
import { headersOfDeath, headersOfRetry, triesOf } from './dead-letters.ts'
import type { Publisher } from './publisher.ts'
import type { Receivers } from './receivers.ts'
import { bindGroup, type Declarer, type Topology } from './topology.ts'

export interface ConsumerOptions {
  group: string
  types: readonly string[]
  prefetch: number
  handler(event: unknown, delivery: Delivery): Promise<void>
  retryDelaysMs: readonly number[]
  topology: Topology
  declarer: Declarer
  receivers: Receivers
  publisher: Publisher
  log: BusLog | undefined
}

/** Takes a group's events from its queue; what fails waits in a retry queue, what keeps failing goes to the dead letters. */
export async function startConsumer(options: ConsumerOptions): Promise<Subscription> {
  const { group, prefetch, handler, retryDelaysMs, topology, declarer, receivers, publisher, log } = options
  const types = new Set(options.types)
  const running = new Set<Promise<void>>()
  let tag: string | undefined
  let cancelled = false

  const receiver = await receivers.add(async (channel, model) => {
    await declarer.group(model, group)
    for (const type of types) await bindGroup(channel, topology, group, type)
    await channel.prefetch(prefetch)
    const { consumerTag } = await channel.consume(topology.queue(group), message => {
      // The broker ended it, for instance because the queue was removed: a fresh channel declares it again.
      if (!message) return void channel.close().catch(() => {})
      const work: Promise<void> = take(channel, message).finally(() => running.delete(work))
      running.add(work)
    })
    tag = consumerTag
  })

  async function take(channel: Channel, message: ConsumeMessage): Promise<void> {
    try {
      await attempt(message)
    } catch (error) {
      if (!(await putAside(channel, message, error))) return answer(() => channel.nack(message, false, true))
    }
    answer(() => channel.ack(message))
  }

  async function attempt(message: ConsumeMessage): Promise<void> {
    let event: { type?: unknown } | null
    try {
      event = JSON.parse(message.content.toString())
    } catch {
      throw new PoisonError('not JSON')
    }
    const type = event?.type
    // Retried, not poison: while a new version is rolled out, another replica may know what this one does not.
    if (typeof type === 'string' && !types.has(type)) throw new Error(`no handler here for ${type}`)
    await handler(event, { attempt: retriesOf(message) + 1 })
  }

  /** While it cannot be put aside an event is held: given back, it would come again at once, over and over. */
  async function putAside(channel: Channel, message: ConsumeMessage, error: unknown): Promise<boolean> {
    const move = destination(message, error)
    for (let wait = 100; ; wait = Math.min(wait * 2, 5_000)) {
      try {
        await move()
        return true
      } catch (failure) {
        log?.warn({ group, reason: reasonOf(failure) }, 'an event that failed could not be put aside yet')
        if (cancelled || !receiver.holds(channel)) return false
        await new Promise(resolve => setTimeout(resolve, wait * (0.5 + Math.random() / 2)))
      }
    }
  }

  function destination(message: ConsumeMessage, error: unknown): () => Promise<void> {
    const reason = reasonOf(error)
    const { type, messageId, contentType, headers } = message.properties
    const kept: Options.Publish = { type, messageId, contentType }
    const retries = retriesOf(message)
    const at = new Date().toISOString()
    const tries = addAttempt(triesOf(headers), { at, reason })
    const delay = retryDelaysMs[retries]
    const fields = { group, type, event_id: messageId, reason, retries }
    if (error instanceof PoisonError || delay === undefined) {
      log?.error(fields, 'event put to the dead letters')
      const death = { ...kept, headers: headersOfDeath(reason, at, tries) }
      return () => publisher.toDeadLetters(group, message.content, death)
    }
    log?.warn(fields, 'event will be retried')
    const next = { ...kept, headers: headersOfRetry(retries + 1, reason, tries) }
    return () => publisher.later(group, retries + 1, delay, message.content, next)
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
    // The channel is gone, so the broker gives the event to somebody again.
  }
}
