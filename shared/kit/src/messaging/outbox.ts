import { randomUUID } from 'node:crypto'
import type { DomainEvent, EventData, EventType } from '@watchline/contracts/events'
import { type ClientSession, type Connection, type Model, Schema } from 'mongoose'
import type { Clock } from '../core/clock.ts'
import type { LiveStore } from '../live/live-store.ts'
import { inTransaction } from '../mongo/database.ts'
import { currentTrace, type Logger } from '../observability/log.ts'
import { errorType, inSpan, type Tracer } from '../observability/tracing.ts'
import type { EventBus } from './event-bus.ts'
import { type PendingEvent, type Relay, type RelayOptions, startRelay } from './outbox-relay.ts'

const keepPublishedS = 3 * 24 * 3600
/** Claim lease. Another relay may take an expired claim, because its owner may be dead. */
const claimMs = 5_000
/** A backlog is counted up to here: a number for a graph must not cost the more the worse things are. */
const countedAtMost = 100_000

interface StoredEvent {
  _id: string
  seq: Date
  /** Absent where a change raises versions and tells of nothing. */
  event?: DomainEvent
  /** Versions in the live store that stand for what the transaction changed. */
  raises?: string[]
  /** Only while it waits: what was published is out of the index that the relay reads. */
  pending?: true
  /** The relay that publishes it, and until when no other does. By the clocks of the machines: where they differ, repeats or a delay. */
  claimed_by?: string
  claimed_until?: Date
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
  bumpVersions(...keys: string[]): void
  /** Done in this process once the transaction is through; not at all if the process dies first. */
  after(step: () => void): void
}

export interface Outbox {
  /** Runs `work` in a MongoDB transaction together with the events it publishes. It may run more than once. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** How many events wait, counted up to 100,000, and since when (ms, undefined when none). */
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
  /** Told of each try to publish. */
  onTry?: RelayOptions['onTry']
  /** Tests stop here, between the commit and the publishing. */
  beforePublish?: () => Promise<void>
}

/**
 * The transactional outbox: events are rows of the same transaction as the change they tell of; a relay publishes them with
 * confirms and marks what was confirmed. Every replica relays: first what it has committed itself, and what nobody else has claimed.
 * A claim ends by itself, so a repeat is possible and the consumers' to recognise (docs/decisions/0012-events-for-good.md).
 * Source: the transactional outbox pattern, microservices.io/patterns/data/transactional-outbox.html.
 */
export function createOutbox({
  connection,
  source,
  live,
  clock,
  log,
  tracer,
  onTry,
  beforePublish,
}: OutboxOptions): Outbox {
  const schema = new Schema<StoredEvent>(
    {
      _id: String,
      seq: Date,
      event: Schema.Types.Mixed,
      raises: { type: [String], default: undefined },
      pending: Boolean,
      claimed_by: String,
      claimed_until: Date,
      published_at: Date,
    },
    { versionKey: false, collection: 'outbox', minimize: false },
  )
  schema.index({ seq: 1 }, { partialFilterExpression: { pending: true }, name: 'waiting' })
  schema.index({ published_at: 1 }, { expireAfterSeconds: keepPublishedS })
  const stored: Model<StoredEvent> = connection.model<StoredEvent>('OutboxEvent', schema)

  const self = randomUUID()
  let relay: Relay | undefined

  async function transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    let rows: readonly StoredEvent[] = []
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
          const traceparent = currentTrace.getStore()?.traceparent
          events.push(traceparent ? { ...event, traceparent } : event)
        },
        bumpVersions: (...named) => {
          for (const key of named) keys.add(key)
        },
        after: step => void afterwards.push(step),
      })
      steps = afterwards
      raises = [...keys]
      rows = rowsOf(events, raises, new Date(clock.now()), { claimed_by: self, claimed_until: claimedUntil() })
      if (rows.length > 0) await stored.insertMany(rows, { session })
      return value
    })
    // Bump now, so that the caller reads its own write; the relay bumps again if this fails.
    if (raises.length > 0) await live.versions.bump(raises).catch(() => {})
    if (rows.length > 0) relay?.offer(rows.map(waitingOf))
    for (const step of steps) step()
    return result
  }

  const free = () => ({
    pending: true as const,
    $or: [{ claimed_by: self }, { claimed_until: { $not: { $gt: new Date() } } }],
  })

  /** Of two relays that want the same row, MongoDB lets the second see the claim of the first. */
  async function claim(limit: number, except: ReadonlySet<string>) {
    const seen = await stored
      .find(free(), { _id: 1 })
      .sort({ seq: 1 })
      .limit(limit + except.size)
      .hint('waiting')
      .lean()
    const ids = seen.map(row => row._id).filter(id => !except.has(id))
    if (ids.length === 0) return []
    // A claim that is lost with a server costs a repeat: it need not wait for a majority.
    const claimed = { claimed_by: self, claimed_until: claimedUntil() }
    const some = { _id: { $in: ids.slice(0, limit) } }
    await stored.updateMany({ ...some, ...free() }, { $set: claimed }, { writeConcern: { w: 1, journal: false } })
    const rows = await stored
      .find({ ...some, pending: true, claimed_by: self })
      .sort({ seq: 1 })
      .lean()
    return rows.map(waitingOf)
  }

  async function markPublished(ids: string[]) {
    await stored.updateMany(
      { _id: { $in: ids } },
      {
        $unset: { pending: 1, claimed_by: 1, claimed_until: 1 },
        $set: { published_at: new Date(clock.now()) },
      },
    )
  }

  async function release(ids?: string[]) {
    const claimed = { pending: true as const, claimed_by: self, ...(ids && { _id: { $in: ids } }) }
    const query = stored.updateMany(claimed, { $unset: { claimed_by: 1, claimed_until: 1 } })
    await (ids ? query : query.hint('waiting'))
  }

  return {
    transaction: work => inSpan(tracer, 'transaction', { kind: 'internal' }, () => transaction(work)),
    backlog: async () => {
      const [count, oldest] = await Promise.all([
        stored.countDocuments({ pending: true }).hint('waiting').limit(countedAtMost),
        stored.findOne({ pending: true }, { seq: 1 }).sort({ seq: 1 }).hint('waiting').lean(),
      ])
      return { count, oldest: oldest?.seq.getTime() }
    },
    startRelay: bus => {
      relay = startRelay({
        bus: tracer ? tracedBus(bus, tracer) : bus,
        live,
        log,
        onTry,
        beforePublish,
        waiting: { claim, markPublished, release },
      })
    },
    stopRelay: async () => {
      await relay?.stop()
      relay = undefined
    },
  }
}

/** Raises versions after the fact, outside of a transaction and however the process ends: the relay of any replica does it. */
export async function bumpVersionsOnCommit(connection: Connection, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const row: StoredEvent = { _id: randomUUID(), seq: new Date(), pending: true, raises: [...new Set(keys)] }
  await connection.collection<StoredEvent>('outbox').insertOne(row)
}

const claimedUntil = () => new Date(Date.now() + claimMs)

function waitingOf({ _id: id, event, raises }: StoredEvent): PendingEvent {
  return { id, event, raises }
}

/** Publishing is a span of the trace that wrote the event; whoever consumes it continues from there. */
function tracedBus(bus: EventBus, tracer: Tracer): RelayOptions['bus'] {
  return {
    onPublishable: bus.onPublishable.bind(bus),
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
        span.end(errorType(error))
        throw error
      }
    },
  }
}

/** The versions go with each event, before which they are raised: so none of them waits longer than the others, and their order stays. */
function rowsOf(
  events: readonly DomainEvent[],
  raises: readonly string[],
  seq: Date,
  claimed: Pick<StoredEvent, 'claimed_by' | 'claimed_until'>,
): StoredEvent[] {
  const more = { seq, pending: true as const, ...claimed, ...(raises.length > 0 && { raises: [...raises] }) }
  if (events.length === 0 && raises.length > 0) return [{ _id: randomUUID(), ...more }]
  return events.map(event => ({ _id: event.id, event, ...more }))
}
