import type { Task } from '@watchline/contracts/assignments'
import { formatExactTime } from '../dates/format.ts'
import { useNow } from '../dates/relative-time.tsx'
import { createTimeFormat } from '../dates/time-format.ts'
import styles from './due-date.module.css'

type Due = NonNullable<Task['due']>

/**
 * The due date of an open task in the reader's time zone: "Due tomorrow at 17:00", or "Overdue
 * since…", and between the two "In grace until…". On hover and for screen readers also by the
 * clocks of the time zone that applies.
 */
export function DueDate({ due, graceUntil }: { due: Due; graceUntil?: string | undefined }) {
  const now = useNow()
  const isOverdue = Date.parse(graceUntil ?? due.at) <= now
  return (
    <ExactTime due={due} className={isOverdue ? styles.overdue : styles.due}>
      {formatDueDate(due.at, now, graceUntil)}
    </ExactTime>
  )
}

/** A text for a due date, with its exact time on hover and for screen readers. */
function ExactTime({ due, className, children }: { due: Due; className: string | undefined; children: string }) {
  const owner = due.time_zone_of === 'person' ? ', the time zone of the person' : ''
  const exact = `${due.local.replace('T', ' ')}, ${due.time_zone}${owner}`
  return (
    <time dateTime={due.at} title={exact} className={className}>
      {children}
      <span className="wl-hidden"> ({exact})</span>
    </time>
  )
}

/**
 * As {@link DueDate}, for what a group has. A due date in the time zone of each person has no
 * instant, so its local time is shown.
 */
export function GroupDueDate({ due, graceUntil }: { due: Due; graceUntil?: string | undefined }) {
  if (due.time_zone_of !== 'person') return <DueDate due={due} graceUntil={graceUntil} />
  return (
    <span className={styles.due}>Due {localTime(Date.parse(`${due.local}Z`))} in the time zone of each person</span>
  )
}

/** As {@link DueDate}, for a due date whose time zone is unknown here. */
export function DueTime({ due, graceUntil }: { due: string; graceUntil?: string | null | undefined }) {
  const now = useNow()
  const isOverdue = Date.parse(graceUntil ?? due) <= now
  return (
    <time dateTime={due} className={isOverdue ? styles.overdue : styles.due}>
      {formatDueDate(due, now, graceUntil)}
    </time>
  )
}

/** The due date of an earlier time of a task, without a word about how late it is by now. */
export function FormerDueDate({ due }: { due: Due }) {
  return (
    <ExactTime due={due} className={styles.due}>
      {formatExactTime(due.at)}
    </ExactTime>
  )
}

/** In words, as seen at `now` (ms): `Due today at 17:00`, `Overdue since 3 Nov 2026, 17:00`. */
export function formatDueDate(at: string, now: number, graceUntil?: string | null): string {
  const atMs = Date.parse(at)
  if (atMs <= now && graceUntil && Date.parse(graceUntil) > now) return `In grace until ${formatExactTime(graceUntil)}`
  if (atMs <= now) return `Overdue since ${formatExactTime(graceUntil ?? at)}`
  const days = localDay(atMs) - localDay(now)
  if (days === 0) return `Due today at ${timeOfDay(atMs)}`
  if (days === 1) return `Due tomorrow at ${timeOfDay(atMs)}`
  return `Due ${formatExactTime(at)}`
}

// A local time stands for itself, so it is formatted as if it were UTC.
const localTime = createTimeFormat({ dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

const timeOfDay = createTimeFormat({ timeStyle: 'short' })

/** The number of a day in the reader's time zone; days of 23 or 25 hours count as one. */
function localDay(timeMs: number): number {
  const date = new Date(timeMs)
  return Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / 86_400_000
}
