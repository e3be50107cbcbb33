import type { Video } from '@watchline/contracts/playlists'

export interface Playlist {
  id: string
  title: string
  description: string
  videos: Video[]
  /** Seconds of all videos that can play. */
  totalDuration: number
  createdBy: string
  /** Ids of supervisors. */
  sharedWith: string[]
  /** The import; null for a playlist made by hand. */
  source: PlaylistSource | null
  /** Grows by one with every change. */
  revision: number
  createdAt: Date
}

export interface PlaylistSource {
  youtubePlaylistId: string
  /**
   * The title on YouTube. The playlist's title follows it until somebody edits the playlist's
   * title.
   */
  title: string
  /**
   * The description on YouTube, which the playlist's description follows in the same way. Null:
   * it is a person's own. Absent in imports of earlier versions: unknown.
   */
  description?: string | null
  readAt: Date
  /** Titles and descriptions were too old to keep. Absent after each reading. */
  detailsRemovedAt?: Date
}

/** The fields that a change replaces; absent fields stay. */
export type PlaylistChange = Partial<Pick<Playlist, 'title' | 'description' | 'videos' | 'sharedWith' | 'source'>>

/** A new playlist has this revision. */
export const firstRevision = 1

/** A player that started before an edit may still count the videos in their old order. */
export function isEdited(playlist: Pick<Playlist, 'revision'>): boolean {
  return playlist.revision > firstRevision
}

/**
 * Compares the videos of two revisions.
 * `lost`: videos of both revisions that were playable and are now marked as unavailable.
 * `reset`: ids of videos whose old reports no longer count, because the mark, the file or the video
 * itself was removed.
 */
export function compareAvailability(
  before: Pick<Playlist, 'videos'>,
  after: Pick<Playlist, 'videos'>,
): { lost: Video[]; reset: string[] } {
  const videosBefore = new Map(before.videos.map(video => [video.id, video]))
  const videosAfter = new Map(after.videos.map(video => [video.id, video]))
  const isReset = ({ id, unavailable, url }: Video) =>
    (unavailable && !videosAfter.get(id)?.unavailable) || videosAfter.get(id)?.url !== url
  return {
    lost: after.videos.filter(({ id, unavailable }) => {
      const video = videosBefore.get(id)
      return unavailable && video && video.unavailable !== true
    }),
    reset: before.videos.filter(isReset).map(video => video.id),
  }
}
