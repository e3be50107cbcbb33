import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatPosition } from '../../ui/format.ts'

type Note = VideoWatch['notes'][number]

/** Explains to the viewer why seconds did not count: the rule, without blame. */
export function noteInWords({ code, seconds }: Note): string {
  const length = formatPosition(Math.round(seconds))
  switch (code) {
    case 'skipped':
      return `${length} skipped. What is jumped over counts once it is watched.`
    case 'too_fast':
      return `${length} came faster than it can be watched. Only time that really passed counts.`
    case 'hidden':
      return `${length} played while the page was hidden. Only what could be seen counts.`
    case 'elsewhere':
      return `${length} played while another session was the monitored one. Only the monitored session counts.`
  }
}

/** 90 and more only when complete: the figure is never rounded up to it. */
export function wholePercent(rate: number): number {
  return Math.floor(rate)
}

export function overallInWords(watch: PlaylistWatch): string {
  const { completed_videos: done, total_videos: all } = watch
  return `${done} of ${formatCount(all, 'video')} completed`
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
