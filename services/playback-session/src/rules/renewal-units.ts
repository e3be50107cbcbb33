import type { Playlist } from './playlist.ts'

/**
 * The first of these playlists that a renewal may read with `units` units of quota. One unit reads
 * `pageSize` videos of one playlist, or the titles of `pageSize` playlists.
 */
export function chooseWithinUnits<P extends Pick<Playlist, 'videos'>>(
  playlists: readonly P[],
  units: number,
  pageSize: number,
): P[] {
  let videoUnits = 0
  const end = playlists.findIndex(({ videos }, index) => {
    const youtubeVideos = videos.filter(({ provider }) => provider === 'youtube').length
    videoUnits += Math.ceil(youtubeVideos / pageSize)
    return videoUnits + Math.ceil((index + 1) / pageSize) > units
  })
  return end < 0 ? [...playlists] : playlists.slice(0, end)
}
