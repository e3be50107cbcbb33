import { type Conditions, conditionsOf } from '@watchline/contracts/conditions'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { instantOf, replaceUnknownTimeZone } from '@watchline/kit/core/calendar'
import * as recurrences from '@watchline/kit/core/recurrence'
import type { Assignment, DueDate, DueTimes } from './assignment.ts'
import type { GroupTerms } from './group-terms.ts'

/**
 * The occurrence that opens after the present one; null if there is none, or if it counts from a
 * completion that is still missing.
 */
export function nextOccurrenceOf({
  due,
  recurrence,
  closedAt,
}: Pick<Assignment, 'due' | 'recurrence' | 'closedAt'>): { opensAt: Date; due: DueDate } | null {
  const next = due && recurrence && recurrences.findNextOccurrence(recurrence, due, closedAt?.getTime() ?? null)
  if (!next) return null
  return {
    opensAt: new Date(next.opensAt),
    due: { ...due, at: new Date(next.dueAt), local: next.local },
  }
}

/**
 * The due date of a person with this time zone. It moves to that zone, at the same local time, if
 * it counts in the time zone of each person.
 */
export function findPersonalDue(due: DueDate, timeZone: string): DueDate {
  return due.zoneOf === 'person' ? { ...due, at: new Date(instantOf(due.local, timeZone)), timeZone } : due
}

/**
 * A due date whose time zone this installation does not know counts in that of the organisation.
 * Its instant stays.
 */
export function replaceUnknownZone(due: DueDate, organisationZone: string): DueDate {
  return { ...due, timeZone: replaceUnknownTimeZone(due.timeZone, organisationZone) }
}

/**
 * The due date that a group gives to somebody with this time zone who gets its task now: of a task
 * that repeats, the first one that is ahead.
 */
export function findDueAhead(
  { due: groupDue, recurrence }: GroupTerms,
  now: Date,
  { personZone, organisationZone }: { personZone: string; organisationZone: string },
): DueDate | null {
  const due = groupDue && findPersonalDue(replaceUnknownZone(groupDue, organisationZone), personZone)
  if (!due || !recurrence) return due
  const { dueAt, local } = recurrences.findDueAhead(recurrence, due, now.getTime())
  return { ...due, at: new Date(dueAt), local }
}

/**
 * The local due date of the occurrence that is open now, of a series that counts from its due date.
 */
export function findPresentLocalDue(due: DueDate, recurrence: Recurrence, now: number): string {
  return recurrences.findOpenedOccurrence(recurrence, due, null, now)?.opened.local ?? due.local
}

/** The end of the grace period of a due date; null without one. */
export function findGraceUntil(due: DueDate | null, conditions: Conditions | null): Date | null {
  const { grace_days } = conditionsOf(conditions)
  return due && grace_days > 0 ? new Date(recurrences.findGraceEnd(due.local, due.timeZone, grace_days)) : null
}

/** Whole days count on the clocks of the due date, so that a clock change moves no reminder. */
export function dueTimesOf(due: DueDate, conditions: Conditions | null): DueTimes {
  const { grace_days } = conditionsOf(conditions)
  const afterDue = (days: number) =>
    days === 0 ? due.at : new Date(recurrences.findGraceEnd(due.local, due.timeZone, days))
  return { afterDue, afterGrace: days => afterDue(grace_days + days) }
}
