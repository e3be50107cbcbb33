import { ratePerson, weighRates } from './completion-figures.ts'
import { findPastVideo, type Playlist, type PlaylistVideo, playableVideos } from './playlist.ts'
import { roundToTenth, summarise, type WatchSummary } from './summary.ts'
import { readVideoKey, videoKey, type Watches } from './watch-state.ts'

/*
 * The figures of a person beyond one video. All of them come from `summarise`, so that no two
 * screens disagree.
 */

export interface VideoOverview extends WatchSummary {
  video: Pick<PlaylistVideo, 'id' | 'title' | 'duration' | 'unavailable'>
  /** ms */
  lastReportAt: number | null
}

export interface PlaylistOverview {
  playlist: Playlist
  /** Credited share of all playable videos, by length. Percent, to one decimal. */
  completionRate: number
  completed: boolean
  completedVideos: number
  totalVideos: number
  /** Includes removed videos. */
  watchTime: number
  videos: VideoOverview[]
  /** Watched videos that are no longer in the playlist. */
  removed: VideoOverview[]
}

export interface MemberOverview {
  /** Credited share of all assigned playable videos, by length. Whole percent. */
  completionRate: number
  watchTime: number
  completedVideos: number
  totalVideos: number
  /** ms */
  lastActivity: number | null
  notes: number
}

export function summarisePlaylist(playlist: Playlist, watches: Watches): PlaylistOverview {
  const videos = playlist.videos.map((video): VideoOverview => {
    const watch = watches[videoKey(playlist.id, video.id)]
    return { video, ...summarise(watch, video.duration), lastReportAt: watch?.lastReportAt ?? null }
  })
  const removed = summariseRemoved(playlist, watches)
  const playable = videos.filter(({ video }) => !video.unavailable)
  const completedVideos = playable.filter(({ completed }) => completed).length
  return {
    playlist,
    completionRate: weighRates(playable.map(({ completionRate: rate, video: { duration } }) => ({ rate, duration }))),
    completed: playable.length > 0 && completedVideos === playable.length,
    completedVideos,
    totalVideos: playable.length,
    watchTime: roundToTenth(sum([...videos, ...removed].map(({ watchTime }) => watchTime))),
    videos,
    removed,
  }
}

/** A removed video has no missing parts. */
function summariseRemoved(playlist: Playlist, watches: Watches): VideoOverview[] {
  const presentIds = new Set(playlist.videos.map(video => video.id))
  return Object.entries(watches).flatMap(([key, watch]) => {
    const { playlistId, videoId } = readVideoKey(key)
    if (playlistId !== playlist.id || presentIds.has(videoId)) return []
    const video = findPastVideo(playlist, videoId) ?? { id: videoId, title: videoId, duration: watch.duration ?? 0 }
    const summary = summarise(watch, video.duration)
    return [{ ...summary, video: { ...video, unavailable: false }, missing: [], lastReportAt: watch.lastReportAt }]
  })
}

/**
 * Only assigned playlists count for completion. Watch time and notes include everything watched.
 */
export function summariseMember(assigned: readonly Playlist[], watches: Watches): MemberOverview {
  const videos = assigned.flatMap(playlist =>
    playableVideos(playlist).map(({ id, duration }) => ({
      ...summarise(watches[videoKey(playlist.id, id)], duration),
      duration,
    })),
  )
  const allWatches = Object.values(watches)
  return {
    completionRate: ratePerson(videos.map(({ completionRate: rate, duration }) => ({ rate, duration }))),
    watchTime: roundToTenth(sum(allWatches.map(({ watchTime }) => watchTime))),
    completedVideos: videos.filter(({ completed }) => completed).length,
    totalVideos: videos.length,
    lastActivity: allWatches.reduce<number | null>(
      (latest, { lastReportAt }) => Math.max(latest ?? 0, lastReportAt),
      null,
    ),
    notes: sum(allWatches.map(({ notes }) => Object.keys(notes).length)),
  }
}

/** True if the playlist has playable videos and all of them are completed. */
export function isPlaylistComplete(playlist: Playlist, watches: Watches): boolean {
  const videos = playableVideos(playlist)
  return videos.length > 0 && videos.every(video => watches[videoKey(playlist.id, video.id)]?.completedAt != null)
}

/** True if a video of the playlist was completed at or after the instant, in ms. */
export function hasCompletionSince(watches: Watches, playlistId: string, instant: number): boolean {
  return Object.entries(watches).some(
    ([key, { completedAt }]) => readVideoKey(key).playlistId === playlistId && (completedAt ?? -1) >= instant,
  )
}

export function watchedPlaylistIds(watches: Watches): string[] {
  return [...new Set(Object.keys(watches).map(key => readVideoKey(key).playlistId))]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
