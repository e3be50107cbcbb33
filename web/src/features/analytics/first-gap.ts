import type { PlaylistWatch } from '@watchline/contracts/engagement'

/** The second of a video from which a person's watching is missing. */
export interface FirstGap {
  playlistId: string
  videoId: string
  videoTitle: string
  /** Seconds. */
  from: number
}

/**
 * The first gap of the latest unfinished playlist that can still be played; undefined if there is
 * none. The playlists come latest first, as the person's panel lists them.
 */
export function findFirstGap(playlists: readonly PlaylistWatch[]): FirstGap | undefined {
  for (const { playlist_id, videos, completed, deleted } of playlists) {
    if (completed || deleted) continue
    const video = videos.find(({ removed, unavailable, completed }) => !removed && !unavailable && !completed)
    if (!video) continue
    const [from] = video.missing[0] ?? [0]
    return { playlistId: playlist_id, videoId: video.video_id, videoTitle: video.title, from }
  }
  return undefined
}
