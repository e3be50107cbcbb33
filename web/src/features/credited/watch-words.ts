import type { PlaylistWatch, VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatPosition } from '../../ui/format.ts'

type Note = VideoWatch['notes'][number]

/** Why something did not count, to the one who watched: what the rule is, not who is to blame. */
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

/** 90 and more exactly when complete: never rounded up to it. */
export function wholePercent(rate: number): number {
  return Math.floor(rate)
}

export function overallInWords(watch: PlaylistWatch): string {
  const { completed_videos: done, total_videos: all } = watch
  return `${done} of ${formatCount(all, 'video')} completed`
}

/** The playlist's videos end to end: what is watched of each, where it stands in the whole. */
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
