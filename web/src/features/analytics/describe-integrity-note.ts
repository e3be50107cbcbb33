import type { VideoWatch } from '@watchline/contracts/engagement'
import { formatDuration, formatNumber, formatPosition } from '../../ui/dates/format.ts'

type IntegrityNote = VideoWatch['notes'][number]

/** Describes an integrity note: the kind, how often it occurred, and the length in question. */
export function describeIntegrityNote({ code, times, seconds }: IntegrityNote): string {
  const frequency = times === 1 ? 'once' : `${formatNumber(times)} times`
  const duration = seconds < 60 ? formatDuration(seconds) : `${formatPosition(seconds)} min`
  switch (code) {
    case 'skipped':
      return `Skipped ahead ${frequency}: ${duration} not played`
    case 'too_fast':
      return `Reported too fast ${frequency}: ${duration} reported faster than it can be watched`
    case 'hidden':
      return `Hidden ${frequency}: ${duration} played while the page was not visible`
    case 'elsewhere':
      return `Elsewhere ${frequency}: ${duration} reported outside the monitored session`
    case 'unanswered':
      return `Attention check: ${frequency} without an answer in time`
  }
}
