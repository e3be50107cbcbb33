import { onceVideoOf, type Playlist, type PlaylistVideo, playable } from './playlist.ts'
import { summarise, type WatchSummary } from './summary.ts'
import { readVideoKey, type VideoWatch, videoKey } from './watch-state.ts'

/*
 * What is said of a person beyond one video. Every figure is made of `summarise`, so that no two surfaces can disagree.
 */

type Watches = Readonly<Record<string, VideoWatch>>

export interface VideoOverview extends WatchSummary {
  video: Pick<PlaylistVideo, 'id' | 'title' | 'duration' | 'unavailable'>
  /** ms */
  lastReportAt: number | null
}

export interface PlaylistOverview {
  playlist: Playlist
  /** Of all playable videos, by their length. */
  completionRate: number
  completed: boolean
  completedVideos: number
  totalVideos: number
  /** What was removed included. */
  watchTime: number
  videos: VideoOverview[]
  /** What was watched and is no longer in the playlist. */
  removed: VideoOverview[]
}

export interface MemberOverview {
  /** Rounded mean of the completion rates of the playable videos assigned. */
  completionRate: number
  watchTime: number
  completedVideos: number
  totalVideos: number
  /** ms */
  lastActivity: number | null
  notes: number
  /** When each of the completed videos counted was completed, ms. */
  completedAt: number[]
}

export function overviewOfPlaylist(playlist: Playlist, watches: Watches): PlaylistOverview {
  const videos = playlist.videos.map((video): VideoOverview => {
    const watch = watches[videoKey(playlist.id, video.id)]
    return { video, ...summarise(watch, video.duration), lastReportAt: watch?.lastReportAt ?? null }
  })
  const removed = removedFrom(playlist, watches)
  const counted = videos.filter(each => !each.video.unavailable)
  const completedVideos = counted.filter(each => each.completed).length
  const duration = sum(counted.map(each => each.video.duration))
  const covered = sum(counted.map(each => each.completionRate * each.video.duration))
  return {
    playlist,
    completionRate: duration > 0 ? toTenth(covered / duration) : 0,
    completed: counted.length > 0 && completedVideos === counted.length,
    completedVideos,
    totalVideos: counted.length,
    watchTime: toTenth(sum([...videos, ...removed].map(each => each.watchTime))),
    videos,
    removed,
  }
}

/** Of what is no longer in the playlist nothing is missing. */
function removedFrom(playlist: Playlist, watches: Watches): VideoOverview[] {
  const held = new Set(playlist.videos.map(video => video.id))
  return Object.entries(watches).flatMap(([key, watch]) => {
    const { playlistId, videoId } = readVideoKey(key)
    if (playlistId !== playlist.id || held.has(videoId)) return []
    const video = onceVideoOf(playlist, videoId) ?? { id: videoId, title: videoId, duration: watch.duration ?? 0 }
    const summary = summarise(watch, video.duration)
    return [{ ...summary, video: { ...video, unavailable: false }, missing: [], lastReportAt: watch.lastReportAt }]
  })
}

/** `assigned` are the playlists that count; what was watched besides adds to the time and the notes only. */
export function overviewOfMember(assigned: readonly Playlist[], watches: Watches): MemberOverview {
  const counted = assigned.flatMap(playlist =>
    playable(playlist).map(video => summarise(watches[videoKey(playlist.id, video.id)], video.duration)),
  )
  const all = Object.values(watches)
  const completed = counted.filter(each => each.completed)
  return {
    completionRate: meanRate(counted.map(each => each.completionRate)),
    watchTime: toTenth(sum(all.map(each => each.watchTime))),
    completedVideos: completed.length,
    totalVideos: counted.length,
    lastActivity: all.reduce<number | null>((latest, each) => Math.max(latest ?? 0, each.lastReportAt), null),
    notes: sum(all.map(each => Object.keys(each.notes).length)),
    completedAt: completed.flatMap(each => each.completedAt ?? []),
  }
}

/** The product's average: the rounded mean of completion rates, 0 of none. */
export function meanRate(rates: readonly number[]): number {
  return rates.length === 0 ? 0 : Math.round(sum(rates) / rates.length)
}

/** Whether every playable video of the playlist is completed. */
export function isPlaylistComplete(playlist: Playlist, watches: Watches): boolean {
  const videos = playable(playlist)
  return videos.length > 0 && videos.every(video => watches[videoKey(playlist.id, video.id)]?.completedAt != null)
}

/** The playlists in which anything was watched. */
export function watchedPlaylists(watches: Watches): string[] {
  return [...new Set(Object.keys(watches).map(key => readVideoKey(key).playlistId))]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, each) => total + each, 0)
}

function toTenth(value: number): number {
  return Math.round(value * 10) / 10
}
