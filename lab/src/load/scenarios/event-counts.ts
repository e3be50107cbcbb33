import { consumersOf } from '@watchline/contracts/events'
import { until } from '../../../../tools/src/provision/wait.ts'
import type { LoadWorld } from '../load-world.ts'

type Databases = LoadWorld['databases']

const services = ['auth', 'playback-session', 'engagement', 'notification', 'chat']
const consumeLimitMs = 120_000

export interface EventFigures {
  published: number
  /** Expected consumptions: one for each event and consumer. */
  expected: number
  consumed: number
  missing: number
  /** Consumed events that no outbox contains. */
  unexpected: number
}

export interface CommentFigures {
  stored: number
  notifications: number
  /** Notifications of one comment beyond the first. */
  repeated: number
}

interface OutboxDocument {
  _id: string
  /** The time of writing. */
  seq: Date
  event?: { type: string }
  pending?: true
  published_at?: Date
}

interface ConsumedEvent {
  _id: string
  at: Date
}

const outboxOf = (databases: Databases, service: string) => databases.of(service).collection<OutboxDocument>('outbox')

/**
 * The number of unpublished entries of all outboxes. With `writtenUntil`, later entries do not
 * count.
 */
export async function countBacklog(databases: Databases, writtenUntil?: Date): Promise<number> {
  const filter = { pending: true as const, ...(writtenUntil && { seq: { $lte: writtenUntil } }) }
  const counts = await Promise.all(
    services.map(service => outboxOf(databases, service).countDocuments(filter, { hint: 'waiting' })),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/**
 * Compares all written events with the consumed ones. Waits for events that are not yet consumed.
 */
export async function compareEvents(databases: Databases): Promise<EventFigures> {
  let figures = await compareEventsOnce(databases)
  await until(
    async () => {
      figures = await compareEventsOnce(databases)
      return figures.missing === 0 && (await countBacklog(databases)) === 0
    },
    { condition: 'every event is consumed', limitMs: consumeLimitMs, everyMs: 500 },
  ).catch(() => {})
  return figures
}

async function compareEventsOnce(databases: Databases): Promise<EventFigures> {
  const consumedIds = new Map<string, Set<string>>()
  for (const service of services) {
    const events = await databases.of(service).collection<ConsumedEvent>('consumed_events').find({}).toArray()
    consumedIds.set(service, new Set(events.map(({ _id }) => _id)))
  }
  const figures: EventFigures = { published: 0, expected: 0, consumed: 0, missing: 0, unexpected: 0 }
  const writtenIds = new Set<string>()
  for (const service of services) {
    for await (const { _id, event } of outboxOf(databases, service).find({ event: { $exists: true } })) {
      writtenIds.add(_id)
      figures.published += 1
      for (const consumer of consumersOf(event!.type)) {
        figures.expected += 1
        if (consumedIds.get(consumer)!.has(_id)) figures.consumed += 1
        else figures.missing += 1
      }
    }
  }
  for (const ids of consumedIds.values()) for (const id of ids) if (!writtenIds.has(id)) figures.unexpected += 1
  return figures
}

/** The times at which the last of the events written until then was published and consumed. */
export async function findLastTimes(
  databases: Databases,
  writtenUntil: Date,
): Promise<{ published: Date; consumed: Date }> {
  let published = writtenUntil
  let consumed = writtenUntil
  const ids: string[] = []
  for (const service of services)
    for await (const { _id, published_at } of outboxOf(databases, service).find({ seq: { $lte: writtenUntil } })) {
      ids.push(_id)
      if (published_at && published_at > published) published = published_at
    }
  for (const service of services) {
    const [last] = await databases
      .of(service)
      .collection<ConsumedEvent>('consumed_events')
      .find({ _id: { $in: ids } })
      .sort({ at: -1 })
      .limit(1)
      .toArray()
    if (last && last.at > consumed) consumed = last.at
  }
  return { published, consumed }
}

/** Each trainee's comment makes one notification. */
export async function countComments(databases: Databases): Promise<CommentFigures> {
  const stored = await databases.of('engagement').collection('comments').countDocuments()
  const collection = databases.of('notification').collection('notifications')
  const notifications = await collection.countDocuments({ comment_id: { $exists: true } })
  const distinct = await collection.distinct('comment_id', { comment_id: { $exists: true } })
  return { stored, notifications, repeated: notifications - distinct.length }
}
