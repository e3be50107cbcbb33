import { type Conditions, passingPercentOf } from '@watchline/contracts/conditions'
import { limits } from '@watchline/contracts/limits'
import { completionRate, isKnownDuration } from './completion.ts'
import { type Interval, type Intervals, tolerance, union } from './intervals.ts'
import { type Playlist, type PlaylistVideo, playableVideos } from './playlist.ts'
import { videoKey, type WatchState } from './watch-state.ts'

/*
 * A task without skipping ahead is watched in order: each video from its start on, and the videos
 * one after the other. Seconds further ahead earn no credit, whatever a player reports. Played
 * seconds that wait for the bank count as watched, because the bank pays them first.
 */

/** The videos that must be watched before a video of such a task. */
export interface PlaylistOrder {
  earlierVideos: readonly OrderedVideo[]
  /** The share of each that opens the next one: percent. */
  percent: number
}

interface OrderedVideo {
  key: string
  duration: number
}

type Watched = Pick<WatchState, 'videos' | 'candidates'>

/** Undefined if the task allows skipping. A removed video has no place in the order. */
export function findOrder(playlist: Playlist, videoId: string, conditions: Conditions): PlaylistOrder | undefined {
  if (conditions.allow_skipping) return undefined
  const index = playlist.videos.findIndex(({ id }) => id === videoId)
  return {
    earlierVideos: playableVideos({ videos: playlist.videos.slice(0, Math.max(0, index)) }).map(video =>
      toOrdered(playlist, video),
    ),
    percent: passingPercentOf(conditions.required_percent),
  }
}

/** Whether playback from this position on skips nothing. */
export function isReachable(watched: Watched, key: string, position: number, order: PlaylistOrder): boolean {
  return (
    position <= findReachableEnd(findPlayed(watched, key)) + limits.jointToleranceS + tolerance &&
    order.earlierVideos.every(video => isPassed(watched, video, order.percent))
  )
}

/**
 * The end of what is watched from the start of the video on, without gaps beyond the joints of
 * playback.
 */
export function findReachableEnd(played: Intervals): number {
  let end = 0
  for (const [from, to] of played) {
    if (from > end + limits.jointToleranceS + tolerance) break
    end = to
  }
  return end
}

export interface Reach {
  /** Seconds. */
  until: number
  /** Enough of the video is watched to open the next one. */
  passed: boolean
}

export function findReach(watched: Watched, playlist: Playlist, video: PlaylistVideo, requiredPercent: number): Reach {
  const ordered = toOrdered(playlist, video)
  return {
    until: findReachableEnd(findPlayed(watched, ordered.key)),
    passed: video.unavailable || isPassed(watched, ordered, passingPercentOf(requiredPercent)),
  }
}

/** The seconds of a video that are credited, or will be. */
export function findPlayed({ videos, candidates }: Watched, key: string): Intervals {
  const pending = candidates.filter(candidate => candidate.key === key).map(({ from, to }): Interval => [from, to])
  return union(videos[key]?.intervals ?? [], pending)
}

/** Nobody can complete a video of unknown length, so it opens the next one. */
function isPassed(watched: Watched, { key, duration }: OrderedVideo, percent: number): boolean {
  if (watched.videos[key]?.completedAt != null || !isKnownDuration(duration)) return true
  const played = findPlayed(watched, key)
  const reachedRate = (findReachableEnd(played) / duration) * 100
  return Math.max(completionRate(played, duration), reachedRate) + tolerance >= percent
}

function toOrdered(playlist: Playlist, { id, duration }: PlaylistVideo): OrderedVideo {
  return { key: videoKey(playlist.id, id), duration }
}
