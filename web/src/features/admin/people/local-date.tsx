import { formatDate, formatExactTime } from '../../../ui/dates/format.ts'

/** A day, with the exact local time on hover. */
export function LocalDate({ time }: { time: string }) {
  return (
    <time dateTime={time} title={formatExactTime(time)} className="wl-figures">
      {formatDate(time)}
    </time>
  )
}
