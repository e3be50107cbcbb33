import type { Role } from '@watchline/contracts/people'
import { isText, retireIndexes } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

export interface Comment {
  id: string
  playlistId: string
  videoId: string
  personId: string
  /** Name and role of the author when they wrote it. */
  authorName: string
  authorRole: Role
  /** Seconds into the video. */
  timestamp: number
  text: string
  createdAt: Date
  clientId: string | null
}

interface StoredComment {
  _id: string
  playlist_id: string
  video_id: string
  person_id: string
  author_name: string
  author_role: Role
  timestamp: number
  text: string
  created_at: Date
  client_id?: string
}

export type CommentCursor = Pick<Comment, 'timestamp' | 'createdAt' | 'id'>

export interface CommentStore {
  /** Throws a duplicate key if the author has a comment with the same client id. */
  add(comment: Comment, session: ClientSession): Promise<void>
  byClientId(personId: string, clientId: string): Promise<Comment | undefined>
  /**
   * By timestamp, then time of writing. Undefined authors mean all authors. Returns one comment
   * more than `limit` if there are more.
   */
  page(
    video: { playlistId: string; videoId: string },
    authors: readonly string[] | undefined,
    query: { limit: number; after?: CommentCursor | undefined },
  ): Promise<{ comments: Comment[]; total: number }>
}

export function createCommentStore(connection: Connection): CommentStore {
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
    },
    { versionKey: false, collection: 'comments' },
  )
  schema.index({ playlist_id: 1, video_id: 1, timestamp: 1, created_at: 1, _id: 1 })
  schema.index({ playlist_id: 1, video_id: 1, person_id: 1, timestamp: 1, created_at: 1, _id: 1 })
  schema.index(
    { person_id: 1, client_id: 1 },
    { unique: true, partialFilterExpression: { client_id: isText }, name: 'said_by_client' },
  )
  retireIndexes(schema, 'said_once')
  const stored = connection.model<StoredComment>('Comment', schema)

  return {
    add: async (comment, session) => {
      await stored.create(
        [
          {
            _id: comment.id,
            playlist_id: comment.playlistId,
            video_id: comment.videoId,
            person_id: comment.personId,
            author_name: comment.authorName,
            author_role: comment.authorRole,
            timestamp: comment.timestamp,
            text: comment.text,
            created_at: comment.createdAt,
            ...(comment.clientId !== null && { client_id: comment.clientId }),
          },
        ],
        { session },
      )
    },
    byClientId: async (personId, clientId) => {
      const row = await stored.findOne({ person_id: personId, client_id: clientId }).lean()
      return row ? present(row) : undefined
    },
    page: async ({ playlistId, videoId }, authors, { limit, after }) => {
      const filter = {
        playlist_id: playlistId,
        video_id: videoId,
        ...(authors && { person_id: { $in: [...authors] } }),
      }
      const [rows, total] = await Promise.all([
        stored
          .find({ ...filter, ...(after && afterCursor(after)) })
          .sort({ timestamp: 1, created_at: 1, _id: 1 })
          .limit(limit + 1)
          .lean(),
        stored.countDocuments(filter),
      ])
      return { comments: rows.map(present), total }
    },
  }
}

function afterCursor({ timestamp, createdAt, id }: CommentCursor) {
  return {
    timestamp: { $gte: timestamp },
    $or: [
      { timestamp: { $gt: timestamp } },
      { timestamp, created_at: { $gt: createdAt } },
      { timestamp, created_at: createdAt, _id: { $gt: id } },
    ],
  }
}

function present(row: StoredComment): Comment {
  return {
    id: row._id,
    playlistId: row.playlist_id,
    videoId: row.video_id,
    personId: row.person_id,
    authorName: row.author_name,
    authorRole: row.author_role,
    timestamp: row.timestamp,
    text: row.text,
    createdAt: row.created_at,
    clientId: row.client_id ?? null,
  }
}
