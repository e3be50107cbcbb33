import type { PlaylistSnapshot } from '@watchline/contracts/snapshots'

/** A playlist as this service knows it. */
export interface Playlist {
  id: string
  title: string
  createdBy: string
  sharedWith: string[]
  /** The higher revision is the later one; 0 if only the deletion is known. */
  revision: number
  videos: PlaylistVideo[]
  /** Latest last. */
  removedVideos: PlaylistVideo[]
  /** ms; null if the playlist is not deleted. */
  deletedAt: number | null
}

export interface PlaylistVideo {
  id: string
  title: string
  /** Seconds. */
  duration: number
  /** The video cannot play: nobody has to watch it. */
  unavailable: boolean
  /**
   * The time at which the video was removed or became unavailable, ms; null for a video that can
   * play or never could.
   */
  lostAt: number | null
}

type PlaylistVideos = Pick<Playlist, 'videos' | 'removedVideos'>

/** Removed videos are kept for their titles and lengths, up to this many. */
const maxRemovedVideos = 1_000

/** Applies a later snapshot. Videos that it lacks become removed videos. `at` is in ms. */
export function mergeVideos(
  before: PlaylistVideos | undefined,
  snapshot: PlaylistSnapshot['videos'],
  at: number,
): PlaylistVideos {
  const knownVideos = new Map(
    [...(before?.removedVideos ?? []), ...(before?.videos ?? [])].map(video => [video.id, video]),
  )
  const videos = snapshot.map(video => {
    const old = knownVideos.get(video.id)
    return { ...video, lostAt: video.unavailable && old ? (old.lostAt ?? (old.unavailable ? null : at)) : null }
  })
  const present = new Set(videos.map(video => video.id))
  const removedVideos = [...knownVideos.values()]
    .filter(video => !present.has(video.id))
    .map(video => ({ ...video, lostAt: video.lostAt ?? at }))
  return { videos, removedVideos: removedVideos.slice(-maxRemovedVideos) }
}

/** A playlist with less to watch may be complete for people who send no further report. */
export function hasShrunk(before: Pick<Playlist, 'videos'>, after: Pick<Playlist, 'videos'>): boolean {
  const durations = new Map(playableVideos(after).map(video => [video.id, video.duration]))
  return playableVideos(before).some(video => (durations.get(video.id) ?? 0) < video.duration)
}

export function findVideo(playlist: Playlist, videoId: string): PlaylistVideo | undefined {
  return playlist.videos.find(video => video.id === videoId)
}

/** Finds present and removed videos. */
export function findPastVideo(playlist: Playlist, videoId: string): PlaylistVideo | undefined {
  return findVideo(playlist, videoId) ?? playlist.removedVideos.find(video => video.id === videoId)
}

export function playableVideos(playlist: Pick<Playlist, 'videos'>): PlaylistVideo[] {
  return playlist.videos.filter(video => !video.unavailable)
}
