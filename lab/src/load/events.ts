import { consumersOf } from '@watchline/contracts/events'
import { until } from '../../../tools/src/provision/wait.ts'
import type { LoadWorld } from './load-world.ts'

type Databases = LoadWorld['databases']

const services = ['auth', 'playback-session', 'engagement', 'notification', 'chat']
const limitMs = 120_000

export interface EventFigures {
  published: number
  /** Each event once for every service that must have it. */
  due: number
  consumed: number
  missing: number
  /** Remembered by a service, and never written by anybody. */
  unexpected: number
}

export interface CommentFigures {
  stored: number
  notifications: number
  /** Notifications of one comment beyond the first. */
  repeated: number
}

interface Row {
  _id: string
  seq: Date
  event?: { type: string }
  pending?: true
  published_at?: Date
}

interface Consumed {
  _id: string
  at: Date
}

const outboxOf = (databases: Databases, service: string) => databases.of(service).collection<Row>('outbox')

/** How many rows of all outboxes wait; only those written until then, if an instant is given. */
export async function waiting(databases: Databases, writtenUntil?: Date): Promise<number> {
  const filter = { pending: true as const, ...(writtenUntil && { seq: { $lte: writtenUntil } }) }
  const counts = await Promise.all(
    services.map(service => outboxOf(databases, service).countDocuments(filter, { hint: 'waiting' })),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Every event ever written against what every service remembers to have consumed; waits for those still on their way. */
export async function compareEvents(databases: Databases): Promise<EventFigures> {
  let figures = await compareOnce(databases)
  await until(
    async () => {
      figures = await compareOnce(databases)
      return figures.missing === 0 && (await waiting(databases)) === 0
    },
    { condition: 'every event is consumed', limitMs, everyMs: 500 },
  ).catch(() => {})
  return figures
}

async function compareOnce(databases: Databases): Promise<EventFigures> {
  const consumed = new Map<string, Set<string>>()
  for (const service of services) {
    const rows = await databases.of(service).collection<Consumed>('consumed_events').find({}).toArray()
    consumed.set(service, new Set(rows.map(row => row._id)))
  }
  const figures: EventFigures = { published: 0, due: 0, consumed: 0, missing: 0, unexpected: 0 }
  const written = new Set<string>()
  for (const service of services) {
    for await (const { _id, event } of outboxOf(databases, service).find({ event: { $exists: true } })) {
      written.add(_id)
      figures.published += 1
      for (const consumer of consumersOf(event!.type)) {
        figures.due += 1
        if (consumed.get(consumer)!.has(_id)) figures.consumed += 1
        else figures.missing += 1
      }
    }
  }
  for (const ids of consumed.values()) for (const id of ids) if (!written.has(id)) figures.unexpected += 1
  return figures
}

/** When the last event written until then was published, and when the last of them was consumed. */
export async function lastOf(databases: Databases, writtenUntil: Date): Promise<{ published: Date; consumed: Date }> {
  let published = writtenUntil
  let consumed = writtenUntil
  const ids: string[] = []
  for (const service of services)
    for await (const row of outboxOf(databases, service).find({ seq: { $lte: writtenUntil } })) {
      ids.push(row._id)
      if (row.published_at && row.published_at > published) published = row.published_at
    }
  for (const service of services) {
    const [last] = await databases
      .of(service)
      .collection<Consumed>('consumed_events')
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
  const comments = await databases.of('engagement').collection('comments').countDocuments()
  const notifications = databases.of('notification').collection('notifications')
  const told = await notifications.countDocuments({ comment_id: { $exists: true } })
  const distinct = await notifications.distinct('comment_id', { comment_id: { $exists: true } })
  return { stored: comments, notifications: told, repeated: told - distinct.length }
}
