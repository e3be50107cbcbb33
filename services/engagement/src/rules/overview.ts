import { limits } from '@watchline/contracts/limits'
import { meetsPercent } from './completion.ts'
import { ratePerson, weighRates } from './completion-figures.ts'
import { readCreditHistory } from './credit-history.ts'
import { findPastVideo, type Playlist, type PlaylistVideo, playableVideos } from './playlist.ts'
import { sumHundredths, summarise, type WatchSummary, watchTimeOf } from './summary.ts'
import {
  type CreditPoint,
  earlierVideoKey,
  isEarlierKey,
  readVideoKey,
  type VideoWatch,
  videoKey,
  type Watches,
} from './watch-state.ts'

/*
 * The figures of a person beyond one video. All of them come from `summarise`, so that no two
 * screens disagree.
 */

export interface VideoOverview extends WatchSummary {
  video: Pick<PlaylistVideo, 'id' | 'title' | 'duration' | 'unavailable'>
  /** ms */
  lastReportAt: number | null
  creditHistory: readonly CreditPoint[]
}

/** The watching of a playlist, at present or before a reset. */
export interface Attempt {
  /** Credited share of all playable videos, by length. Percent, to one decimal. */
  completionRate: number
  /** By the required percentage of the task. */
  completed: boolean
  completedVideos: number
  totalVideos: number
  /** Includes removed videos. */
  watchTime: number
  videos: VideoOverview[]
  /** Watched videos that are no longer in the playlist. */
  removed: VideoOverview[]
}

export interface PlaylistOverview extends Attempt {
  playlist: Playlist
  /** Completed, but the playlist has a video by now that does not meet the required percentage. */
  hasNewVideos: boolean
  /** The attempts before each reset, latest first. */
  earlierAttempts: EarlierAttempt[]
}

/** An earlier attempt, measured against the present videos. */
export interface EarlierAttempt extends Attempt {
  /** The time of the reset, ms. */
  endedAt: number
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

/**
 * A stored completion of the present attempt stays if the playlist grows. Earlier attempts are
 * measured against the present videos and the present percentage.
 */
export function summarisePlaylist(
  playlist: Playlist,
  watches: Watches,
  requiredPercent: number = limits.completedRate,
  isCompletionStored = false,
): PlaylistOverview {
  const present = summariseAttempt(playlist, watches, null, requiredPercent)
  const earlierKeys = Object.keys(watches).filter(key => isEarlierKey(key, playlist.id))
  return {
    playlist,
    ...present,
    completed: present.completed || isCompletionStored,
    hasNewVideos: isCompletionStored && !present.completed && present.totalVideos > 0,
    earlierAttempts: [...new Set(earlierKeys.map(key => readVideoKey(key).endedAt!))]
      .sort((left, right) => right - left)
      .map(endedAt => ({ endedAt, ...summariseAttempt(playlist, watches, endedAt, requiredPercent) })),
  }
}

/** `endedAt` is null for the present attempt. */
function summariseAttempt(
  playlist: Playlist,
  watches: Watches,
  endedAt: number | null,
  requiredPercent: number,
): Attempt {
  const videos = playlist.videos.map((video): VideoOverview => {
    const key = videoKey(playlist.id, video.id)
    return summariseVideo(video, watches[endedAt === null ? key : earlierVideoKey(key, endedAt)])
  })
  const removed = summariseRemoved(playlist, watches, endedAt)
  const playable = videos.filter(({ video }) => !video.unavailable)
  const completedVideos = playable.filter(({ completed }) => completed).length
  return {
    completionRate: weighRates(playable.map(({ completionRate: rate, video: { duration } }) => ({ rate, duration }))),
    completed:
      playable.length > 0 &&
      playable.every(({ watched, completed: isCompleted, video: { duration } }) =>
        meetsPercent({ watched, isCompleted }, duration, requiredPercent),
      ),
    completedVideos,
    totalVideos: playable.length,
    watchTime: sumHundredths([...videos, ...removed].map(({ watchTime }) => watchTime)),
    videos,
    removed,
  }
}

/** The credited share of all playable videos of a playlist, by length. Percent, to one decimal. */
export function ratePlaylist(playlist: Playlist, watches: Watches): number {
  return weighRates(
    playableVideos(playlist).map(({ id, duration }) => {
      const { completionRate: rate } = summarise(watches[videoKey(playlist.id, id)], duration)
      return { rate, duration }
    }),
  )
}

function summariseVideo(video: VideoOverview['video'], watch: VideoWatch | undefined): VideoOverview {
  return {
    video,
    ...summarise(watch, video.duration),
    lastReportAt: watch?.lastReportAt ?? null,
    creditHistory: watch ? readCreditHistory(watch) : [],
  }
}

/** A removed video has no missing parts. */
function summariseRemoved(playlist: Playlist, watches: Watches, endedAt: number | null): VideoOverview[] {
  const presentIds = new Set(playlist.videos.map(video => video.id))
  return Object.entries(watches).flatMap(([key, watch]) => {
    const video = readVideoKey(key)
    if (video.playlistId !== playlist.id || video.endedAt !== endedAt || presentIds.has(video.videoId)) return []
    const past = findPastVideo(playlist, video.videoId)
    const { videoId } = video
    const described = past ?? { id: videoId, title: videoId, duration: watch.duration ?? 0 }
    return [{ ...summariseVideo({ ...described, unavailable: false }, watch), missing: [] }]
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
    // Rounded one by one, so that the watch times of the videos add up to it.
    watchTime: sumHundredths(allWatches.map(watchTimeOf)),
    completedVideos: videos.filter(({ completed }) => completed).length,
    totalVideos: videos.length,
    lastActivity: allWatches.reduce<number | null>(
      (latest, { lastReportAt }) => Math.max(latest ?? 0, lastReportAt),
      null,
    ),
    notes: sum(allWatches.map(({ notes }) => Object.keys(notes).length)),
  }
}

/** True if the playlist has playable videos, and all of them meet the required percentage. */
export function isPlaylistComplete(
  playlist: Playlist,
  watches: Watches,
  requiredPercent: number = limits.completedRate,
): boolean {
  const videos = playableVideos(playlist)
  return (
    videos.length > 0 &&
    videos.every(({ id, duration }) => {
      const watch = watches[videoKey(playlist.id, id)]
      const state = { watched: watch?.intervals ?? [], isCompleted: watch?.completedAt != null }
      return meetsPercent(state, duration, requiredPercent)
    })
  )
}

/** The time at which the last video of the present attempt was completed, ms. */
export function findLastVideoCompletion(watches: Watches, playlistId: string): number | undefined {
  const times = Object.entries(watches).flatMap(([key, { completedAt }]) => {
    const video = readVideoKey(key)
    return video.playlistId === playlistId && video.endedAt === null && completedAt !== null ? [completedAt] : []
  })
  return times.length > 0 ? Math.max(...times) : undefined
}

export function watchedPlaylistIds(watches: Watches): string[] {
  return [...new Set(Object.keys(watches).map(key => readVideoKey(key).playlistId))]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
