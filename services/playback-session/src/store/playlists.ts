import type { Video } from '@watchline/contracts/playback'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { afterPlace, type Page, type PageRequest, pageOf } from './page.ts'

export interface Playlist {
  id: string
  title: string
  description: string
  videos: Video[]
  totalDuration: number
  createdBy: string
  /** The supervisors it was shared with. */
  sharedWith: string[]
  /** Where it was imported from; null for one made by hand. */
  source: PlaylistSource | null
  /** Grows by one with every change. */
  revision: number
  createdAt: Date
}

export interface PlaylistSource {
  youtubePlaylistId: string
  readAt: Date
}

interface StoredPlaylist {
  _id: string
  title: string
  description: string
  videos: Video[]
  total_duration: number
  created_by: string
  shared_with: string[]
  source: { youtube_playlist_id: string; read_at: Date } | null
  revision: number
  created_at: Date
}

/** Whose playlists a list shows. */
export type PlaylistOwner =
  | { everything: true }
  | { createdBy: string }
  | { sharedWith: string }
  | { createdByOrSharedWith: string }

export interface PlaylistStore {
  create(playlist: Playlist, session: ClientSession): Promise<void>
  byIds(ids: readonly string[]): Promise<Playlist[]>
  /** In the order of ids. */
  afterId(after: string, limit: number): Promise<Playlist[]>
  /** Newest first. */
  page(owner: PlaylistOwner, request: PageRequest): Promise<Page<Playlist>>
}

export function createPlaylistStore(connection: Connection): PlaylistStore {
  const schema = new Schema<StoredPlaylist>(
    {
      _id: String,
      title: String,
      description: String,
      videos: [
        new Schema<Video>(
          { provider: String, id: String, url: String, title: String, duration: Number, unavailable: Boolean },
          { _id: false, id: false },
        ),
      ],
      total_duration: Number,
      created_by: String,
      shared_with: [String],
      source: { type: new Schema({ youtube_playlist_id: String, read_at: Date }, { _id: false }), default: null },
      revision: Number,
      created_at: Date,
    },
    { versionKey: false, collection: 'playlists' },
  )
  schema.index({ created_at: -1, _id: -1 })
  schema.index({ created_by: 1, created_at: -1, _id: -1 })
  schema.index({ shared_with: 1, created_at: -1, _id: -1 })
  const stored = connection.model<StoredPlaylist>('Playlist', schema)

  return {
    create: async ({ id, totalDuration, createdBy, sharedWith, source, createdAt, ...rest }, session) => {
      await stored.create(
        [
          {
            _id: id,
            ...rest,
            total_duration: totalDuration,
            created_by: createdBy,
            shared_with: sharedWith,
            source: source && { youtube_playlist_id: source.youtubePlaylistId, read_at: source.readAt },
            created_at: createdAt,
          },
        ],
        { session },
      )
    },
    byIds: async ids => (await stored.find({ _id: { $in: [...ids] } }).lean()).map(present),
    afterId: async (after, limit) => {
      const rows = await stored
        .find({ _id: { $gt: after } })
        .sort({ _id: 1 })
        .limit(limit)
        .lean()
      return rows.map(present)
    },
    page: async (owner, { limit, after }) => {
      const filter = ownerFilter(owner)
      const [rows, total] = await Promise.all([
        stored
          .find({ ...filter, ...afterPlace('created_at', after) })
          .sort({ created_at: -1, _id: -1 })
          .limit(limit + 1)
          .lean(),
        'everything' in owner ? stored.estimatedDocumentCount() : stored.countDocuments(filter),
      ])
      return pageOf(rows.map(present), limit, total, each => ({ at: each.createdAt, id: each.id }))
    },
  }
}

function ownerFilter(owner: PlaylistOwner): Record<string, unknown> {
  if ('everything' in owner) return {}
  if ('createdBy' in owner) return { created_by: owner.createdBy }
  if ('sharedWith' in owner) return { shared_with: owner.sharedWith }
  return { $or: [{ created_by: owner.createdByOrSharedWith }, { shared_with: owner.createdByOrSharedWith }] }
}

function present(row: StoredPlaylist): Playlist {
  return {
    id: row._id,
    title: row.title,
    description: row.description,
    videos: row.videos.map(video => ({ ...video, url: video.url ?? null })),
    totalDuration: row.total_duration,
    createdBy: row.created_by,
    sharedWith: row.shared_with,
    source: row.source && { youtubePlaylistId: row.source.youtube_playlist_id, readAt: row.source.read_at },
    revision: row.revision,
    createdAt: row.created_at,
  }
}
