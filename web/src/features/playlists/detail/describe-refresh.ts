import type { Playlist, Video } from '@watchline/contracts/playlists'
import { formatCount } from '../../../ui/format.ts'

/** Describes the changes that a refresh brought. */
export function describeRefresh(before: Playlist, after: Playlist): string {
  const previousVideos = new Map(before.videos.map(video => [video.id, video]))
  const changes = [
    countedPhrase(after.videos.filter(({ id }) => !previousVideos.has(id)).length, 'new video', 'new videos'),
    countedPhrase(countVideos(after, previousVideos, differs), 'title or length changed', 'titles or lengths changed'),
    countedPhrase(
      countVideos(after, previousVideos, isLost),
      'video can no longer be played',
      'videos can no longer be played',
    ),
    countedPhrase(
      countVideos(after, previousVideos, isBack),
      'video can be played again',
      'videos can be played again',
    ),
  ].filter(words => words !== undefined)
  return changes.length > 0 ? `${changes.join(', ')}.` : 'Nothing has changed.'
}

function countVideos(
  after: Playlist,
  previousVideos: Map<string, Video>,
  test: (previous: Video, present: Video) => boolean,
): number {
  return after.videos.filter(video => {
    const previous = previousVideos.get(video.id)
    return previous !== undefined && test(previous, video)
  }).length
}

const differs = (previous: Video, present: Video) =>
  previous.title !== present.title || previous.duration !== present.duration
const isLost = (previous: Video, present: Video) => !previous.unavailable && present.unavailable === true
const isBack = (previous: Video, present: Video) => previous.unavailable === true && !present.unavailable

function countedPhrase(count: number, one: string, many: string): string | undefined {
  return count > 0 ? formatCount(count, one, many) : undefined
}
