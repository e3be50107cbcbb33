import type { VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatDuration, formatPosition } from '../dates/format.ts'

type Note = VideoWatch['notes'][number]

const maxNamedGaps = 6

/** Describes the missing parts: `Missing 2:10 to 3:05 and 4:00 to 4:20`. */
export function describeMissing({ missing, watched, duration }: Pick<VideoWatch, 'missing' | 'watched' | 'duration'>) {
  if (watched.length === 0) return 'Not watched yet'
  if (duration === 0) return 'The length of this video is not known yet'
  if (missing.length === 0) return 'Nothing is missing'
  const gaps = missing.slice(0, maxNamedGaps).map(([from, to]) => `${formatPosition(from)} to ${formatPosition(to)}`)
  const unnamedCount = missing.length - gaps.length
  const parts = unnamedCount > 0 ? [...gaps, formatCount(unnamedCount, 'more part')] : gaps
  return `Missing ${parts.length > 1 ? `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}` : parts[0]}`
}

/** Explains to the viewer why seconds did not count: the rule, without blame. */
export function explainNote({ code, seconds }: Note, { missing }: Pick<VideoWatch, 'missing'>): string {
  const length = formatDuration(Math.round(seconds))
  switch (code) {
    case 'skipped':
      return missing.length === 0
        ? `${length} skipped at first. You have watched it since.`
        : `${length} skipped. It counts once you have watched it.`
    case 'too_fast':
      return `${length} reported faster than it can be watched. Only time that has really passed counts.`
    case 'hidden':
      return `${length} played while the page was hidden. Only visible playback counts.`
    case 'elsewhere':
      return `${length} played while another session was monitored. Only the monitored session counts.`
    case 'unanswered':
      return 'An attention check was not answered in time. Your watched time still counts.'
  }
}
