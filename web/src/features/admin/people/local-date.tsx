import { formatExactTime } from '../../../ui/format.ts'

/** A day, with the exact local time on hover. */
export function LocalDate({ time }: { time: string }) {
  const day = new Date(time).toLocaleDateString(undefined, { year: 'numeric', month: 'short', day: 'numeric' })
  return (
    <time dateTime={time} title={formatExactTime(time)} className="wl-figures">
      {day}
    </time>
  )
}
