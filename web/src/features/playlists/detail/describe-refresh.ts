import type { Playlist, Video } from '@watchline/contracts/playlists'
import { formatCount } from '../../../ui/format.ts'

/** Describes the changes that a refresh brought. */
export function describeRefresh(before: Playlist, after: Playlist): string {
  const known = new Map(before.videos.map(video => [video.id, video]))
  const told = [
    counted(after.videos.filter(({ id }) => !known.has(id)).length, 'new video', 'new videos'),
    counted(count(after, known, differs), 'title or length changed', 'titles or lengths changed'),
    counted(count(after, known, isLost), 'video can no longer be played', 'videos can no longer be played'),
    counted(count(after, known, isBack), 'video can be played again', 'videos can be played again'),
  ].filter(words => words !== undefined)
  return told.length > 0 ? `${told.join(', ')}.` : 'Nothing has changed.'
}

function count(after: Playlist, known: Map<string, Video>, test: (was: Video, is: Video) => boolean): number {
  return after.videos.filter(video => {
    const was = known.get(video.id)
    return was !== undefined && test(was, video)
  }).length
}

const differs = (was: Video, is: Video) => was.title !== is.title || was.duration !== is.duration
const isLost = (was: Video, is: Video) => !was.unavailable && is.unavailable === true
const isBack = (was: Video, is: Video) => was.unavailable === true && !is.unavailable

function counted(count: number, one: string, many: string): string | undefined {
  return count > 0 ? formatCount(count, one, many) : undefined
}
