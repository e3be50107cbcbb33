import type { VideoWatch } from '@watchline/contracts/engagement'
import { formatCount, formatPosition } from '../../ui/format.ts'

export type IntegrityNote = VideoWatch['notes'][number]

const namedGaps = 6

/** What is still to be watched, in words: `Missing 2:10 to 3:05 and 4:00 to 4:20`. */
export function describeMissing({ missing, watched, duration }: Pick<VideoWatch, 'missing' | 'watched' | 'duration'>) {
  if (watched.length === 0) return 'Not watched yet'
  if (duration === 0) return 'The length of this video is not known yet'
  if (missing.length === 0) return 'Nothing is missing'
  const named = missing.slice(0, namedGaps).map(([from, to]) => `${formatPosition(from)} to ${formatPosition(to)}`)
  const rest = missing.length - named.length
  const all = rest > 0 ? [...named, formatCount(rest, 'more part')] : named
  return `Missing ${all.length > 1 ? `${all.slice(0, -1).join(', ')} and ${all.at(-1)}` : all[0]}`
}

/** One integrity note as a plain sentence: what happened, how often, how much of the video it was. */
export function describeNote({ code, times, seconds }: IntegrityNote): string {
  const often = times === 1 ? 'once' : `${times.toLocaleString()} times`
  const length = `${formatPosition(Math.round(seconds))} min`
  switch (code) {
    case 'skipped':
      return `Skipped ahead ${often}: ${length} not played`
    case 'too_fast':
      return `Reported too fast ${often}: ${length} came quicker than it can be watched`
    case 'hidden':
      return `Hidden ${often}: ${length} played while the page was out of sight`
    case 'elsewhere':
      return `Elsewhere ${often}: ${length} reported without holding the monitored session`
  }
}
