import { limits } from '@watchline/contracts/limits'
import type { Video } from '@watchline/contracts/playlists'

/** A place in a playlist; `seconds` into the video. */
export interface Position {
  videoId: string
  videoIndex: number
  seconds: number
}

export interface GivenPosition {
  videoId?: string | null
  videoIndex?: number | null
  seconds: number
}

/** What is wrong with a position, and which part of it. */
export interface PositionProblem {
  part: keyof GivenPosition
  message: string
}

/**
 * The position that was meant, or what is wrong with it. Either of id and index finds the video, both must mean the same one, unless
 * the playlist was `edited`: then the player may count as it was before, and the id tells. Up to limits.positionToleranceS past the
 * end counts as the end.
 */
export function readPosition(
  videos: readonly Video[],
  given: GivenPosition,
  edited = false,
): Position | PositionProblem {
  const { videoId, videoIndex, seconds } = given
  const found = videoId == null ? -1 : videos.findIndex(video => video.id === videoId)
  if (videoId != null && found < 0) return { part: 'videoId', message: 'is not a video of this playlist' }
  const index = videoIndex == null || (edited && found >= 0) ? found : videoIndex
  const video = videos[index]
  if (!video || (videoId != null && video.id !== videoId))
    return { part: 'videoIndex', message: 'is not where this video is in the playlist' }
  if (!(seconds >= 0) || seconds > video.duration + limits.positionToleranceS)
    return { part: 'seconds', message: 'is not within the video' }
  return { videoId: video.id, videoIndex: index, seconds: Math.min(seconds, video.duration) }
}

/**
 * Where a saved position is in the playlist as it is now. A video that moved is found by its id. One that was removed leaves its place
 * to what stands there now, at the position it was left at, if it ever was.
 */
export function locate(
  videos: readonly Video[],
  saved: Position,
  leftAt: (videoId: string) => number | undefined = () => undefined,
): Position {
  const index = videos.findIndex(video => video.id === saved.videoId)
  const video = videos[index]
  if (video) return { videoId: video.id, videoIndex: index, seconds: Math.min(saved.seconds, video.duration) }
  const place = Math.min(saved.videoIndex, videos.length - 1)
  const instead = videos[place]
  if (!instead) return saved
  return { videoId: instead.id, videoIndex: place, seconds: Math.min(leftAt(instead.id) ?? 0, instead.duration) }
}

export function isProblem(read: Position | PositionProblem): read is PositionProblem {
  return 'part' in read
}

/** Whether the position is the playlist's end: within tolerance of the end of the last video that can play. */
export function isAtEnd(videos: readonly Video[], position: Pick<Position, 'videoIndex' | 'seconds'>): boolean {
  const last = videos.findLastIndex(video => !video.unavailable)
  const video = videos[last]
  return (
    video !== undefined &&
    position.videoIndex >= last &&
    position.seconds >= (position.videoIndex === last ? video.duration - limits.positionToleranceS : 0)
  )
}

/** Whether there is something to come back to: the very beginning is not. */
export function isUnderWay(position: Pick<Position, 'videoIndex' | 'seconds'>): boolean {
  return position.videoIndex > 0 || position.seconds > 0
}
