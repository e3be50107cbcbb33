import type { PlaylistWatch } from '@watchline/contracts/engagement'
import { findFirstGap } from '../../api/playlist-watch.ts'

/** The second of a video from which a person's watching is missing. */
interface LatestGap {
  playlistId: string
  videoId: string
  videoTitle: string
  seconds: number
}

/**
 * The first gap of the latest unfinished playlist that can still be played; undefined if there is
 * none. The playlists come latest first, as the person's panel lists them.
 */
export function findLatestGap(playlists: readonly PlaylistWatch[]): LatestGap | undefined {
  for (const playlist of playlists) {
    const gap = playlist.completed || playlist.deleted ? undefined : findFirstGap(playlist)
    if (gap) return { playlistId: playlist.playlist_id, ...gap }
  }
  return undefined
}
