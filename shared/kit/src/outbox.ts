import { randomUUID } from 'node:crypto'
import type { DomainEvent, EventData, EventType } from '@watchline/contracts/events'
import { type ClientSession, type Connection, type Model, Schema } from 'mongoose'
import type { Clock } from './clock.ts'
import type { EventBus } from './event-bus.ts'
import type { LiveStore } from './live-store.ts'
import { type Logger, trace } from './log.ts'
import { inTransaction } from './mongo.ts'
import { type Relay, startRelay } from './outbox-relay.ts'
import { inSpan, kindOf, type Tracer } from './tracing.ts'

const keepPublishedS = 3 * 24 * 3600

interface StoredEvent {
  _id: string
  seq: Date
  /** Absent where a change raises versions and tells of nothing. */
  event?: DomainEvent
  /** Versions in the live store that stand for what the transaction changed. */
  raises?: string[]
  /** Only while it waits: what was published is out of the index that the relay reads. */
  pending?: true
  published_at?: Date
}

/** A transaction in which state changes and the events that tell of them are written together. */
export interface Transaction {
  session: ClientSession
  /** The event is stored with the transaction and published after it, at least once. */
  publish<T extends EventType>(type: T, subject: string, data: EventData<T>): void
  /**
   * The versions of these keys are raised once the transaction can be read: before `transaction` resolves where the live store is
   * there, and by the relay in any case, so that a crash in between raises them late and not never.
   */
  raise(...keys: string[]): void
  /** Done in this process once the transaction is through; not at all if the process dies first. */
  after(step: () => void): void
}

export interface Outbox {
  /** Runs `work` in a MongoDB transaction together with the events it publishes. It may run more than once. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** How many events wait, and since when (ms, undefined when none). */
  backlog(): Promise<{ count: number; oldest: number | undefined }>
  startRelay(bus: EventBus): void
  stopRelay(): Promise<void>
}

export interface OutboxOptions {
  connection: Connection
  source: string
  live: LiveStore
  clock: Clock
  log: Logger
  tracer?: Tracer | undefined
  /** Tests stop here, between the commit and the publishing. */
  beforePublish?: () => Promise<void>
}

/**
 * The transactional outbox: events are rows of the same transaction as the change they tell of; a relay publishes them with
 * confirms and marks what was confirmed. Several replicas may relay; repeats are the consumers' to recognise.
 * Source: the transactional outbox pattern, microservices.io/patterns/data/transactional-outbox.html.
 */
export function createOutbox({ connection, source, live, clock, log, tracer, beforePublish }: OutboxOptions): Outbox {
  const schema = new Schema<StoredEvent>(
    {
      _id: String,
      seq: Date,
      event: Schema.Types.Mixed,
      raises: { type: [String], default: undefined },
      pending: Boolean,
      published_at: Date,
    },
    { versionKey: false, collection: 'outbox', minimize: false },
  )
  schema.index({ seq: 1 }, { partialFilterExpression: { pending: true }, name: 'waiting' })
  schema.index({ published_at: 1 }, { expireAfterSeconds: keepPublishedS })
  const stored: Model<StoredEvent> = connection.model<StoredEvent>('OutboxEvent', schema)

  let relay: Relay | undefined

  async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let waiting = false
    let raises: readonly string[] = []
    let steps: readonly (() => void)[] = []
    const result = await inTransaction(connection, async session => {
      const events: DomainEvent[] = []
      const keys = new Set<string>()
      const afterwards: (() => void)[] = []
      const value = await work({
        session,
        publish: (type, subject, data) => {
          const event: DomainEvent = {
            specversion: '1.0',
            id: randomUUID(),
            source,
            type,
            subject,
            time: new Date(clock.now()).toISOString(),
            data,
          }
          const traceparent = trace.getStore()?.traceparent
          events.push(traceparent ? { ...event, traceparent } : event)
        },
        raise: (...named) => {
          for (const key of named) keys.add(key)
        },
        after: step => void afterwards.push(step),
      })
      steps = afterwards
      raises = [...keys]
      const rows = rowsOf(events, raises, new Date(clock.now()))
      if (rows.length > 0) await stored.insertMany(rows, { session })
      waiting = rows.length > 0
      return value
    })
    // Who has just changed something asks for it next. That it is raised at all does not hang on this try.
    if (raises.length > 0) await live.versions.raise(raises).catch(() => {})
    if (waiting) relay?.wake()
    for (const step of steps) step()
    return result
  }

  return {
    transaction: work => inSpan(tracer, 'transaction', { kind: 'internal' }, () => transaction(work)),
    backlog: async () => {
      const [count, oldest] = await Promise.all([
        stored.countDocuments({ pending: true }).hint('waiting'),
        stored.findOne({ pending: true }).sort({ seq: 1 }).lean(),
      ])
      return { count, oldest: oldest?.seq.getTime() }
    },
    startRelay: bus => {
      relay = startRelay({
        bus: tracer ? tracedBus(bus, tracer) : bus,
        live,
        log,
        beforePublish,
        waiting: {
          oldest: async limit => {
            const rows = await stored.find({ pending: true }).sort({ seq: 1 }).limit(limit).lean()
            return rows.map(({ _id: id, event, raises }) => ({ id, event, raises }))
          },
          markPublished: async ids => {
            await stored.updateMany(
              { _id: { $in: ids } },
              { $unset: { pending: 1 }, $set: { published_at: new Date(clock.now()) } },
            )
          },
        },
      })
    },
    stopRelay: async () => {
      await relay?.stop()
      relay = undefined
    },
  }
}

/** Publishing is a span of the trace that wrote the event; whoever consumes it continues from there. */
function tracedBus(bus: EventBus, tracer: Tracer): Pick<EventBus, 'publish'> {
  return {
    publish: async event => {
      const span = tracer.start(`publish ${event.type}`, {
        kind: 'producer',
        parent: event.traceparent,
        facts: { 'messaging.message.id': event.id, 'watchline.event_type': event.type },
      })
      try {
        await bus.publish({ ...event, traceparent: span.traceparent })
        span.end()
      } catch (error) {
        span.end(kindOf(error))
        throw error
      }
    },
  }
}

/** The versions go with each event, before which they are raised: so none of them waits longer than the others, and their order stays. */
function rowsOf(events: readonly DomainEvent[], raises: readonly string[], seq: Date): StoredEvent[] {
  const more = { seq, pending: true as const, ...(raises.length > 0 && { raises: [...raises] }) }
  if (events.length === 0 && raises.length > 0) return [{ _id: randomUUID(), ...more }]
  return events.map(event => ({ _id: event.id, event, ...more }))
}
