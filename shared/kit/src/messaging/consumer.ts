import { setTimeout as sleep } from 'node:timers/promises'
import { cloudEvent, type DomainEvent, type EventType, events } from '@watchline/contracts/events'
import { type Connection, Schema } from 'mongoose'
import type { z } from 'zod'
import { createKeyedBatcher, type Outcome } from '../core/keyed-batcher.ts'
import { isDuplicateKey, isUnavailable } from '../mongo/errors.ts'
import { currentTrace, type Logger, type RequestTrace } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { errorType, type Tracer, validTraceparent } from '../observability/tracing.ts'
import { type Delivery, type EventBus, PoisonError, type Subscription } from './event-bus.ts'
import type { Outbox, Transaction } from './outbox.ts'

/** Event ids are remembered this long; a repeat comes within minutes, a re-driven dead letter within weeks. */
const rememberS = 60 * 24 * 3600
const firstWaitMs = 250
const longestWaitMs = 5_000

/** A service's reaction to events. Its effect and the event ids are stored in one transaction. */
export interface Consumer<Ctx> {
  type: EventType
  /**
   * Events with the same key write the same documents and are handled in order. Default: the
   * event's subject.
   */
  partitionKey?(event: DomainEvent): string
  /** Whether it accepts several events of one partition key in one transaction. */
  takesMany: boolean
  consume(input: { events: readonly DomainEvent[]; tx: Transaction }, ctx: Ctx): Promise<void>
}

interface ConsumerOptions<T extends EventType> {
  partitionKey?(event: DomainEvent<T>): string
}

/** Declares a consumer. It may meet events twice (the kit drops the repeat) and out of order (its own to guard). */
export function defineConsumer<T extends EventType, Ctx>(
  type: T,
  consume: (input: { event: DomainEvent<T>; tx: Transaction }, ctx: Ctx) => Promise<void>,
  options: ConsumerOptions<T> = {},
): Consumer<Ctx> {
  const each = async ({ events, tx }: { events: readonly DomainEvent<T>[]; tx: Transaction }, ctx: Ctx) => {
    for (const event of events) await consume({ event, tx }, ctx)
  }
  return declare(type, each, { ...options, takesMany: false })
}

/**
 * The same for many events of one turn at once, in the order in which they came; one fails with all, and is then tried with fewer. Not for whoever
 * writes beside `tx` what an event before may have written in it: that would wait for the transaction, and the transaction for it.
 */
export function defineBatchConsumer<T extends EventType, Ctx>(
  type: T,
  consume: (input: { events: readonly DomainEvent<T>[]; tx: Transaction }, ctx: Ctx) => Promise<void>,
  options: ConsumerOptions<T> = {},
): Consumer<Ctx> {
  return declare(type, consume, { ...options, takesMany: true })
}

function declare<T extends EventType, Ctx>(
  type: T,
  consume: (input: { events: readonly DomainEvent<T>[]; tx: Transaction }, ctx: Ctx) => Promise<void>,
  { partitionKey, takesMany }: ConsumerOptions<T> & Pick<Consumer<Ctx>, 'takesMany'>,
): Consumer<Ctx> {
  return {
    type,
    takesMany,
    ...(partitionKey && { partitionKey: (event: DomainEvent) => partitionKey(event as DomainEvent<T>) }),
    consume: (input, ctx) => consume(input as { events: readonly DomainEvent<T>[]; tx: Transaction }, ctx),
  }
}

/** An event that was read, with those it is for. */
interface Received<Ctx> {
  event: DomainEvent
  matching: readonly Consumer<Ctx>[]
  /** Of the trace that it belongs to. */
  context: RequestTrace
}

export interface ConsumerHost<Ctx> {
  group: string
  connection: Connection
  outbox: Outbox
  log: Logger
  metrics: Metrics
  tracer?: Tracer | undefined
  consumers: readonly Consumer<Ctx>[]
  ctx: Ctx
}

/** Prepares the memory of events; call before the indexes are made. The answer subscribes on a bus. */
export function createConsumerHost<Ctx>({
  group,
  connection,
  outbox,
  log,
  metrics,
  tracer,
  consumers,
  ctx,
}: ConsumerHost<Ctx>) {
  const schema = new Schema<{ _id: string; at: Date }>(
    { _id: String, at: { type: Date, expires: rememberS } },
    { versionKey: false, collection: 'consumed_events' },
  )
  const consumed = connection.model('ConsumedEvent', schema)
  // Many events are consumed at once. Those about one thing mostly write the same documents, so they take turns.
  const turns = createKeyedBatcher(consumeTogether, { together: mayShare })
  const leaving = new AbortController()

  /**
   * While a store is away, or a service that must be asked, an event is held, however long that takes, and no try is counted: an outage
   * must not carry events that nothing is wrong with to the dead letters. Of the next ones most could not be consumed either.
   */
  async function onceAllIsThere({ id, type }: DomainEvent, consume: () => Promise<void>): Promise<void> {
    for (let wait = firstWaitMs; ; wait = Math.min(wait * 2, longestWaitMs)) {
      try {
        return await consume()
      } catch (error) {
        if (!isUnavailable(error) || leaving.signal.aborted) throw error
        if (wait === firstWaitMs) log.warn({ err: error, type, event_id: id }, 'event waits for a store or a service')
      }
      await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal: leaving.signal }).catch(() => {})
    }
  }

  /** In one transaction: all of them, or none. What follows from them belongs to the trace of the first. */
  async function consumeAll(received: readonly Received<Ctx>[]): Promise<void> {
    const [{ matching, context }] = received as [Received<Ctx>]
    const consume = async (tx: Transaction) => {
      const at = new Date()
      const events = received.map(each => each.event)
      const memory = events.map(({ id }) => ({ _id: id, at }))
      await consumed.insertMany(memory, { session: tx.session })
      for (const consumer of matching) await consumer.consume({ events, tx }, ctx)
    }
    await currentTrace.run(context, () => outbox.transaction(consume))
  }

  /** A repeat among them, or one that cannot be consumed, must not keep the others back: it is found by halving. */
  async function consumeTogether(received: readonly Received<Ctx>[]): Promise<readonly Outcome[]> {
    try {
      await consumeAll(received)
      return received.map(() => ({ status: 'fulfilled', value: undefined }))
    } catch (reason) {
      if (received.length === 1 || isUnavailable(reason)) return received.map(() => ({ status: 'rejected', reason }))
    }
    const half = received.length >> 1
    return [...(await consumeTogether(received.slice(0, half))), ...(await consumeTogether(received.slice(half)))]
  }

  /** Parsed strictly in what is known, and forgiving of what is not: a newer producer may say more. */
  function read(raw: unknown) {
    const envelope = cloudEvent.safeParse(raw)
    if (!envelope.success) refuse(undefined, `not a CloudEvent: ${whereIn(envelope.error)}`)
    const { type } = envelope.data
    const matching = consumers.filter(consumer => consumer.type === type)
    if (matching.length === 0) refuse(undefined, `nobody here consumes ${type}`)
    const data = events[matching[0]!.type].data.safeParse(envelope.data.data)
    if (!data.success) refuse(matching[0]!.type, `the data of ${type} fits no schema: ${whereIn(data.error)}`)
    return { event: { ...envelope.data, data: data.data } as DomainEvent, matching }
  }

  function refuse(type: EventType | undefined, why: string): never {
    metrics.events.inc({ type: type ?? 'unknown', outcome: 'refused' })
    throw new PoisonError(why)
  }

  async function receive(raw: unknown, { attempt }: Delivery = { attempt: 1 }): Promise<void> {
    const { event, matching } = read(raw)
    if (attempt > 1) metrics.retries.inc({ type: event.type })
    const parent = validTraceparent(event.traceparent)
    const span = tracer?.start(`consume ${event.type}`, {
      kind: 'consumer',
      parent,
      facts: { 'messaging.message.id': event.id, 'watchline.event_type': event.type },
    })
    const context = { requestId: event.id, traceparent: span?.traceparent ?? parent }
    await currentTrace.run(context, async () => {
      try {
        const turn = matching.find(each => each.partitionKey)?.partitionKey?.(event) ?? event.subject
        await onceAllIsThere(event, () => turns.add(turn, { event, matching, context }))
        metrics.events.inc({ type: event.type, outcome: 'consumed' })
        span?.end()
      } catch (error) {
        const repeat = isRepeat(error)
        metrics.events.inc({ type: event.type, outcome: repeat ? 'repeat' : 'failed' })
        if (repeat) span?.note(undefined, { 'watchline.repeat': true })
        span?.end(repeat ? undefined : errorType(error))
        if (repeat) return
        log.warn({ err: error, type: event.type, event_id: event.id }, 'event not consumed')
        throw error
      }
    })
  }

  return {
    subscribe: async (bus: EventBus): Promise<Subscription> => {
      const types = [...new Set(consumers.map(consumer => consumer.type))]
      const subscription = await bus.consume({ group, types }, receive)
      return {
        cancel: async () => {
          leaving.abort()
          await subscription.cancel()
        },
      }
    },
    receive,
  }
}

function mayShare<Ctx>(first: Received<Ctx>, next: Received<Ctx>): boolean {
  return first.event.type === next.event.type && first.matching.every(consumer => consumer.takesMany)
}

/** The fields that are wrong, and nothing of what they hold. */
function whereIn({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => `${path.join('.') || '(all of it)'} (${message})`).join(', ')
}

/** Only the memory's own key says "seen before"; a duplicate in the effect is a fault of the effect. */
function isRepeat(error: unknown): boolean {
  return isDuplicateKey(error) && String((error as Error).message).includes('consumed_events')
}
