import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatDuration, formatPosition } from '../../ui/format.ts'

type Note = VideoWatch['notes'][number]

/** Explains to the viewer why seconds did not count: the rule, without blame. */
export function noteInWords({ code, seconds }: Note): string {
  const length = formatSeconds(Math.round(seconds))
  switch (code) {
    case 'skipped':
      return `${length} skipped. It counts once you have watched it.`
    case 'too_fast':
      return `${length} reported faster than it can be watched. Only time that has really passed counts.`
    case 'hidden':
      return `${length} played while the page was hidden. Only visible playback counts.`
    case 'elsewhere':
      return `${length} played while another session was monitored. Only the monitored session counts.`
  }
}

export function overallInWords(watch: PlaylistWatch): string {
  const { completed_videos: completed, total_videos: total } = watch
  return `${completed} of ${formatCount(total, 'video')} completed`
}

/** `17 s`; from a minute on `1m 5s`. */
function formatSeconds(seconds: number): string {
  return seconds < 60 ? `${seconds} s` : formatDuration(seconds)
}

const maxNamedVideos = 3
const maxNamedGaps = 3

/** `1 video still has gaps: Exits, 0:02 to 0:15` */
export function gapsInWords(videos: readonly VideoWatch[]): string {
  if (videos.length === 0) return 'No video of this playlist can be completed at present.'
  const named = videos.slice(0, maxNamedVideos).map(({ title, missing }) => {
    const gaps = missing.slice(0, maxNamedGaps).map(([from, to]) => `${formatPosition(from)} to ${formatPosition(to)}`)
    if (missing.length > maxNamedGaps) gaps.push(`${missing.length - maxNamedGaps} more`)
    return [title, ...gaps].join(', ')
  })
  if (videos.length > maxNamedVideos) named.push(`and ${formatCount(videos.length - maxNamedVideos, 'more video')}`)
  return `${formatCount(videos.length, 'video')} still ${videos.length === 1 ? 'has' : 'have'} gaps: ${named.join('; ')}.`
}
