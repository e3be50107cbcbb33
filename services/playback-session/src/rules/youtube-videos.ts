import { limits } from '@watchline/contracts/limits'
import type { Video } from '@watchline/contracts/playlists'
import { readIsoDuration } from './iso-duration.ts'
import { cleanLine } from './youtube-text.ts'

/** The details of a video on YouTube that decide whether it is imported. */
export interface YoutubeVideo {
  id: string
  title: string
  /** ISO 8601; absent or zero for a live video and for one in processing. */
  duration?: string | undefined
  /** `live` and `upcoming` have no length yet. */
  liveBroadcast?: string | undefined
  uploadStatus?: string | undefined
  privacyStatus?: string | undefined
  embeddable?: boolean | undefined
  madeForKids?: boolean | undefined
  /** YouTube plays such a video on its own pages only. */
  ageRestricted: boolean
}

/**
 * Converts the videos of a playlist, each once, in the playlist's order. Private, live, overlong
 * and deleted videos and those without a duration are left out; YouTube gives no details of deleted
 * ones. A video that may not be embedded is imported as unavailable.
 */
export function importVideos(
  ids: readonly string[],
  details: ReadonlyMap<string, YoutubeVideo>,
): { videos: Video[]; leftOut: number } {
  const uniqueIds = [...new Set(ids)]
  const videos = uniqueIds.flatMap(id => {
    const video = details.get(id)
    const imported = video && importVideo(video)
    return imported ? [imported] : []
  })
  return { videos, leftOut: uniqueIds.length - videos.length }
}

function importVideo(video: YoutubeVideo): Video | undefined {
  const duration = readIsoDuration(video.duration ?? '') ?? 0
  const isWhole = (video.liveBroadcast ?? 'none') === 'none' && duration > 0 && duration <= limits.videoMaxDurationS
  const isThere = video.privacyStatus !== 'private' && !/^(deleted|failed|rejected)$/.test(video.uploadStatus ?? '')
  if (!isWhole || !isThere || !/^[\w-]{11}$/.test(video.id)) return undefined
  return {
    provider: 'youtube',
    id: video.id,
    url: null,
    title: cleanLine(video.title, limits.titleMaxLength) || 'Untitled video',
    duration,
    ...((video.embeddable === false || video.ageRestricted) && { unavailable: true }),
    ...(video.madeForKids && { made_for_kids: true }),
  }
}
