import type { VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatPosition } from '../../ui/format.ts'

export type IntegrityNote = VideoWatch['notes'][number]

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

/** Describes an integrity note: the kind, how often it occurred, and the length in question. */
export function describeNote({ code, times, seconds }: IntegrityNote): string {
  const frequency = times === 1 ? 'once' : `${times.toLocaleString()} times`
  const duration = seconds < 59.5 ? `${Math.round(seconds)} s` : `${formatPosition(Math.round(seconds))} min`
  switch (code) {
    case 'skipped':
      return `Skipped ahead ${frequency}: ${duration} not played`
    case 'too_fast':
      return `Reported too fast ${frequency}: ${duration} reported faster than it can be watched`
    case 'hidden':
      return `Hidden ${frequency}: ${duration} played while the page was not visible`
    case 'elsewhere':
      return `Elsewhere ${frequency}: ${duration} reported outside the monitored session`
  }
}
