import type { Task } from '@watchline/contracts/assignments'
import { describeRepetition, type RecurrenceInput } from '@watchline/contracts/recurrence'
import { formatCount, formatDate, formatExactTime } from '../dates/format.ts'
import { useNow } from '../dates/relative-time.tsx'
import { createTimeFormat } from '../dates/time-format.ts'
import styles from './due-date.module.css'

type RecurringTask = Pick<Task, 'recurrence' | 'next_occurrence' | 'completed_at' | 'override'>

/**
 * That a task repeats, and how long its completion is valid: until the next due date. Afterwards it
 * has expired.
 */
export function RecurrenceNote({ task }: { task: RecurringTask }) {
  const now = useNow()
  const { recurrence, next_occurrence: next, completed_at, override } = task
  if (!recurrence) return null
  const isCompleted = completed_at != null && !override
  return (
    <>
      <span>Repeats {describeRepetition(recurrence)}</span>
      {isCompleted && next ? (
        <time dateTime={next.due.at} title={formatExactTime(next.due.at)}>
          {Date.parse(next.due.at) > now ? 'valid until' : 'expired on'} {formatDate(next.due.at)}
        </time>
      ) : null}
    </>
  )
}

/** The same in one line. */
export function RecurrenceLine({ task }: { task: RecurringTask }) {
  return task.recurrence ? (
    <span className={styles.recurrence}>
      <RecurrenceNote task={task} />
    </span>
  ) : null
}

/** The time at which a closed task opens again. */
export function OpensAgain({ task: { completed_at, override, next_occurrence: next } }: { task: RecurringTask }) {
  const isClosed = completed_at != null || override != null
  return isClosed && next ? (
    <time dateTime={next.opens_at} title={formatExactTime(next.opens_at)}>
      opens again on {formatDate(next.opens_at)}
    </time>
  ) : null
}

// A local time stands for itself, so it is formatted as if it were UTC.
const localTime = createTimeFormat({ dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' })

/**
 * The result of a choice in words: "Due 31 January 2027 at 17:00, then every year. Opens again 30
 * days before." `local` is the due date, or empty without a new one.
 */
export function describeRecurrence(local: string, recurrence: RecurrenceInput): string {
  const due = local === '' ? 'Due as before' : `Due ${localTime(Date.parse(`${local}Z`))}`
  const { interval, unit, opens_days_before } = recurrence
  const opening = `Opens again ${formatCount(opens_days_before, 'day')} before.`
  return recurrence.from === 'due_date'
    ? `${due}, then ${describeRepetition(recurrence)}. ${opening}`
    : `${due}. A completion is valid for ${formatCount(interval, unit)}, then the task is due again. ${opening}`
}
