import type { Playlist, Video } from '@watchline/contracts/playlists'
import { formatCount } from '../../../ui/dates/format.ts'

/** Describes the changes of a refresh. */
export function describeRefresh(previousPlaylist: Playlist, refreshedPlaylist: Playlist): string {
  const previousVideos = new Map(previousPlaylist.videos.map(video => [video.id, video]))
  const changes = [
    countedPhrase(
      refreshedPlaylist.videos.filter(({ id }) => !previousVideos.has(id)).length,
      'new video',
      'new videos',
    ),
    countedPhrase(
      countVideos(refreshedPlaylist, previousVideos, differs),
      'title or length changed',
      'titles or lengths changed',
    ),
    countedPhrase(
      countVideos(refreshedPlaylist, previousVideos, isLost),
      'video can no longer be played',
      'videos can no longer be played',
    ),
    countedPhrase(
      countVideos(refreshedPlaylist, previousVideos, isAvailableAgain),
      'video can be played again',
      'videos can be played again',
    ),
  ].filter(phrase => phrase !== undefined)
  return changes.length > 0 ? `${changes.join(', ')}.` : 'Nothing has changed.'
}

function countVideos(
  refreshedPlaylist: Playlist,
  previousVideos: Map<string, Video>,
  matches: (previous: Video, current: Video) => boolean,
): number {
  return refreshedPlaylist.videos.filter(video => {
    const previous = previousVideos.get(video.id)
    return previous !== undefined && matches(previous, video)
  }).length
}

const differs = (previous: Video, current: Video) =>
  previous.title !== current.title || previous.duration !== current.duration
const isLost = (previous: Video, current: Video) => !previous.unavailable && current.unavailable === true
const isAvailableAgain = (previous: Video, current: Video) => previous.unavailable === true && !current.unavailable

function countedPhrase(count: number, singular: string, plural: string): string | undefined {
  return count > 0 ? formatCount(count, singular, plural) : undefined
}
