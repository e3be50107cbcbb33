import { randomUUID } from 'node:crypto'
import type { DomainEvent } from '@watchline/contracts/events'
import { type ClientSession, type Connection, type Model, Schema } from 'mongoose'
import type { Clock } from '../core/clock.ts'
import type { PendingEvent, PendingEvents } from './outbox-relay.ts'

const publishedKeptS = 3 * 24 * 3600
/** Claim lease. Another relay may take an expired claim, because its owner may be dead. */
const claimMs = 5_000
/** A larger backlog is not counted further, because this number must stay cheap in an outage. */
const maxCounted = 100_000

interface OutboxRow {
  _id: string
  seq: Date
  /** Absent if a change bumps versions only. */
  event?: DomainEvent
  /** Keys of the live store's versions to bump before the event is published. */
  raises?: string[]
  /** Absent once published, so that the relay's index has waiting rows only. */
  pending?: true
  /**
   * The relay that publishes the row, and the end of its claim by the clock of its machine. Clocks
   * that differ cause repeats or a delay.
   */
  claimed_by?: string
  claimed_until?: Date
  published_at?: Date
}

/** The rows of a service's outbox, and this process's claims on them. */
export interface OutboxStore extends PendingEvents {
  /** Stores the events with the versions to bump, claimed for this process. */
  insert(
    events: readonly DomainEvent[],
    versionKeys: readonly string[],
    session: ClientSession,
  ): Promise<PendingEvent[]>
  /** The number of waiting events, counted up to 100,000, and the time of the oldest in ms. */
  backlog(): Promise<{ count: number; oldest: number | undefined }>
}

export function createOutboxStore(connection: Connection, clock: Clock): OutboxStore {
  const schema = new Schema<OutboxRow>(
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
  schema.index({ published_at: 1 }, { expireAfterSeconds: publishedKeptS })
  const stored: Model<OutboxRow> = connection.model<OutboxRow>('OutboxEvent', schema)
  const collection = () => connection.collection<OutboxRow>('outbox')
  const relayId = randomUUID()

  const ownClaim = () => ({ claimed_by: relayId, claimed_until: new Date(Date.now() + claimMs) })

  const claimable = () => ({
    pending: true as const,
    $or: [{ claimed_by: relayId }, { claimed_until: { $not: { $gt: new Date() } } }],
  })

  return {
    insert: async (events, versionKeys, session) => {
      const rows = makeRows(events, versionKeys, { seq: new Date(clock.now()), ...ownClaim() })
      // Without Mongoose, which would make and validate a document for each row.
      if (rows.length > 0) await collection().insertMany(rows, { session, ignoreUndefined: true })
      return rows.map(toPendingEvent)
    },

    backlog: async () => {
      const [count, oldest] = await Promise.all([
        stored.countDocuments({ pending: true }).hint('waiting').limit(maxCounted),
        stored.findOne({ pending: true }, { seq: 1 }).sort({ seq: 1 }).hint('waiting').lean(),
      ])
      return { count, oldest: oldest?.seq.getTime() }
    },

    // Two relays may select the same row. MongoDB shows the second update the claim of the first.
    claim: async (limit, except) => {
      const candidates = await stored
        .find(claimable(), { _id: 1 })
        .sort({ seq: 1 })
        .limit(limit + except.size)
        .hint('waiting')
        .lean()
      const ids = candidates.map(({ _id }) => _id).filter(id => !except.has(id))
      if (ids.length === 0) return []
      const selected = { _id: { $in: ids.slice(0, limit) } }
      // A claim that is lost with a server only causes a repeat, so it need not wait for a
      // majority.
      await stored.updateMany(
        { ...selected, ...claimable() },
        { $set: ownClaim() },
        { writeConcern: { w: 1, journal: false } },
      )
      const rows = await stored
        .find({ ...selected, pending: true, claimed_by: relayId })
        .sort({ seq: 1 })
        .lean()
      return rows.map(toPendingEvent)
    },

    markPublished: async ids => {
      await stored.updateMany(
        { _id: { $in: ids } },
        {
          $unset: { pending: 1, claimed_by: 1, claimed_until: 1 },
          $set: { published_at: new Date(clock.now()) },
        },
      )
    },

    release: async ids => {
      const claimed = { pending: true as const, claimed_by: relayId, ...(ids && { _id: { $in: ids } }) }
      const query = stored.updateMany(claimed, { $unset: { claimed_by: 1, claimed_until: 1 } })
      await (ids ? query : query.hint('waiting'))
    },
  }
}

/**
 * Lets the relay of any replica bump these versions, outside a transaction. They are bumped even if
 * this process dies.
 */
export async function scheduleVersionBump(connection: Connection, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const row: OutboxRow = { _id: randomUUID(), seq: new Date(), pending: true, raises: [...new Set(keys)] }
  await connection.collection<OutboxRow>('outbox').insertOne(row)
}

function toPendingEvent({ _id: id, event, raises }: OutboxRow): PendingEvent {
  return { id, event, versionKeys: raises }
}

/**
 * Each event carries all versions, which are bumped before it: so no event waits for another one.
 */
function makeRows(
  events: readonly DomainEvent[],
  versionKeys: readonly string[],
  fields: Pick<OutboxRow, 'seq' | 'claimed_by' | 'claimed_until'>,
): OutboxRow[] {
  const common = { ...fields, pending: true as const, ...(versionKeys.length > 0 && { raises: [...versionKeys] }) }
  if (events.length === 0 && versionKeys.length > 0) return [{ _id: randomUUID(), ...common }]
  return events.map(event => ({ _id: event.id, event, ...common }))
}
