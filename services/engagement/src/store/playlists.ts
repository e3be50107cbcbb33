import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { isDuplicateKey } from '@watchline/kit/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { hasShrunk, type Playlist, type PlaylistVideo, takeVideos } from '../rules/playlist.ts'

interface StoredPlaylist {
  _id: string
  title: string
  created_by: string
  shared_with: string[]
  revision: number
  videos: PlaylistVideo[]
  removed: PlaylistVideo[]
  deleted_at?: Date
  /** It has shrunk, and nobody has looked yet for whom it is complete by that. */
  unsettled?: true
}

/** The projection of playlists. */
export interface PlaylistStore {
  /** Each unless it is known as new or newer; `at` (ms) is when it became so. Nothing brings back what was deleted. */
  put(snapshots: readonly PlaylistSnapshot[], at: number): Promise<void>
  /** Marks it as deleted, known or not. */
  markDeleted(id: string, at: Date, session: ClientSession): Promise<void>
  byIds(ids: readonly string[]): Promise<Map<string, Playlist>>
  /** The playlist, if it has shrunk and that has not been settled. */
  unsettled(id: string): Promise<Playlist | undefined>
  /** Unless it has changed since. */
  markSettled(playlist: Pick<Playlist, 'id' | 'revision'>): Promise<void>
}

/** Two who bring the same at once: the second looks again. */
const attempts = 5

export function createPlaylistStore(connection: Connection): PlaylistStore {
  const videos = [
    new Schema<PlaylistVideo>(
      { id: String, title: String, duration: Number, unavailable: Boolean, lostAt: Number },
      { _id: false, id: false },
    ),
  ]
  const schema = new Schema<StoredPlaylist>(
    {
      _id: String,
      title: String,
      created_by: String,
      shared_with: [String],
      revision: Number,
      videos,
      removed: videos,
      deleted_at: Date,
      unsettled: Boolean,
    },
    { versionKey: false, collection: 'playlists' },
  )
  const stored = connection.model<StoredPlaylist>('ProjectedPlaylist', schema)

  async function byIds(ids: readonly string[]) {
    const rows = await stored.find({ _id: { $in: [...ids] } }).lean()
    return new Map(rows.map(row => [row._id, present(row)]))
  }

  async function putOnce(snapshots: readonly PlaylistSnapshot[], at: number) {
    const known = await byIds(snapshots.map(each => each.playlist_id))
    const writes = snapshots.flatMap(({ playlist_id, videos, ...fields }) => {
      const before = known.get(playlist_id)
      if (before && before.revision >= fields.revision) return []
      const taken = takeVideos(before, videos, at)
      const shrunk = before !== undefined && hasShrunk(before, taken)
      // Where the revision has moved on nothing matches, the upsert meets the document that is there, and the key says so.
      const filter = { _id: playlist_id, revision: before?.revision || { $in: [0, null] } }
      const update = { $set: { ...fields, ...taken, ...(shrunk && { unsettled: true as const }) } }
      return [{ updateOne: { filter, update, upsert: true } }]
    })
    if (writes.length > 0) await stored.bulkWrite(writes as never[], { ordered: false })
  }

  return {
    put: async (snapshots, at) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await putOnce(snapshots, at)
        } catch (error) {
          if (!isDuplicateKey(error) || attempt === attempts) throw error
        }
      }
    },
    markDeleted: async (id, at, session) => {
      await stored.updateOne(
        { _id: id },
        {
          $min: { deleted_at: at },
          $setOnInsert: { title: '', created_by: '', shared_with: [], videos: [], removed: [], revision: 0 },
        },
        { upsert: true, session },
      )
    },
    byIds,
    unsettled: async id => {
      const row = await stored.findOne({ _id: id, unsettled: true }).lean()
      return row ? present(row) : undefined
    },
    markSettled: async ({ id, revision }) => {
      await stored.updateOne({ _id: id, revision }, { $unset: { unsettled: 1 } })
    },
  }
}

function present(row: StoredPlaylist): Playlist {
  return {
    id: row._id,
    title: row.title,
    createdBy: row.created_by,
    sharedWith: row.shared_with,
    revision: row.revision ?? 0,
    videos: row.videos.map(presentVideo),
    removed: (row.removed ?? []).map(presentVideo),
    deletedAt: row.deleted_at?.getTime() ?? null,
  }
}

function presentVideo({ id, title, duration, unavailable, lostAt }: PlaylistVideo): PlaylistVideo {
  return { id, title, duration, unavailable, lostAt: lostAt ?? null }
}
