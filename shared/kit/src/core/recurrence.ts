import { minDaysOfUnit, type Recurrence, type RecurrenceUnit } from '@watchline/contracts/recurrence'
import { instantOf, localTimeOf } from './calendar.ts'

/** A due date in local time of a time zone; `local` is ISO 8601, to the minute. */
export interface LocalDue {
  local: string
  timeZone: string
}

/** An occurrence of a recurring task. Instants are in ms. */
export interface Occurrence {
  dueAt: number
  local: string
  opensAt: number
}

const dayMs = 24 * 3600_000

/**
 * The same time of day `count` periods later. A day that the month lacks becomes its last day, so
 * periods must count from the first date: 31 January, 28 February, 31 March.
 */
export function addPeriods(local: string, unit: RecurrenceUnit, count: number): string {
  if (unit === 'week') return addDays(local, 7 * count)
  const [year = 0, month = 1, day = 1] = local.slice(0, 10).split('-').map(Number)
  const months = year * 12 + (month - 1) + count * (unit === 'year' ? 12 : 1)
  const lastDay = new Date(Date.UTC(Math.floor(months / 12), (months % 12) + 1, 0)).getUTCDate()
  const date = new Date(Date.UTC(Math.floor(months / 12), months % 12, Math.min(day, lastDay)))
  return date.toISOString().slice(0, 10) + local.slice(10)
}

/**
 * The instant, in ms, `days` days after a due date, at the same time on the clocks of its zone.
 */
export function findGraceEnd(local: string, timeZone: string, days: number): number {
  return instantOf(addDays(local, days), timeZone)
}

function addDays(local: string, days: number): string {
  return new Date(Date.parse(`${local}Z`) + days * dayMs).toISOString().slice(0, 16)
}

/**
 * The occurrence after the one with this due date. `closedAt` is the time at which that one was
 * closed, or null. Undefined while it is open and the next one counts from its completion. The next
 * one never opens while the present one is open and not overdue. Earlier versions accepted longer
 * grace periods: then the occurrences within it are left out.
 */
export function findNextOccurrence(
  recurrence: Recurrence,
  due: LocalDue,
  closedAt: number | null,
  graceDays = 0,
): Occurrence | undefined {
  let next = findFollowing(recurrence, due, closedAt)
  if (!next) return undefined
  const graceEnd = findGraceEnd(due.local, due.timeZone, graceDays)
  const earliest = closedAt === null ? graceEnd : Math.min(closedAt, graceEnd)
  let later = findFollowing(recurrence, { ...due, local: next.local }, null)
  while (later && (next.dueAt <= earliest || later.opensAt <= earliest)) {
    next = later
    later = findFollowing(recurrence, { ...due, local: later.local }, null)
  }
  return { ...next, opensAt: Math.max(next.opensAt, earliest) }
}

function findFollowing(recurrence: Recurrence, due: LocalDue, closedAt: number | null): Occurrence | undefined {
  const local = findNextDue(recurrence, due, closedAt)
  if (local === undefined) return undefined
  return {
    local,
    dueAt: instantOf(local, due.timeZone),
    opensAt: instantOf(addDays(local, -recurrence.opens_days_before), due.timeZone),
  }
}

function findNextDue(recurrence: Recurrence, due: LocalDue, closedAt: number | null): string | undefined {
  const { interval, unit, from, first_due: first } = recurrence
  if (from === 'completion') {
    if (closedAt === null) return undefined
    return addPeriods(localTimeOf(closedAt, due.timeZone).slice(0, 10) + first.slice(10), unit, interval)
  }
  // A group's new series may begin after a closed occurrence. Dates within half a period of it are
  // other dates for the same occurrence.
  const isNewSeries = first > due.local
  const earliest = isNewSeries ? addDays(due.local, (minDaysOfUnit[unit] * interval) / 2) : due.local
  // Local times of one form are in the order of their texts.
  let count = Math.max(isNewSeries ? 0 : 1, estimatePeriods(first, due.local, unit, interval))
  while (addPeriods(first, unit, count * interval) <= earliest) count += 1
  return addPeriods(first, unit, count * interval)
}

/**
 * Whether the present occurrence can move to another due date of its time zone: not before its date
 * in the series, and only so far that the same occurrence follows.
 */
export function keepsNextOccurrence(
  recurrence: Recurrence,
  present: LocalDue,
  movedLocal: string,
  graceDays: number,
): boolean {
  const findNext = (due: LocalDue) => findNextOccurrence(recurrence, due, null, graceDays)?.local
  return movedLocal >= recurrence.first_due && findNext(present) === findNext({ ...present, local: movedLocal })
}

/**
 * The due date of somebody who gets the task at `now` (ms). It is this one, or the first later date
 * of the series that has not passed.
 */
export function findDueAhead(recurrence: Recurrence, due: LocalDue, now: number): { dueAt: number; local: string } {
  const { interval, unit, first_due: first } = recurrence
  let count = Math.max(0, estimatePeriods(first, localTimeOf(now, due.timeZone), unit, interval))
  let local = due.local
  for (; instantOf(local, due.timeZone) <= now; count += 1) local = addPeriods(first, unit, count * interval)
  return { dueAt: instantOf(local, due.timeZone), local }
}

/**
 * The due date of somebody who gets the task at `now` (ms), after its due date: `days` days after
 * `now`, at the same time of day.
 */
export function findDueAfterDays(due: LocalDue, days: number, now: number): { dueAt: number; local: string } {
  const local = addDays(localTimeOf(now, due.timeZone).slice(0, 10) + due.local.slice(10), days)
  return { dueAt: instantOf(local, due.timeZone), local }
}

/** The days from the date of an instant (ms) to that of a due date, on its clocks; at least one. */
export function countDaysUntil(due: LocalDue, from: number): number {
  const dayOf = (local: string) => Date.parse(local.slice(0, 10)) / dayMs
  return Math.max(1, dayOf(due.local) - dayOf(localTimeOf(from, due.timeZone)))
}

/** A number of periods that end before the later date. It saves the search from the first one. */
function estimatePeriods(from: string, until: string, unit: RecurrenceUnit, interval: number): number {
  const days = (Date.parse(`${until}Z`) - Date.parse(`${from}Z`)) / dayMs
  const maxDays = { week: 7, month: 31, year: 366 }[unit]
  return Math.floor(days / (maxDays * interval)) - 1
}

/**
 * The latest occurrence that has opened by `now` (ms), with the ones before it that passed without
 * opening, oldest first. Undefined if none has. Those that passed within the grace period of the
 * present one are left out, because nobody missed them.
 */
export function findOpenedOccurrence(
  recurrence: Recurrence,
  due: LocalDue,
  closedAt: number | null,
  now: number,
  graceDays = 0,
): { opened: Occurrence; skipped: Occurrence[] } | undefined {
  const passed: Occurrence[] = []
  let next = findNextOccurrence(recurrence, due, closedAt, graceDays)
  while (next && next.opensAt <= now) {
    passed.push(next)
    next = findFollowing(recurrence, { ...due, local: next.local }, null)
  }
  const opened = passed.pop()
  return opened && { opened, skipped: passed }
}
