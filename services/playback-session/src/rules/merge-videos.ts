import type { Video } from '@watchline/contracts/playlists'

/**
 * A playlist's videos after its source was read again. What people have watched hangs on the ids, so none of them ever goes and
 * none changes its place: a video that is gone is marked as unavailable, one that is back loses the mark, titles and lengths
 * follow the source, and new videos are added at the end in the source's order.
 */
export function mergeVideos(kept: readonly Video[], read: readonly Video[]): Video[] {
  const found = new Map(read.map(video => [video.id, video]))
  const known = new Set(kept.map(video => video.id))
  return [
    ...kept.map(video => found.get(video.id) ?? { ...video, unavailable: true }),
    ...read.filter(video => !known.has(video.id)),
  ]
}

/** How long it takes to watch: what cannot be played does not count. */
export function watchableSeconds(videos: readonly Pick<Video, 'duration' | 'unavailable'>[]): number {
  return videos.reduce((sum, video) => sum + (video.unavailable ? 0 : video.duration), 0)
}
