import type { NotificationKind } from '@watchline/contracts/notification'
import { cutPage, type TimeCursor } from '@watchline/kit/http/paging'
import { isText, retireIndexes } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import { type ActivityGroup, ownTaskKinds } from '../rules/activity.ts'
import { fromStoredGroup, type StoredGroup, toStoredGroup } from './stored-group.ts'

/** Nobody receives a withdrawn request: its comment is deleted. */
export type Approval = 'pending' | 'approved' | 'rejected' | 'withdrawn'

export interface Notification {
  id: string
  /** null while the author of a comment to approve has no supervisor. */
  recipientId: string | null
  group: ActivityGroup
  isRead: boolean
  /** Only of a notification that asks for an answer. */
  approval?: Approval
  /** The text the recipient gave with the answer. */
  answerText?: string
  /** The comment to approve. */
  commentId?: string
  /** Absent: 1. */
  commentRevision?: number
  createdAt: Date
  updatedAt: Date
}

interface StoredNotification {
  _id: string
  recipient_id: string | null
  kind: NotificationKind
  facts: StoredGroup
  is_read: boolean
  approval?: Approval
  words?: string
  comment_id?: string
  comment_revision?: number
  /**
   * The time of the answer. Absent if none was given, or it was given by a version that did not
   * store it.
   */
  reviewed_at?: Date
  /** The author of the comment to approve. */
  author_id?: string
  created_at: Date
  updated_at: Date
}

export interface NotificationPage {
  notifications: Notification[]
  /** The time of the last notification's update. Absent on the last page. */
  next?: TimeCursor
}

export type NotificationStore = ReturnType<typeof createNotificationStore>

/** How long MongoDB keeps notifications and comments, in seconds. */
export interface NotificationRetention {
  notificationsS: number
  commentsS: number
}

const answered: Approval[] = ['approved', 'rejected', 'withdrawn']

export function createNotificationStore(connection: Connection, { notificationsS, commentsS }: NotificationRetention) {
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
      comment_revision: Number,
      reviewed_at: Date,
      author_id: String,
      created_at: Date,
      updated_at: Date,
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
  schema.index({ comment_id: 1 }, { sparse: true, name: 'of_comment' })
  // A request without a recipient waits for the next supervisor, however long that takes.
  schema.index(
    { updated_at: 1 },
    {
      expireAfterSeconds: notificationsS,
      partialFilterExpression: { $or: [{ recipient_id: isText }, { approval: { $in: answered } }] },
      name: 'expiry',
    },
  )
  // No request, and no text of its comment, is kept longer than the comment.
  schema.index(
    { created_at: 1 },
    { expireAfterSeconds: commentsS, partialFilterExpression: { approval: 'pending' }, name: 'expiry_with_comment' },
  )
  retireIndexes(schema, 'updated_at_1')
  const stored = connection.model<StoredNotification>('Notification', schema)

  // A lock document for each author: it serialises transactions that add or move pending approvals.
  const authors = connection.model(
    'Author',
    new Schema<{ _id: string; turns: number }>(
      { _id: String, turns: Number },
      { versionKey: false, collection: 'authors' },
    ),
  )

  return {
    add: async (notifications: readonly Notification[], session: ClientSession): Promise<void> => {
      if (notifications.length > 0) await stored.insertMany(notifications.map(toRow), { session })
    },

    findById: async (id: string, session?: ClientSession): Promise<Notification | undefined> => {
      const row = await stored.findById(id, null, session ? { session } : {}).lean()
      return row ? fromRow(row) : undefined
    },

    findByComment: async (commentId: string, session?: ClientSession): Promise<Notification | undefined> => {
      const row = await stored.findOne({ comment_id: commentId }, null, session ? { session } : {}).lean()
      return row ? fromRow(row) : undefined
    },

    /** The state of the comments that have a request for approval, also a withdrawn one. */
    findApprovals: async (commentIds: readonly string[], session: ClientSession): Promise<Map<string, Approval>> => {
      const filter = { comment_id: { $in: [...commentIds] } }
      const rows = await stored.find(filter, { comment_id: 1, approval: 1 }, { session }).lean()
      return new Map(rows.map(row => [row.comment_id!, row.approval!]))
    },

    /** A comment with another text needs another answer. */
    renewRequest: async (
      id: string,
      { group, recipientId, revision }: { group: ActivityGroup; recipientId: string | null; revision: number },
      now: Date,
      session: ClientSession,
    ): Promise<void> => {
      const changes = {
        facts: toStoredGroup(group),
        recipient_id: recipientId,
        approval: 'pending' as const,
        comment_revision: revision,
        is_read: false,
        updated_at: now,
      }
      await stored.updateOne({ _id: id }, { $set: changes, $unset: { words: 1 } }, { session })
    },

    /** A pending request loses its recipient and text. An answered one only notes the revision. */
    withdrawRequest: async (
      { id, approval }: Notification,
      revision: number,
      now: Date,
      session: ClientSession,
    ): Promise<void> => {
      // It stops late events, so it is kept from now on, although the request may be old.
      const withdrawn = { approval: 'withdrawn' as const, recipient_id: null, is_read: true, updated_at: now }
      await stored.updateOne(
        { _id: id },
        approval === 'pending'
          ? { $set: { ...withdrawn, comment_revision: revision }, $unset: { 'facts.text': 1 } }
          : { $set: { comment_revision: revision } },
        { session },
      )
    },

    replaceGroup: async (
      id: string,
      { group, isRead }: Pick<Notification, 'group' | 'isRead'>,
      now: Date,
      session: ClientSession,
    ): Promise<void> => {
      const changes = { facts: toStoredGroup(group), is_read: isRead, updated_at: now }
      await stored.updateOne({ _id: id }, { $set: changes }, { session })
    },

    /** Newest first. With `pendingOnly`, the notifications that wait for an answer. */
    listPage: async (
      recipientId: string,
      { limit, after, pendingOnly = false }: { limit: number; after?: TimeCursor | undefined; pendingOnly?: boolean },
    ): Promise<NotificationPage> => {
      const filter: QueryFilter<StoredNotification> = {
        recipient_id: recipientId,
        ...(pendingOnly && { approval: 'pending' }),
        ...(after && olderThan(after)),
      }
      const rows = await stored
        .find(filter)
        .sort({ updated_at: -1, _id: -1 })
        .limit(limit + 1)
        .lean()
      const { items, ...page } = cutPage(rows, limit, row => ({ at: row.updated_at.getTime(), id: row._id }))
      return { notifications: items.map(fromRow), ...page }
    },

    countAll: async (recipientId: string): Promise<number> => stored.countDocuments({ recipient_id: recipientId }),

    countUnreadAndPending: async (recipientId: string): Promise<{ unread: number; pending: number }> => {
      const [unread, pending] = await Promise.all([
        stored.countDocuments({ recipient_id: recipientId, is_read: false }).hint('unread'),
        stored.countDocuments({ recipient_id: recipientId, approval: 'pending' }).hint('pending_newest'),
      ])
      return { unread, pending }
    },

    /** The caller must have read in this transaction that the notification is pending. */
    saveAnswer: async (
      id: string,
      { approval, answerText, reviewedAt }: { approval: Approval; answerText: string; reviewedAt: Date },
      session: ClientSession,
    ): Promise<void> => {
      const changes = { approval, words: answerText, is_read: true, reviewed_at: reviewedAt }
      await stored.updateOne({ _id: id }, { $set: changes }, { session })
    },

    /**
     * Answered requests of versions that did not store when they were answered. It reads all
     * requests, which takes longer than a transaction may last.
     */
    findUndatedReviews: async (limit: number): Promise<Notification[]> => {
      const filter: QueryFilter<StoredNotification> = {
        comment_id: { $gt: '' },
        approval: { $in: ['approved', 'rejected'] },
        reviewed_at: null,
      }
      const rows = await stored.find(filter).hint('of_comment').limit(limit).lean()
      return rows.map(fromRow)
    },

    /** The time of the author's notification of the review; undefined if that is deleted. */
    findReviewTime: async (
      { group: { people, video, timestamp }, answerText = '' }: Notification,
      session: ClientSession,
    ): Promise<Date | undefined> => {
      const filter = {
        recipient_id: people[0]?.id ?? null,
        kind: 'comment_reviewed' as const,
        'facts.video.id': video?.id,
        'facts.timestamp': timestamp,
        'facts.text': answerText,
      }
      const row = await stored.findOne(filter, { created_at: 1 }, { session }).sort({ updated_at: -1, _id: -1 }).lean()
      return row?.created_at
    },

    /** Returns false if the review already has a date. */
    dateReview: async (id: string, reviewedAt: Date, session: ClientSession): Promise<boolean> => {
      const filter = { _id: id, reviewed_at: null }
      const { modifiedCount } = await stored.updateOne(filter, { $set: { reviewed_at: reviewedAt } }, { session })
      return modifiedCount === 1
    },

    /** Returns whether the notification exists, and whether it was unread. */
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

    /** Marks these people's notifications of a task as read. Returns those who had unread ones. */
    markTaskRead: async (
      recipientIds: readonly string[],
      playlistId: string,
      session: ClientSession,
    ): Promise<string[]> => {
      const filter = {
        recipient_id: { $in: [...recipientIds] },
        is_read: false,
        kind: { $in: [...ownTaskKinds] },
        'facts.playlist.id': playlistId,
      }
      const unread = await stored.find(filter, { recipient_id: 1 }, { session }).lean()
      const ids = unread.map(({ _id }) => _id)
      if (ids.length > 0) await stored.updateMany({ _id: { $in: ids } }, { $set: { is_read: true } }, { session })
      return unread.flatMap(({ recipient_id }) => recipient_id ?? [])
    },

    markAllRead: async (recipientId: string, session: ClientSession): Promise<number> => {
      const { modifiedCount } = await stored.updateMany(
        { recipient_id: recipientId, is_read: false },
        { $set: { is_read: true } },
        { session },
      )
      return modifiedCount
    },

    /** Serialises transactions that add or move an author's pending approvals. */
    lockAuthors: async (authorIds: readonly string[], session: ClientSession): Promise<void> => {
      const lock = (_id: string) => ({ updateOne: { filter: { _id }, update: { $inc: { turns: 1 } }, upsert: true } })
      await authors.bulkWrite(authorIds.map(lock), { session })
    },

    /**
     * Moves an author's pending approvals to a recipient or none. Returns them as they were. To a
     * recipient they are new, so that their retention and their place in the list begin again.
     */
    reassignPending: async (
      authorId: string,
      recipientId: string | null,
      now: Date,
      session: ClientSession,
    ): Promise<Notification[]> => {
      const filter: QueryFilter<StoredNotification> = {
        author_id: authorId,
        approval: 'pending',
        recipient_id: { $ne: recipientId },
      }
      const pending = await stored.find(filter, null, { session }).lean()
      if (pending.length === 0) return []
      const changes = {
        recipient_id: recipientId,
        is_read: false,
        ...(recipientId !== null && { updated_at: now }),
      }
      await stored.updateMany(filter, { $set: changes }, { session })
      return pending.map(fromRow)
    },
  }
}

function olderThan({ at, id }: TimeCursor): QueryFilter<StoredNotification> {
  const updated = new Date(at)
  return {
    updated_at: { $lte: updated },
    $or: [{ updated_at: { $lt: updated } }, { _id: { $lt: id } }],
  }
}

function toRow(notification: Notification): StoredNotification {
  const { id, recipientId, group, isRead, approval, answerText, commentId, commentRevision, createdAt, updatedAt } =
    notification
  const author = approval && group.people[0]
  return {
    _id: id,
    recipient_id: recipientId,
    kind: group.kind,
    facts: toStoredGroup(group),
    is_read: isRead,
    ...(approval && { approval }),
    ...(answerText !== undefined && { words: answerText }),
    ...(commentId && { comment_id: commentId }),
    ...(commentRevision && { comment_revision: commentRevision }),
    ...(author && { author_id: author.id }),
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

function fromRow(row: StoredNotification): Notification {
  return {
    id: row._id,
    recipientId: row.recipient_id,
    group: fromStoredGroup(row.facts),
    isRead: row.is_read,
    ...(row.approval && { approval: row.approval }),
    ...(row.words !== undefined && { answerText: row.words }),
    ...(row.comment_id && { commentId: row.comment_id }),
    ...(row.comment_revision && { commentRevision: row.comment_revision }),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
