import { limits } from '@watchline/contracts/limits'
import { clampPosition } from './completion.ts'
import { findPastVideo, findVideo, type Playlist, type PlaylistVideo } from './playlist.ts'

/**
 * A position in a video as a field of the request gives it. `seconds` may lie past the end
 * tolerance.
 */
export interface RequestedPosition {
  path: string
  seconds: number
}

/** The video of a request, or the field that is wrong. */
export type VideoCheck =
  | { video: PlaylistVideo; problem?: never }
  | { video?: never; problem: { path: string; message: string } }

/** Accepts a video of the playlist that can play, and a position in it. */
export function checkVideo(playlist: Playlist, videoId: string, position?: RequestedPosition): VideoCheck {
  const video = findVideo(playlist, videoId)
  if (!video) return { problem: { path: 'video_id', message: 'is not a video of this playlist' } }
  if (video.unavailable) return { problem: { path: 'video_id', message: 'is a video that cannot play' } }
  return checkPosition(video, position)
}

/** Also accepts a video that was removed or became unavailable within `limits.lateReportsMs`. */
export function checkReportedVideo(
  playlist: Playlist,
  videoId: string,
  now: number,
  position?: RequestedPosition,
): VideoCheck {
  const video = findPastVideo(playlist, videoId)
  if (video && video.lostAt !== null && video.lostAt >= now - limits.lateReportsMs)
    return checkPosition(video, position)
  return checkVideo(playlist, videoId, position)
}

function checkPosition(video: PlaylistVideo, position: RequestedPosition | undefined): VideoCheck {
  if (position && clampPosition(position.seconds, video.duration) === undefined)
    return { problem: { path: position.path, message: 'is not within the video' } }
  return { video }
}
