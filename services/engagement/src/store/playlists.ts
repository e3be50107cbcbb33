import { isDeepStrictEqual } from 'node:util'
import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { pageById } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
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

/** What a rebuild sees of a playlist. */
export interface KeptPlaylist {
  id: string
  gone: boolean
  row: StoredPlaylist
}

/** The projection of playlists. */
export interface PlaylistStore {
  /** Each unless it is known as new or newer; `at` (ms) is when it became so. Nothing brings back what was deleted. */
  put(snapshots: readonly PlaylistSnapshot[], at: number): Promise<void>
  /** Marks it as deleted, known or not. */
  markDeleted(id: string, at: Date, session: ClientSession): Promise<void>
  /** Whether it is known to be deleted; if not, nobody marks it so before the transaction is over. */
  isDeleted(id: string, session: ClientSession): Promise<boolean>
  byIds(ids: readonly string[]): Promise<Map<string, Playlist>>
  /** The playlist, if it has shrunk and that has not been settled. */
  unsettled(id: string): Promise<Playlist | undefined>
  /** In the order of ids. */
  kept(after: string, upTo: string | undefined, limit: number): Promise<KeptPlaylist[]>
  /** As its owner has it, deleted or not, older or not, unless it has changed since it was seen. */
  replace(snapshot: PlaylistSnapshot, seen: KeptPlaylist, at: number): Promise<void>
  /** Deleted, unless it has changed since it was seen. */
  drop(seen: KeptPlaylist, at: Date): Promise<void>
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

  // What is locked here makes two transactions about one playlist's being there meet, although they write different documents, and
  // although the playlist itself may not be known yet.
  const turns = connection.model(
    'PlaylistTurn',
    new Schema<{ _id: string; turns: number }>(
      { _id: String, turns: Number },
      { versionKey: false, collection: 'playlist_turns' },
    ),
  )
  const lock = (id: string, session: ClientSession) =>
    turns.updateOne({ _id: id }, { $inc: { turns: 1 } }, { session, upsert: true })

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
      await lock(id, session)
      await stored.updateOne(
        { _id: id },
        {
          $min: { deleted_at: at },
          $setOnInsert: { title: '', created_by: '', shared_with: [], videos: [], removed: [], revision: 0 },
        },
        { upsert: true, session },
      )
    },
    isDeleted: async (id, session) => {
      await lock(id, session)
      const row = await stored.findById(id, { deleted_at: 1 }, { session }).lean()
      return row?.deleted_at != null
    },
    byIds,
    unsettled: async id => {
      const row = await stored.findOne({ _id: id, unsettled: true }).lean()
      return row ? present(row) : undefined
    },
    kept: async (after, upTo, limit) => {
      const rows = await pageById(stored, { after, upTo, limit })
      return rows.map(row => ({ id: row._id, gone: row.deleted_at != null, row }))
    },
    replace: async ({ playlist_id, videos, ...fields }, { row }, at) => {
      const before = present(row)
      const taken = takeVideos(before, videos, at)
      const shrunk = hasShrunk(before, taken)
      await stored.updateOne(asSeen(row), {
        $set: { ...fields, ...taken, ...(shrunk && { unsettled: true }) },
        $unset: { deleted_at: 1 },
      })
    },
    drop: async ({ row }, at) => {
      await stored.updateOne(asSeen(row), { $set: { deleted_at: at } })
    },
    markSettled: async ({ id, revision }) => {
      await stored.updateOne({ _id: id, revision }, { $unset: { unsettled: 1 } })
    },
  }
}

function asSeen({ _id, revision, deleted_at }: StoredPlaylist) {
  return { _id, revision: revision ?? null, deleted_at: deleted_at ?? null }
}

/** Whether it says what its owner says; what was removed, and when, is known here only. */
export function saysTheSame({ gone, row }: KeptPlaylist, snapshot: PlaylistSnapshot): boolean {
  const { playlist_id: _id, videos, ...fields } = snapshot
  const { title, created_by, shared_with, revision } = row
  const own = row.videos.map(({ id, title, duration, unavailable }) => ({ id, title, duration, unavailable }))
  return !gone && isDeepStrictEqual([{ title, created_by, shared_with, revision }, own], [fields, videos])
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
