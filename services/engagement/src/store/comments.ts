import { erasedName } from '@watchline/contracts/people'
import { isText, retireIndexes } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, type QueryFilter, Schema } from 'mongoose'
import type { Comment, CommentReview, CommentViewer, StaffAct } from '../rules/comments.ts'
import {
  fromStoredComment,
  type StoredComment,
  toStoredAct,
  toStoredComment,
  toStoredReview,
} from './stored-comment.ts'

export type CommentCursor = Pick<Comment, 'timestamp' | 'createdAt' | 'id'>

export interface CommentStore {
  /** Throws a duplicate key if the author has a comment with the same client id. */
  add(comment: Comment, session: ClientSession): Promise<void>
  /** The number of the person's comments and replies, without deleted ones. */
  countBy(personId: string): Promise<number>
  byClientId(personId: string, clientId: string): Promise<Comment | undefined>
  /** As the transaction sees it. A write to it then conflicts with concurrent writes. */
  byId(id: string, session: ClientSession): Promise<Comment | undefined>
  /** Stores the text under the next revision. */
  saveText(comment: Comment, session: ClientSession): Promise<void>
  saveHidden(id: string, hidden: StaffAct | null, session: ClientSession): Promise<void>
  /** Removes the text. */
  markDeleted(id: string, at: Date, session: ClientSession): Promise<void>
  saveReview(id: string, review: CommentReview, session: ClientSession): Promise<void>
  /**
   * The author’s comments that still have a text, at most `limit`. Reviews and name are erased with
   * the text.
   */
  findUnerasedOf(personId: string, limit: number, session: ClientSession): Promise<Comment[]>
  /** Removes text, review, client id and the author’s name; keeps the place and the replies. */
  erase(id: string, at: Date, session: ClientSession): Promise<void>
  /** Removes the name and words of a reviewer, and the name of a person who hid comments. */
  eraseActsOf(personId: string): Promise<void>
  /** Adds to the number of replies. */
  countReply(id: string, change: 1 | -1, session: ClientSession): Promise<void>
  /** The replies to these comments of one video that the viewer may see, oldest first. */
  repliesTo(comments: readonly Comment[], viewer: CommentViewer): Promise<Comment[]>
  /**
   * The top-level comments that the viewer may see, by timestamp, then time of writing. Returns one
   * comment more than `limit` if there are more.
   */
  page(
    video: { playlistId: string; videoId: string },
    viewer: CommentViewer,
    query: { limit: number; after?: CommentCursor | undefined },
  ): Promise<{ comments: Comment[]; total: number }>
}

/**
 * MongoDB removes comments that are older than `retentionS`. Their replies are younger: they are no
 * longer shown without the comment, and are removed at their own age.
 */
export function createCommentStore(connection: Connection, retentionS: number): CommentStore {
  const schema = new Schema<StoredComment>(
    {
      _id: String,
      playlist_id: String,
      video_id: String,
      person_id: String,
      author_name: String,
      author_role: String,
      timestamp: Number,
      text: String,
      created_at: Date,
      client_id: String,
      revision: Number,
      edited_at: Date,
      review: Schema.Types.Mixed,
      hidden: Schema.Types.Mixed,
      deleted_at: Date,
      parent_id: String,
      reply_count: Number,
    },
    { versionKey: false, collection: 'comments' },
  )
  schema.index({ playlist_id: 1, video_id: 1, timestamp: 1, created_at: 1, _id: 1 })
  schema.index({ playlist_id: 1, video_id: 1, person_id: 1, timestamp: 1, created_at: 1, _id: 1 })
  schema.index(
    { person_id: 1, client_id: 1 },
    { unique: true, partialFilterExpression: { client_id: isText }, name: 'said_by_client' },
  )
  schema.index({ person_id: 1, deleted_at: 1 }, { name: 'of_author' })
  schema.index({ created_at: 1 }, { expireAfterSeconds: retentionS, name: 'kept' })
  // For exports and erasures. Few comments are reviewed, fewer are hidden.
  schema.index(
    { 'review.person_id': 1, 'review.at': -1 },
    { partialFilterExpression: { 'review.person_id': isText }, name: 'reviewer' },
  )
  schema.index(
    { 'hidden.person_id': 1, 'hidden.at': -1 },
    { partialFilterExpression: { 'hidden.person_id': isText }, name: 'hidden_by' },
  )
  retireIndexes(schema, 'said_once')
  const stored = connection.model<StoredComment>('Comment', schema)

  return {
    add: async (comment, session) => {
      await stored.create([toStoredComment(comment)], { session })
    },
    countBy: personId => stored.countDocuments({ person_id: personId, deleted_at: null }).hint('of_author'),
    byClientId: async (personId, clientId) => {
      const row = await stored.findOne({ person_id: personId, client_id: clientId }).lean()
      return row ? fromStoredComment(row) : undefined
    },
    byId: async (id, session) => {
      const row = await stored.findById(id, null, { session }).lean()
      return row ? fromStoredComment(row) : undefined
    },
    saveText: async ({ id, text, revision, editedAt }, session) => {
      await stored.updateOne({ _id: id }, { $set: { text, revision, edited_at: editedAt! } }, { session })
    },
    saveHidden: async (id, hidden, session) => {
      const change = hidden ? { $set: { hidden: toStoredAct(hidden) } } : { $unset: { hidden: 1 as const } }
      await stored.updateOne({ _id: id }, change, { session })
    },
    markDeleted: async (id, at, session) => {
      await stored.updateOne({ _id: id }, { $set: { text: '', deleted_at: at } }, { session })
    },
    saveReview: async (id, review, session) => {
      await stored.updateOne({ _id: id }, { $set: { review: toStoredReview(review) } }, { session })
    },
    findUnerasedOf: async (personId, limit, session) => {
      const filter = { person_id: personId, author_name: { $ne: erasedName } }
      const rows = await stored.find(filter, null, { session }).hint('of_author').limit(limit).lean()
      return rows.map(fromStoredComment)
    },
    erase: async (id, at, session) => {
      await stored.updateOne(
        { _id: id },
        [
          {
            $set: {
              text: '',
              author_name: erasedName,
              deleted_at: { $ifNull: ['$deleted_at', at] },
            },
          },
          { $unset: ['client_id', 'review.text', 'edited_at'] },
        ],
        { session, updatePipeline: true },
      )
    },
    eraseActsOf: async personId => {
      await stored.updateMany(
        { 'review.person_id': personId },
        { $set: { 'review.name': erasedName, 'review.text': '' } },
      )
      await stored.updateMany({ 'hidden.person_id': personId }, { $set: { 'hidden.name': erasedName } })
    },
    countReply: async (id, change, session) => {
      await stored.updateOne({ _id: id }, { $inc: { reply_count: change } }, { session })
    },
    repliesTo: async (comments, viewer) => {
      const answered = comments.filter(({ replyCount }) => replyCount > 0)
      const [first] = answered
      if (!first) return []
      // A reply has the timestamp of its comment, so that the index of the list finds it.
      const filter = {
        playlist_id: first.playlistId,
        video_id: first.videoId,
        timestamp: { $in: [...new Set(answered.map(({ timestamp }) => timestamp))] },
        parent_id: { $in: answered.map(({ id }) => id) },
        deleted_at: null,
        ...visibleTo(viewer),
      }
      const rows = await stored.find(filter).sort({ created_at: 1, _id: 1 }).lean()
      return rows.map(fromStoredComment)
    },
    page: async ({ playlistId, videoId }, viewer, { limit, after }) => {
      const { $and, ...visible } = visibleTo(viewer)
      // A deleted comment stays while it has replies.
      const isShown = { $or: [{ deleted_at: null }, { reply_count: { $gt: 0 } }] }
      const filter = {
        playlist_id: playlistId,
        video_id: videoId,
        parent_id: null,
        ...visible,
        $and: [...($and ?? []), isShown],
      }
      const [rows, total] = await Promise.all([
        stored
          .find(after ? { $and: [filter, afterCursor(after)] } : filter)
          .sort({ timestamp: 1, created_at: 1, _id: 1 })
          .limit(limit + 1)
          .lean(),
        stored.countDocuments(filter),
      ])
      return { comments: rows.map(fromStoredComment), total }
    },
  }
}

/**
 * The rule `canRead` as a query: a rejected comment is for its author only, a hidden one also for
 * those who may show it again.
 */
function visibleTo({ personId, readableAuthors, moderatedAuthors }: CommentViewer): QueryFilter<StoredComment> {
  const isOwn = { person_id: personId }
  return {
    ...(readableAuthors && { person_id: { $in: [...readableAuthors] } }),
    $and: [
      { $or: [{ 'review.approved': { $ne: false } }, isOwn] },
      ...(moderatedAuthors
        ? [{ $or: [{ hidden: null }, { person_id: { $in: [personId, ...moderatedAuthors] } }] }]
        : []),
    ],
  }
}

function afterCursor({ timestamp, createdAt, id }: CommentCursor): QueryFilter<StoredComment> {
  return {
    timestamp: { $gte: timestamp },
    $or: [
      { timestamp: { $gt: timestamp } },
      { timestamp, created_at: { $gt: createdAt } },
      { timestamp, created_at: createdAt, _id: { $gt: id } },
    ],
  }
}
