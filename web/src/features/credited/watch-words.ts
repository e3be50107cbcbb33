import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatPosition } from '../../ui/format.ts'

type Note = VideoWatch['notes'][number]

/** Explains to the viewer why seconds did not count: the rule, without blame. */
export function noteInWords({ code, seconds }: Note): string {
  const length = formatPosition(Math.round(seconds))
  switch (code) {
    case 'skipped':
      return `${length} skipped. Skipped parts count once you watch them.`
    case 'too_fast':
      return `${length} reported faster than it can be watched. Only time that has really passed counts.`
    case 'hidden':
      return `${length} played while the page was hidden. Only visible playback counts.`
    case 'elsewhere':
      return `${length} played while another session was monitored. Only the monitored session counts.`
  }
}

/** Truncated, not rounded: a figure of 90 means that the video is complete. */
export function wholePercent(rate: number): number {
  return Math.floor(rate)
}

export function overallInWords(watch: PlaylistWatch): string {
  const { completed_videos: completed, total_videos: total } = watch
  return `${completed} of ${formatCount(total, 'video')} completed`
}

/** The ranges of all videos on one axis, end to end. */
export function endToEnd(watch: PlaylistWatch): { length: number; ranges: { from: number; to: number }[] } {
  let length = 0
  const ranges: { from: number; to: number }[] = []
  for (const video of watch.videos) {
    if (video.unavailable) continue
    for (const [from, to] of video.watched) ranges.push({ from: length + from, to: length + to })
    length += video.duration
  }
  return { length, ranges }
}
