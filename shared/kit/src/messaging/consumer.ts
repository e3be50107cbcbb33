import { setTimeout as sleep } from 'node:timers/promises'
import type { DomainEvent, EventType } from '@watchline/contracts/events'
import { type Connection, Schema } from 'mongoose'
import { createKeyedBatcher, type Outcome } from '../core/keyed-batcher.ts'
import { isDuplicateKey, isUnavailable } from '../mongo/errors.ts'
import { currentTrace, type Logger, type RequestTrace } from '../observability/log.ts'
import type { Metrics } from '../observability/metrics.ts'
import { errorType, type Tracer, validTraceparent } from '../observability/tracing.ts'
import type { Delivery, EventBus, Subscription } from './event-bus.ts'
import type { Outbox, Transaction } from './outbox.ts'
import { parseEvent, RefusedEvent } from './parse-event.ts'

/** Repeats arrive within minutes, redriven dead letters within weeks. */
const rememberedS = 60 * 24 * 3600
const firstPauseMs = 250
const maxPauseMs = 5_000

/** A service's reaction to events. Its effect and the event ids are stored in one transaction. */
export interface Consumer<Ctx> {
  type: EventType
  /**
   * Events with the same key write the same documents and are handled in order. Default: the
   * event's subject.
   */
  partitionKey?(event: DomainEvent): string
  /** Whether its events may share a transaction with other events of the same partition key. */
  acceptsBatches: boolean
  consume(input: { events: readonly DomainEvent[]; tx: Transaction }, ctx: Ctx): Promise<void>
}

interface ConsumerOptions<T extends EventType> {
  partitionKey?(event: DomainEvent<T>): string
}

/**
 * Declares a consumer. The kit drops repeated events. The consumer itself must guard against events
 * out of order.
 */
export function defineConsumer<T extends EventType, Ctx>(
  type: T,
  consume: (input: { event: DomainEvent<T>; tx: Transaction }, ctx: Ctx) => Promise<void>,
  options: ConsumerOptions<T> = {},
): Consumer<Ctx> {
  const consumeInOrder = async ({ events, tx }: { events: readonly DomainEvent<T>[]; tx: Transaction }, ctx: Ctx) => {
    for (const event of events) await consume({ event, tx }, ctx)
  }
  return declare(type, consumeInOrder, { ...options, acceptsBatches: false })
}

/**
 * As `defineConsumer`, for all waiting events of one partition key in one transaction, in order. It
 * gets consecutive events of its type together. Events of other types whose consumers are defined
 * like this share the transaction, because a backlog of one key mixes types. If one event fails,
 * all are rolled back and retried in smaller batches. The consumer must write through `tx` only.
 * Another write to a document that an earlier event of the batch wrote would wait for the
 * transaction, which waits for that write.
 */
export function defineBatchConsumer<T extends EventType, Ctx>(
  type: T,
  consume: (input: { events: readonly DomainEvent<T>[]; tx: Transaction }, ctx: Ctx) => Promise<void>,
  options: ConsumerOptions<T> = {},
): Consumer<Ctx> {
  return declare(type, consume, { ...options, acceptsBatches: true })
}

function declare<T extends EventType, Ctx>(
  type: T,
  consume: (input: { events: readonly DomainEvent<T>[]; tx: Transaction }, ctx: Ctx) => Promise<void>,
  { partitionKey, acceptsBatches }: ConsumerOptions<T> & Pick<Consumer<Ctx>, 'acceptsBatches'>,
): Consumer<Ctx> {
  return {
    type,
    acceptsBatches,
    ...(partitionKey && { partitionKey: (event: DomainEvent) => partitionKey(event as DomainEvent<T>) }),
    consume: (input, ctx) => consume(input as { events: readonly DomainEvent<T>[]; tx: Transaction }, ctx),
  }
}

/** A parsed event with its consumers. */
interface ReceivedEvent<Ctx> {
  event: DomainEvent
  matching: readonly Consumer<Ctx>[]
  trace: RequestTrace
}

export interface ConsumerHost<Ctx> {
  consumerGroup: string
  connection: Connection
  outbox: Outbox
  log: Logger
  metrics: Metrics
  tracer?: Tracer | undefined
  consumers: readonly Consumer<Ctx>[]
  ctx: Ctx
}

interface ConsumedEvent {
  _id: string
  at: Date
}

/** Declares the collection of consumed event ids, so call it before indexes are created. */
export function createConsumerHost<Ctx>({
  consumerGroup,
  connection,
  outbox,
  log,
  metrics,
  tracer,
  consumers,
  ctx,
}: ConsumerHost<Ctx>) {
  const schema = new Schema<ConsumedEvent>(
    { _id: String, at: { type: Date, expires: rememberedS } },
    { versionKey: false, collection: 'consumed_events' },
  )
  connection.model('ConsumedEvent', schema)
  // Without Mongoose, which would make and validate a document for each id.
  const consumed = connection.collection<ConsumedEvent>('consumed_events')
  // Events of one partition key write the same documents, so their transactions would conflict.
  const batcher = createKeyedBatcher(consumeBatch, { canShareBatch })
  const stopping = new AbortController()

  /**
   * Retries for as long as a store or another service is unavailable, without counting attempts: an
   * outage must not turn valid events into dead letters. The next events would mostly fail as well.
   */
  async function retryWhileUnavailable({ id, type }: DomainEvent, consume: () => Promise<void>): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
      try {
        return await consume()
      } catch (error) {
        if (!isUnavailable(error) || stopping.signal.aborted) throw error
        if (pauseMs === firstPauseMs)
          log.warn(
            { err: error, type, event_id: id },
            'event not consumed, a store or service is unavailable, retrying',
          )
      }
      const jitteredMs = pauseMs * (0.5 + Math.random() / 2)
      await sleep(jitteredMs, undefined, { signal: stopping.signal }).catch(() => {})
    }
  }

  /** In one transaction. Its effects belong to the trace of the first event. */
  async function consumeInTransaction(batch: readonly ReceivedEvent<Ctx>[]): Promise<void> {
    const [{ trace }] = batch as [ReceivedEvent<Ctx>]
    const events = batch.map(({ event }) => event)
    const consume = async (tx: Transaction) => {
      const at = new Date()
      const ids = events.map(({ id }) => ({ _id: id, at }))
      await consumed.insertMany(ids, { session: tx.session })
      for (const run of runsOfOneType(batch))
        for (const consumer of run.matching) await consumer.consume({ events: run.events, tx }, ctx)
    }
    await currentTrace.run(trace, () => outbox.transaction(consume))
  }

  /** Halves a failed batch, so that a repeat or a failing event does not hold up the others. */
  async function consumeBatch(batch: readonly ReceivedEvent<Ctx>[]): Promise<readonly Outcome[]> {
    try {
      await consumeInTransaction(batch)
      return batch.map(() => ({ status: 'fulfilled', value: undefined }))
    } catch (reason) {
      if (batch.length === 1 || isUnavailable(reason)) return batch.map(() => ({ status: 'rejected', reason }))
    }
    const half = batch.length >> 1
    return [...(await consumeBatch(batch.slice(0, half))), ...(await consumeBatch(batch.slice(half)))]
  }

  function parse(raw: unknown, publisher: string | undefined) {
    try {
      return parseEvent(raw, publisher, consumers)
    } catch (error) {
      if (error instanceof RefusedEvent) metrics.events.inc({ type: error.type ?? 'unknown', outcome: 'refused' })
      throw error
    }
  }

  async function receive(raw: unknown, { attempt, publisher }: Delivery = { attempt: 1 }): Promise<void> {
    const { event, matching } = parse(raw, publisher)
    if (attempt > 1) metrics.retries.inc({ type: event.type })
    const parent = validTraceparent(event.traceparent)
    const span = tracer?.start(`consume ${event.type}`, {
      kind: 'consumer',
      parent,
      attributes: { 'messaging.message.id': event.id, 'watchline.event_type': event.type },
    })
    const trace = { requestId: event.id, traceparent: span?.traceparent ?? parent }
    await currentTrace.run(trace, async () => {
      try {
        const keyed = matching.find(consumer => consumer.partitionKey)
        const partitionKey = keyed?.partitionKey?.(event) ?? event.subject
        await retryWhileUnavailable(event, () => batcher.add(partitionKey, { event, matching, trace }))
        metrics.events.inc({ type: event.type, outcome: 'consumed' })
        span?.end()
      } catch (error) {
        const isRepeat = isRepeatError(error)
        metrics.events.inc({ type: event.type, outcome: isRepeat ? 'repeat' : 'failed' })
        if (isRepeat) span?.update(undefined, { 'watchline.repeat': true })
        span?.end(isRepeat ? undefined : errorType(error))
        if (isRepeat) return
        log.warn(
          { err: error, type: event.type, event_id: event.id },
          'event not consumed, the bus retries it or stores a dead letter',
        )
        throw error
      }
    })
  }

  return {
    subscribe: async (bus: EventBus): Promise<Subscription> => {
      const types = [...new Set(consumers.map(consumer => consumer.type))]
      const subscription = await bus.consume({ consumerGroup, types }, receive)
      return {
        cancel: async () => {
          stopping.abort()
          await subscription.cancel()
        },
      }
    },
    receive,
  }
}

function canShareBatch<Ctx>(first: ReceivedEvent<Ctx>, next: ReceivedEvent<Ctx>): boolean {
  return [first, next].every(({ matching }) => matching.every(consumer => consumer.acceptsBatches))
}

/** Consecutive events of one type, in order. */
function runsOfOneType<Ctx>(batch: readonly ReceivedEvent<Ctx>[]) {
  const runs: { matching: readonly Consumer<Ctx>[]; events: DomainEvent[] }[] = []
  let previousType: string | undefined
  for (const { event, matching } of batch) {
    if (event.type === previousType) runs.at(-1)!.events.push(event)
    else runs.push({ matching, events: [event] })
    previousType = event.type
  }
  return runs
}

/** Only a duplicate event id is a repeat; any other duplicate key is an error of the consumer. */
function isRepeatError(error: unknown): boolean {
  return isDuplicateKey(error) && String((error as Error).message).includes('consumed_events')
}
