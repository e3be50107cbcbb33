import type { Video } from '@watchline/contracts/playlists'
import { nameKey } from '@watchline/contracts/search-text'
import { listOrderKey } from '@watchline/identity/name-key'
import { Schema } from 'mongoose'
import { firstRevision, type Playlist } from '../rules/playlist.ts'

export interface StoredPlaylist {
  _id: string
  title: string
  /** The title without case and accents, for searches. Absent in documents of earlier versions. */
  title_key?: string
  /** The title as lists order it. Absent in documents of earlier versions. */
  title_order?: string
  description: string
  videos: Video[]
  total_duration: number
  created_by: string
  shared_with: string[]
  source: {
    youtube_playlist_id: string
    title: string
    /** Absent in documents of earlier versions. */
    description?: string | null
    read_at: Date
    details_removed_at?: Date
  } | null
  /** Absent in documents written before revisions existed. */
  revision: number
  created_at: Date
  /** The latest result of `nextChangeTime`. */
  turned_at?: Date
}

/**
 * Deleted playlists are in a collection of their own. Lists, counts and caches do not read it.
 * Reads of tasks and jobs look there for playlists with remaining assignments.
 */
export interface DeletedPlaylist extends StoredPlaylist {
  deleted_at: Date
  deleted_by: string
  /** True until the assignments are removed. Absent in documents of earlier versions. */
  has_remaining_assignments?: boolean
}

export const playlistFields = {
  _id: String,
  title: String,
  title_key: String,
  title_order: String,
  description: String,
  videos: [
    new Schema<Video>(
      {
        provider: String,
        id: String,
        url: String,
        title: String,
        duration: Number,
        unavailable: Boolean,
        made_for_kids: Boolean,
      },
      { _id: false, id: false },
    ),
  ],
  total_duration: Number,
  created_by: String,
  shared_with: [String],
  source: {
    type: new Schema(
      { youtube_playlist_id: String, title: String, description: String, read_at: Date, details_removed_at: Date },
      { _id: false },
    ),
    default: null,
  },
  revision: Number,
  created_at: Date,
  turned_at: Date,
}

/** The keys by which searches compare a title, and lists order it. */
export function titleKeysOf(title: string) {
  return { title_key: nameKey(title), title_order: listOrderKey(title) }
}

/** The fields that a change may replace. */
export function toChangeableFields({
  title,
  description,
  videos,
  totalDuration,
  sharedWith,
  source,
}: Omit<Playlist, 'id'>) {
  return {
    title,
    ...titleKeysOf(title),
    description,
    videos,
    total_duration: totalDuration,
    shared_with: sharedWith,
    source: source && {
      youtube_playlist_id: source.youtubePlaylistId,
      title: source.title,
      ...(source.description !== undefined && { description: source.description }),
      read_at: source.readAt,
      ...(source.detailsRemovedAt && { details_removed_at: source.detailsRemovedAt }),
    },
  }
}

export function toPlaylist(row: StoredPlaylist): Playlist {
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
          ...(row.source.description !== undefined && { description: row.source.description }),
          readAt: row.source.read_at,
          ...(row.source.details_removed_at && { detailsRemovedAt: row.source.details_removed_at }),
        }
      : null,
    revision: row.revision ?? firstRevision,
    createdAt: row.created_at,
  }
}
