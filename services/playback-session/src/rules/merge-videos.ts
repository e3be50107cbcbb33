import type { Video } from '@watchline/contracts/playlists'

/**
 * Merges a new reading of the source into a playlist. Progress refers to video ids and indexes, so
 * no video is removed or moved: a missing video is marked as unavailable. A video that is back
 * loses the mark. Titles and durations follow the source. New videos are appended in the source's
 * order.
 */
export function mergeVideos(current: readonly Video[], source: readonly Video[]): Video[] {
  const sourceById = new Map(source.map(video => [video.id, video]))
  const currentIds = new Set(current.map(video => video.id))
  return [
    ...current.map(video => sourceById.get(video.id) ?? { ...video, unavailable: true }),
    ...source.filter(video => !currentIds.has(video.id)),
  ]
}

/** The title of a video whose details YouTube no longer gives. */
export const removedTitle = 'Removed from YouTube'

/**
 * Renews the details of the YouTube videos among these. A video that is gone keeps its place and
 * length, without its title. A mark that people's reports set stays.
 */
export function renewVideos(current: readonly Video[], found: readonly Video[]): Video[] {
  const foundById = new Map(found.map(video => [video.id, video]))
  return current.map(video => {
    if (video.provider !== 'youtube') return video
    const details = foundById.get(video.id)
    if (!details) return { ...video, title: removedTitle, unavailable: true }
    return video.unavailable && video.title !== removedTitle ? { ...details, unavailable: true } : details
  })
}

/**
 * Removes the details that YouTube gave about the YouTube videos among these. Lengths stay, because
 * what people watched is measured with them; so do the videos and their marks.
 */
export function removeDetails(current: readonly Video[]): Video[] {
  return current.map(({ made_for_kids, ...video }, index) => {
    if (video.provider !== 'youtube') return { ...video, ...(made_for_kids !== undefined && { made_for_kids }) }
    return { ...video, title: video.title === removedTitle ? removedTitle : `YouTube video ${index + 1}` }
  })
}

/** Seconds of all videos that can play. */
export function watchableSeconds(videos: readonly Pick<Video, 'duration' | 'unavailable'>[]): number {
  return videos.reduce((sum, video) => sum + (video.unavailable ? 0 : video.duration), 0)
}
