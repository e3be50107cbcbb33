import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'
import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { Playlist, PlaylistVideo } from '../rules/playlist.ts'

interface StoredPlaylist {
  _id: string
  title: string
  created_by: string
  shared_with: string[]
  videos: PlaylistVideo[]
}

/** The projection of playlists. */
export interface PlaylistStore {
  /** As their owner has them now. */
  put(snapshots: readonly PlaylistSnapshot[]): Promise<void>
  /** As it was when it was made: what is there already is at least as new. */
  putNew(snapshot: PlaylistSnapshot, session: ClientSession): Promise<void>
  byIds(ids: readonly string[]): Promise<Map<string, Playlist>>
}

export function createPlaylistStore(connection: Connection): PlaylistStore {
  const schema = new Schema<StoredPlaylist>(
    {
      _id: String,
      title: String,
      created_by: String,
      shared_with: [String],
      videos: [
        new Schema<PlaylistVideo>(
          { id: String, title: String, duration: Number, unavailable: Boolean },
          { _id: false, id: false },
        ),
      ],
    },
    { versionKey: false, collection: 'playlists' },
  )
  const stored = connection.model<StoredPlaylist>('ProjectedPlaylist', schema)

  return {
    put: async snapshots => {
      await stored.bulkWrite(
        snapshots.map(({ playlist_id, ...fields }) => ({
          updateOne: { filter: { _id: playlist_id }, update: { $set: fields }, upsert: true },
        })),
        { ordered: false },
      )
    },
    putNew: async ({ playlist_id, ...fields }, session) => {
      await stored.updateOne({ _id: playlist_id }, { $setOnInsert: fields }, { upsert: true, session })
    },
    byIds: async ids => {
      const rows = await stored.find({ _id: { $in: [...ids] } }).lean()
      return new Map(rows.map(row => [row._id, present(row)]))
    },
  }
}

function present({ _id, title, created_by, shared_with, videos }: StoredPlaylist): Playlist {
  return { id: _id, title, createdBy: created_by, sharedWith: shared_with, videos }
}
