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
  /** Over all playable videos, weighted by duration. */
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
  /** Rounded mean of the completion rates of the assigned playable videos. */
  completionRate: number
  watchTime: number
  completedVideos: number
  totalVideos: number
  /** ms */
  lastActivity: number | null
  notes: number
  /** When each completed video that counts was completed, ms. */
  completedAt: number[]
}

export function summarisePlaylist(playlist: Playlist, watches: Watches): PlaylistOverview {
  const videos = playlist.videos.map((video): VideoOverview => {
    const watch = watches[videoKey(playlist.id, video.id)]
    return { video, ...summarise(watch, video.duration), lastReportAt: watch?.lastReportAt ?? null }
  })
  const removed = summariseRemoved(playlist, watches)
  const playable = videos.filter(({ video }) => !video.unavailable)
  const completedVideos = playable.filter(({ completed }) => completed).length
  const duration = sum(playable.map(({ video }) => video.duration))
  const covered = sum(playable.map(({ completionRate, video }) => completionRate * video.duration))
  return {
    playlist,
    completionRate: duration > 0 ? roundToTenth(covered / duration) : 0,
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
    playableVideos(playlist).map(video => summarise(watches[videoKey(playlist.id, video.id)], video.duration)),
  )
  const allWatches = Object.values(watches)
  const completedVideos = videos.filter(({ completed }) => completed)
  return {
    completionRate: meanRate(videos.map(({ completionRate }) => completionRate)),
    watchTime: roundToTenth(sum(allWatches.map(({ watchTime }) => watchTime))),
    completedVideos: completedVideos.length,
    totalVideos: videos.length,
    lastActivity: allWatches.reduce<number | null>(
      (latest, { lastReportAt }) => Math.max(latest ?? 0, lastReportAt),
      null,
    ),
    notes: sum(allWatches.map(({ notes }) => Object.keys(notes).length)),
    completedAt: completedVideos.flatMap(({ completedAt }) => completedAt ?? []),
  }
}

/** The rounded mean of completion rates; 0 if there are none. */
export function meanRate(rates: readonly number[]): number {
  return rates.length === 0 ? 0 : Math.round(sum(rates) / rates.length)
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
