import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatPosition } from '../../ui/dates/format.ts'

export function describeCompletedVideos(watch: PlaylistWatch): string {
  const { completed_videos: completed, total_videos: total, required_percent: required } = watch
  const need = required !== undefined && !watch.completed ? `, ${required}% of each video needed` : ''
  return `${completed} of ${formatCount(total, 'video')} completed${need}`
}

const maxNamedVideos = 3
const maxNamedGaps = 3

/** `1 video still has gaps: Exits, 0:02 to 0:15` */
export function describeGaps(videos: readonly VideoWatch[]): string {
  if (videos.length === 0) return 'No video of this playlist can be completed at present.'
  const named = videos.slice(0, maxNamedVideos).map(({ title, missing }) => {
    const gaps = missing.slice(0, maxNamedGaps).map(([from, to]) => `${formatPosition(from)} to ${formatPosition(to)}`)
    if (missing.length > maxNamedGaps) gaps.push(`${missing.length - maxNamedGaps} more`)
    return [title, ...gaps].join(', ')
  })
  if (videos.length > maxNamedVideos) named.push(`and ${formatCount(videos.length - maxNamedVideos, 'more video')}`)
  return `${formatCount(videos.length, 'video')} still ${videos.length === 1 ? 'has' : 'have'} gaps: ${named.join('; ')}.`
}
