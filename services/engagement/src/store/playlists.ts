import { isDeepStrictEqual } from 'node:util'
import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { pageById } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import { hasShrunk, mergeVideos, type Playlist, type PlaylistVideo } from '../rules/playlist.ts'

interface StoredPlaylist {
  _id: string
  title: string
  created_by: string
  shared_with: string[]
  revision: number
  videos: PlaylistVideo[]
  removed: PlaylistVideo[]
  deleted_at?: Date
  /** It has shrunk, and the completions are not recalculated yet. */
  unsettled?: true
  /** True of a deleted playlist until its assignments have ended. */
  has_remaining_assignments?: boolean
}

/** A playlist as a rebuild sees it. */
export interface ProjectedPlaylist {
  id: string
  isDeleted: boolean
  row: StoredPlaylist
}

/** The projection of playlists. */
export interface PlaylistStore {
  /**
   * Skips a snapshot if the same or a newer one is stored. Nothing revives a deleted playlist.
   * `at` (ms) is when the snapshots became true.
   */
  put(snapshots: readonly PlaylistSnapshot[], at: number): Promise<void>
  /** Works for an unknown playlist, too. */
  markDeleted(id: string, at: Date, session: ClientSession): Promise<void>
  /** The deleted playlists of which somebody may still have an assignment. */
  findWithRemainingAssignments(): Promise<{ id: string; deletedAt: Date }[]>
  clearRemainingAssignments(id: string): Promise<void>
  /** Until the transaction ends, nobody else can mark the playlist as deleted. */
  isDeleted(id: string, session: ClientSession): Promise<boolean>
  byIds(ids: readonly string[]): Promise<Map<string, Playlist>>
  /** The playlist, if it has shrunk and the completions are not recalculated yet. */
  findShrunk(id: string): Promise<Playlist | undefined>
  /** Does nothing if the playlist has changed since. */
  clearShrunk(playlist: Pick<Playlist, 'id' | 'revision'>): Promise<void>
  /** A page of all playlists, in the order of ids. */
  pageProjected(after: string, upTo: string | undefined, limit: number): Promise<ProjectedPlaylist[]>
  /** Replaces `expected`, even a deleted or newer one, unless the stored playlist has changed. */
  replace(snapshot: PlaylistSnapshot, expected: ProjectedPlaylist, at: number): Promise<void>
  /** Does nothing if the stored playlist differs from `expected`. */
  markDeletedIfUnchanged(expected: ProjectedPlaylist, at: Date): Promise<void>
}

/** A concurrent writer of the same playlist makes a write fail; the next attempt reads again. */
const maxAttempts = 5

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
      has_remaining_assignments: Boolean,
      unsettled: Boolean,
    },
    { versionKey: false, collection: 'playlists' },
  )
  const hasRemainingAssignments = { has_remaining_assignments: true as const }
  schema.index(
    { has_remaining_assignments: 1 },
    { partialFilterExpression: hasRemainingAssignments, name: 'remaining_assignments' },
  )
  const stored = connection.model<StoredPlaylist>('ProjectedPlaylist', schema)

  // Two transactions about the existence of one playlist write different documents, and the
  // playlist
  // itself may be unknown. Both write this document, so one of them must wait or retry.
  const locks = connection.model(
    'PlaylistTurn',
    new Schema<{ _id: string; turns: number }>(
      { _id: String, turns: Number },
      { versionKey: false, collection: 'playlist_turns' },
    ),
  )
  const lockPlaylist = (id: string, session: ClientSession) =>
    locks.updateOne({ _id: id }, { $inc: { turns: 1 } }, { session, upsert: true })

  async function byIds(ids: readonly string[]) {
    const rows = await stored.find({ _id: { $in: [...ids] } }).lean()
    return new Map(rows.map(row => [row._id, fromRow(row)]))
  }

  async function putOnce(snapshots: readonly PlaylistSnapshot[], at: number) {
    const storedById = await byIds(snapshots.map(snapshot => snapshot.playlist_id))
    const writes = snapshots.flatMap(({ playlist_id, videos, ...fields }) => {
      const before = storedById.get(playlist_id)
      if (before && before.revision >= fields.revision) return []
      const merged = mergeVideos(before, videos, at)
      const shrunk = before !== undefined && hasShrunk(before, merged)
      // The filter of a stale write matches nothing, so its upsert fails with a duplicate key.
      const filter = { _id: playlist_id, revision: before?.revision || { $in: [0, null] } }
      const update = { $set: { ...fields, ...toStoredVideos(merged), ...(shrunk && { unsettled: true as const }) } }
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
          if (!isDuplicateKey(error) || attempt === maxAttempts) throw error
        }
      }
    },
    markDeleted: async (id, at, session) => {
      await lockPlaylist(id, session)
      await stored.updateOne(
        { _id: id },
        {
          $min: { deleted_at: at },
          $set: hasRemainingAssignments,
          $setOnInsert: { title: '', created_by: '', shared_with: [], videos: [], removed: [], revision: 0 },
        },
        { upsert: true, session },
      )
    },
    isDeleted: async (id, session) => {
      await lockPlaylist(id, session)
      const row = await stored.findById(id, { deleted_at: 1 }, { session }).lean()
      return row?.deleted_at != null
    },
    findWithRemainingAssignments: async () => {
      const rows = await stored.find(hasRemainingAssignments, { deleted_at: 1 }).lean()
      return rows.flatMap(row => (row.deleted_at ? [{ id: row._id, deletedAt: row.deleted_at }] : []))
    },
    clearRemainingAssignments: async id => {
      await stored.updateOne({ _id: id }, { $unset: { has_remaining_assignments: 1 } })
    },
    byIds,
    findShrunk: async id => {
      const row = await stored.findOne({ _id: id, unsettled: true }).lean()
      return row ? fromRow(row) : undefined
    },
    pageProjected: async (after, upTo, limit) => {
      const rows = await pageById(stored, { after, upTo, limit })
      return rows.map(row => ({ id: row._id, isDeleted: row.deleted_at != null, row }))
    },
    replace: async ({ playlist_id, videos, ...fields }, { row }, at) => {
      const before = fromRow(row)
      const merged = mergeVideos(before, videos, at)
      const shrunk = hasShrunk(before, merged)
      await stored.updateOne(unchangedFilter(row), {
        $set: { ...fields, ...toStoredVideos(merged), ...(shrunk && { unsettled: true }) },
        $unset: { deleted_at: 1 },
      })
    },
    markDeletedIfUnchanged: async ({ row }, at) => {
      await stored.updateOne(unchangedFilter(row), { $set: { deleted_at: at } })
    },
    clearShrunk: async ({ id, revision }) => {
      await stored.updateOne({ _id: id, revision }, { $unset: { unsettled: 1 } })
    },
  }
}

function toStoredVideos({ videos, removedVideos }: Pick<Playlist, 'videos' | 'removedVideos'>) {
  return { videos, removed: removedVideos }
}

function unchangedFilter({ _id, revision, deleted_at }: StoredPlaylist) {
  return { _id, revision: revision ?? null, deleted_at: deleted_at ?? null }
}

/** Compares with the owner's snapshot. Removed videos are known only here. */
export function matchesSnapshot({ isDeleted, row }: ProjectedPlaylist, snapshot: PlaylistSnapshot): boolean {
  const { playlist_id: _id, videos, ...fields } = snapshot
  const { title, created_by, shared_with, revision } = row
  const storedVideos = row.videos.map(({ id, title, duration, unavailable }) => ({ id, title, duration, unavailable }))
  return !isDeleted && isDeepStrictEqual([{ title, created_by, shared_with, revision }, storedVideos], [fields, videos])
}

function fromRow(row: StoredPlaylist): Playlist {
  return {
    id: row._id,
    title: row.title,
    createdBy: row.created_by,
    sharedWith: row.shared_with,
    revision: row.revision ?? 0,
    videos: row.videos.map(presentVideo),
    removedVideos: (row.removed ?? []).map(presentVideo),
    deletedAt: row.deleted_at?.getTime() ?? null,
  }
}

function presentVideo({ id, title, duration, unavailable, lostAt }: PlaylistVideo): PlaylistVideo {
  return { id, title, duration, unavailable, lostAt: lostAt ?? null }
}
