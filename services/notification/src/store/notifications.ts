import { limits } from '@watchline/contracts/limits'
import type { NotificationKind } from '@watchline/contracts/notification'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import type { Facts } from '../rules/activity.ts'

export type Approval = 'pending' | 'approved' | 'rejected'

export interface Notification {
  id: string
  /** null while nobody supervises the person whose comment waits for an answer. */
  recipientId: string | null
  facts: Facts
  isRead: boolean
  /** Only where an answer is asked for. */
  approval?: Approval
  /** The recipient's own words with their answer. */
  words?: string
  /** The comment that waits for the answer. */
  commentId?: string
  createdAt: Date
  updatedAt: Date
}

interface StoredNotification {
  _id: string
  recipient_id: string | null
  kind: NotificationKind
  facts: Facts
  is_read: boolean
  approval?: Approval
  words?: string
  comment_id?: string
  /** Whose comment waits for an answer. */
  author_id?: string
  created_at: Date
  updated_at: Date
}

export interface Place {
  at: number
  id: string
}

export interface NotificationPage {
  notifications: Notification[]
  /** Where to go on, absent at the end. */
  next?: Place
}

export type NotificationStore = ReturnType<typeof createNotificationStore>

export function createNotificationStore(connection: Connection) {
  const schema = new Schema<StoredNotification>(
    {
      _id: String,
      recipient_id: String,
      kind: String,
      facts: Schema.Types.Mixed,
      is_read: Boolean,
      approval: String,
      words: String,
      comment_id: String,
      author_id: String,
      created_at: Date,
      updated_at: { type: Date, expires: limits.notificationKeepS },
    },
    { versionKey: false, collection: 'notifications', minimize: false },
  )
  schema.index({ recipient_id: 1, updated_at: -1, _id: -1 })
  schema.index({ recipient_id: 1 }, { partialFilterExpression: { is_read: false }, name: 'unread' })
  schema.index(
    { recipient_id: 1, updated_at: -1, _id: -1 },
    { partialFilterExpression: { approval: 'pending' }, name: 'pending_newest' },
  )
  schema.index({ author_id: 1 }, { partialFilterExpression: { approval: 'pending' }, name: 'pending_of_author' })
  const stored = connection.model<StoredNotification>('Notification', schema)

  // What is locked here makes two transactions about one author's approvals meet, although they write different documents.
  const authors = connection.model(
    'Author',
    new Schema<{ _id: string; turns: number }>(
      { _id: String, turns: Number },
      { versionKey: false, collection: 'authors' },
    ),
  )

  return {
    add: async (notifications: readonly Notification[], session: ClientSession): Promise<void> => {
      if (notifications.length > 0) await stored.insertMany(notifications.map(row), { session })
    },

    byId: async (id: string, session?: ClientSession): Promise<Notification | undefined> => {
      const found = await stored.findById(id, null, session ? { session } : {}).lean()
      return found ? present(found) : undefined
    },

    /** What it stands for becomes more: it is news again. */
    grow: async (id: string, facts: Facts, now: Date, session: ClientSession): Promise<void> => {
      await stored.updateOne({ _id: id }, { $set: { facts, is_read: false, updated_at: now } }, { session })
    },

    /** Newest first; `waiting`: only what waits for an answer. */
    page: async (
      recipientId: string,
      { limit, after, waiting = false }: { limit: number; after?: Place | undefined; waiting?: boolean },
    ): Promise<NotificationPage> => {
      const filter: QueryFilter<StoredNotification> = {
        recipient_id: recipientId,
        ...(waiting && { approval: 'pending' }),
        ...(after && before(after)),
      }
      const rows = await stored
        .find(filter)
        .sort({ updated_at: -1, _id: -1 })
        .limit(limit + 1)
        .lean()
      const notifications = rows.slice(0, limit).map(present)
      const last = notifications.at(-1)
      return {
        notifications,
        ...(rows.length > limit && last && { next: { at: last.updatedAt.getTime(), id: last.id } }),
      }
    },

    counts: async (recipientId: string): Promise<{ unread: number; pending: number }> => {
      const [unread, pending] = await Promise.all([
        stored.countDocuments({ recipient_id: recipientId, is_read: false }).hint('unread'),
        stored.countDocuments({ recipient_id: recipientId, approval: 'pending' }).hint('pending_newest'),
      ])
      return { unread, pending }
    },

    /** The one answer, to what still waits for it in this transaction. */
    answer: async (
      id: string,
      { approval, words }: { approval: Approval; words: string },
      session: ClientSession,
    ): Promise<void> => {
      await stored.updateOne({ _id: id }, { $set: { approval, words, is_read: true } }, { session })
    },

    /** Answers whether there was such a notification, and whether it was unread. */
    markRead: async (
      id: string,
      recipientId: string,
      session: ClientSession,
    ): Promise<{ found: boolean; changed: boolean }> => {
      const { matchedCount, modifiedCount } = await stored.updateOne(
        { _id: id, recipient_id: recipientId },
        { $set: { is_read: true } },
        { session },
      )
      return { found: matchedCount === 1, changed: modifiedCount === 1 }
    },

    markAllRead: async (recipientId: string, session: ClientSession): Promise<number> => {
      const { modifiedCount } = await stored.updateMany(
        { recipient_id: recipientId, is_read: false },
        { $set: { is_read: true } },
        { session },
      )
      return modifiedCount
    },

    /** Serialises what is decided about one author's approvals: call it in every transaction that adds or moves one. */
    lockAuthors: async (authorIds: readonly string[], session: ClientSession): Promise<void> => {
      const lock = (_id: string) => ({ updateOne: { filter: { _id }, update: { $inc: { turns: 1 } }, upsert: true } })
      await authors.bulkWrite(authorIds.map(lock), { session })
    },

    /** What waits for an answer to this author goes to somebody else, or for now to nobody. Answers who had and who has it. */
    movePending: async (authorId: string, recipientId: string | null, session: ClientSession): Promise<string[]> => {
      const filter: QueryFilter<StoredNotification> = {
        author_id: authorId,
        approval: 'pending',
        recipient_id: { $ne: recipientId },
      }
      const concerned = await stored.find(filter, { recipient_id: 1 }, { session }).lean()
      if (concerned.length === 0) return []
      await stored.updateMany(filter, { $set: { recipient_id: recipientId, is_read: false } }, { session })
      const ids = new Set([...concerned.map(each => each.recipient_id), recipientId])
      return [...ids].filter(id => id !== null)
    },
  }
}

function before({ at, id }: Place): QueryFilter<StoredNotification> {
  const updated = new Date(at)
  return {
    updated_at: { $lte: updated },
    $or: [{ updated_at: { $lt: updated } }, { _id: { $lt: id } }],
  }
}

function row(notification: Notification): StoredNotification {
  const { id, recipientId, facts, isRead, approval, words, commentId, createdAt, updatedAt } = notification
  const author = approval && facts.people[0]
  return {
    _id: id,
    recipient_id: recipientId,
    kind: facts.kind,
    facts,
    is_read: isRead,
    ...(approval && { approval }),
    ...(words !== undefined && { words }),
    ...(commentId && { comment_id: commentId }),
    ...(author && { author_id: author.id }),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

function present(found: StoredNotification): Notification {
  return {
    id: found._id,
    recipientId: found.recipient_id,
    facts: found.facts,
    isRead: found.is_read,
    ...(found.approval && { approval: found.approval }),
    ...(found.words !== undefined && { words: found.words }),
    ...(found.comment_id && { commentId: found.comment_id }),
    createdAt: found.created_at,
    updatedAt: found.updated_at,
  }
}
