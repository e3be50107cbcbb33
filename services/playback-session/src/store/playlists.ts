import type { Video } from '@watchline/contracts/playlists'
import { isText, pageById, retireIndexes } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { watchableSeconds } from '../rules/merge-videos.ts'
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
  /** What it was called there: as long as nobody gave the playlist another title, it follows. */
  title: string
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
  source: { youtube_playlist_id: string; title: string; read_at: Date } | null
  revision: number
  created_at: Date
  /** The latest instant given out by `turn`. */
  turned_at?: Date
}

/** Out of the way of every list, count and cache, and never to be brought back by accident. */
interface DeletedPlaylist extends StoredPlaylist {
  deleted_at: Date
  deleted_by: string
}

/** What can be changed of a playlist; what is not said stays. */
export type PlaylistChange = Partial<Pick<Playlist, 'title' | 'description' | 'videos' | 'sharedWith' | 'source'>>

/** Whose playlists a list shows. */
export type PlaylistOwner =
  | { everything: true }
  | { createdBy: string }
  | { sharedWith: string; by: string }
  | { createdBy: string; orSharedBy: string }

/** Playlists from before changes were counted have none. */
const firstRevision = 1
const orNone = { $in: [firstRevision, null] }

export interface PlaylistStore {
  create(playlist: Playlist, session: ClientSession): Promise<void>
  /** Writes a change of the playlist as it was read; undefined when it is another by now, or deleted. */
  change(playlist: Playlist, change: PlaylistChange, session: ClientSession): Promise<Playlist | undefined>
  /** From now on it is in no list and found by no id; undefined when it is gone already. */
  remove(id: string, by: string, at: Date, session: ClientSession): Promise<Playlist | undefined>
  /** A playlist that was deleted. */
  deleted(id: string): Promise<Playlist | undefined>
  /**
   * An instant that is later than all the playlist had before, whatever the clocks of the replicas say; undefined when it is gone.
   * Whoever else changes the playlist, or to whom it is assigned, waits until the transaction is over.
   */
  turn(id: string, now: Date, session: ClientSession): Promise<Date | undefined>
  byIds(ids: readonly string[], session?: ClientSession): Promise<Playlist[]>
  /** What somebody imported from that YouTube playlist: one at most. */
  imported(createdBy: string, youtubePlaylistId: string): Promise<Playlist | undefined>
  /** In the order of ids. */
  afterId(after: string, limit: number): Promise<Playlist[]>
  /** Newest first. */
  page(owner: PlaylistOwner, request: PageRequest): Promise<Page<Playlist>>
}

export function createPlaylistStore(connection: Connection): PlaylistStore {
  const fields = {
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
    source: {
      type: new Schema({ youtube_playlist_id: String, title: String, read_at: Date }, { _id: false }),
      default: null,
    },
    revision: Number,
    created_at: Date,
    turned_at: Date,
  }
  const schema = new Schema<StoredPlaylist>(fields, { versionKey: false, collection: 'playlists' })
  schema.index({ created_at: -1, _id: -1 })
  schema.index({ created_by: 1, created_at: -1, _id: -1 })
  schema.index({ shared_with: 1, created_at: -1, _id: -1 })
  // Of two who import the same at once, the second finds what the first has stored.
  schema.index(
    { created_by: 1, 'source.youtube_playlist_id': 1 },
    { unique: true, partialFilterExpression: { 'source.youtube_playlist_id': isText }, name: 'imported_once' },
  )
  retireIndexes(schema, 'imported')
  const stored = connection.model<StoredPlaylist>('Playlist', schema)
  const gone = connection.model<DeletedPlaylist>(
    'DeletedPlaylist',
    new Schema<DeletedPlaylist>(
      { ...fields, deleted_at: Date, deleted_by: String },
      { versionKey: false, collection: 'deleted_playlists' },
    ),
  )

  return {
    create: async (playlist, session) => {
      await stored.create(
        [
          {
            _id: playlist.id,
            ...fieldsOf(playlist),
            created_by: playlist.createdBy,
            revision: playlist.revision,
            created_at: playlist.createdAt,
          },
        ],
        { session },
      )
    },
    change: async (playlist, change, session) => {
      const changed = { ...playlist, ...change, revision: playlist.revision + 1 }
      const totalDuration = watchableSeconds(changed.videos)
      const row = await stored
        .findOneAndUpdate(
          { _id: playlist.id, revision: playlist.revision === firstRevision ? orNone : playlist.revision },
          { $set: { ...fieldsOf({ ...changed, totalDuration }), revision: changed.revision } },
          { session, returnDocument: 'after' },
        )
        .lean()
      return row ? present(row) : undefined
    },
    remove: async (id, by, at, session) => {
      const row = await stored.findOneAndDelete({ _id: id }, { session }).lean()
      if (!row) return undefined
      const deleted = { ...row, revision: (row.revision ?? firstRevision) + 1, deleted_at: at, deleted_by: by }
      await gone.create([deleted], { session })
      return present(deleted)
    },
    deleted: async id => {
      const row = await gone.findById(id).lean()
      return row ? present(row) : undefined
    },
    turn: async (id, now, session) => {
      const later = { $max: [now, { $add: ['$turned_at', 1] }] }
      const row = await stored
        .findOneAndUpdate({ _id: id }, [{ $set: { turned_at: later } }], {
          session,
          returnDocument: 'after',
          updatePipeline: true,
        })
        .lean()
      return row?.turned_at
    },
    byIds: async (ids, session) => {
      const rows = await stored.find({ _id: { $in: [...ids] } }, null, session && { session }).lean()
      return rows.map(present)
    },
    imported: async (createdBy, youtubePlaylistId) => {
      const row = await stored
        .findOne({ created_by: createdBy, 'source.youtube_playlist_id': youtubePlaylistId })
        .lean()
      return row ? present(row) : undefined
    },
    afterId: async (after, limit) => (await pageById(stored, { after, limit })).map(present),
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
      return pageOf(rows.map(present), limit, total, each => ({ at: each.createdAt.getTime(), id: each.id }))
    },
  }
}

function ownerFilter(owner: PlaylistOwner): Record<string, unknown> {
  if ('everything' in owner) return {}
  if ('sharedWith' in owner) return { shared_with: owner.sharedWith, created_by: owner.by }
  if ('orSharedBy' in owner)
    return {
      $or: [{ created_by: owner.createdBy }, { shared_with: owner.createdBy, created_by: owner.orSharedBy }],
    }
  return { created_by: owner.createdBy }
}

function fieldsOf({ title, description, videos, totalDuration, sharedWith, source }: Omit<Playlist, 'id'>) {
  return {
    title,
    description,
    videos,
    total_duration: totalDuration,
    shared_with: sharedWith,
    source: source && {
      youtube_playlist_id: source.youtubePlaylistId,
      title: source.title,
      read_at: source.readAt,
    },
  }
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
    source: row.source
      ? {
          youtubePlaylistId: row.source.youtube_playlist_id,
          title: row.source.title,
          readAt: row.source.read_at,
        }
      : null,
    revision: row.revision ?? firstRevision,
    createdAt: row.created_at,
  }
}
