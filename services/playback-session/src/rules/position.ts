import { limits } from '@watchline/contracts/limits'
import type { Video } from '@watchline/contracts/playlists'

/** A position in a playlist; `seconds` count from the start of the video. */
export interface Position {
  videoId: string
  videoIndex: number
  seconds: number
}

/** A position as a player reports it. Id and index each identify the video. */
export interface ReportedPosition {
  videoId?: string | null
  videoIndex?: number | null
  seconds: number
}

/** The field that is invalid, and why. */
export interface PositionProblem {
  part: keyof ReportedPosition
  message: string
}

/**
 * Resolves a reported position, or says what is wrong with it. Id and index must identify the same
 * video. In an `edited` playlist the id decides, because the player may know an older order.
 * Up to limits.positionToleranceS past the end counts as the end.
 */
export function readPosition(
  videos: readonly Video[],
  reported: ReportedPosition,
  edited = false,
): Position | PositionProblem {
  const { videoId, videoIndex, seconds } = reported
  const foundIndex = videoId == null ? -1 : videos.findIndex(video => video.id === videoId)
  if (videoId != null && foundIndex < 0) return { part: 'videoId', message: 'is not a video of this playlist' }
  const index = videoIndex == null || (edited && foundIndex >= 0) ? foundIndex : videoIndex
  const video = videos[index]
  if (!video || (videoId != null && video.id !== videoId))
    return { part: 'videoIndex', message: 'is not where this video is in the playlist' }
  if (!(seconds >= 0) || seconds > video.duration + limits.positionToleranceS)
    return { part: 'seconds', message: 'is not within the video' }
  return { videoId: video.id, videoIndex: index, seconds: Math.min(seconds, video.duration) }
}

/**
 * Maps a saved position to the current playlist. A moved video is found by its id. For a removed
 * video the position is in the video that now has its index; `savedSecondsOf` gives the seconds
 * there.
 */
export function locatePosition(
  videos: readonly Video[],
  saved: Position,
  savedSecondsOf: (videoId: string) => number | undefined = () => undefined,
): Position {
  const index = videos.findIndex(video => video.id === saved.videoId)
  const video = videos[index]
  if (video) return { videoId: video.id, videoIndex: index, seconds: Math.min(saved.seconds, video.duration) }
  const videoIndex = Math.min(saved.videoIndex, videos.length - 1)
  const replacement = videos[videoIndex]
  if (!replacement) return saved
  const seconds = Math.min(savedSecondsOf(replacement.id) ?? 0, replacement.duration)
  return { videoId: replacement.id, videoIndex, seconds }
}

export function isProblem(position: Position | PositionProblem): position is PositionProblem {
  return 'part' in position
}

/** True within tolerance of the end of the last video that can play. */
export function isAtEnd(videos: readonly Video[], position: Pick<Position, 'videoIndex' | 'seconds'>): boolean {
  const lastIndex = videos.findLastIndex(video => !video.unavailable)
  const video = videos[lastIndex]
  return (
    video !== undefined &&
    position.videoIndex >= lastIndex &&
    position.seconds >= (position.videoIndex === lastIndex ? video.duration - limits.positionToleranceS : 0)
  )
}

/** False for the very beginning: there is nothing to resume. */
export function isUnderWay(position: Pick<Position, 'videoIndex' | 'seconds'>): boolean {
  return position.videoIndex > 0 || position.seconds > 0
}
