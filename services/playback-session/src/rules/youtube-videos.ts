import { limits } from '@watchline/contracts/limits'
import type { Video } from '@watchline/contracts/playlists'
import { secondsOfIsoDuration } from './iso-duration.ts'
import { cleanLine } from './youtube-text.ts'

/** What YouTube tells of a video, as far as it decides whether and how it is taken over. */
export interface YoutubeVideo {
  id: string
  title: string
  /** ISO 8601; absent or zero for what is live or not yet processed. */
  duration?: string | undefined
  /** `live` and `upcoming` have no length yet. */
  liveBroadcast?: string | undefined
  uploadStatus?: string | undefined
  privacyStatus?: string | undefined
  embeddable?: boolean | undefined
  /** YouTube plays these on its own pages only. */
  ageRestricted: boolean
}

/**
 * The videos of a playlist in its order, each once. Left out is what nobody could watch here in full: private, deleted (YouTube
 * does not tell of those), live, without a length, longer than a day. What may not be embedded is kept, as unavailable.
 */
export function videosOf(
  ids: readonly string[],
  details: ReadonlyMap<string, YoutubeVideo>,
): { videos: Video[]; leftOut: number } {
  const once = [...new Set(ids)]
  const videos = once.flatMap(id => {
    const video = details.get(id)
    const taken = video && takeOver(video)
    return taken ? [taken] : []
  })
  return { videos, leftOut: once.length - videos.length }
}

function takeOver(video: YoutubeVideo): Video | undefined {
  const duration = secondsOfIsoDuration(video.duration ?? '') ?? 0
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
  }
}
