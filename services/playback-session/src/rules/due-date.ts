import { type Conditions, conditionsOf } from '@watchline/contracts/conditions'
import type { Recurrence } from '@watchline/contracts/recurrence'
import { instantOf, localTimeOf, replaceUnknownTimeZone } from '@watchline/kit/core/calendar'
import * as recurrences from '@watchline/kit/core/recurrence'
import type { Assignment, DueDate, DueTimes, Terms } from './assignment.ts'
import type { GroupTerms } from './group-terms.ts'

/**
 * The occurrence that opens after the present one; null if there is none, or if it counts from a
 * completion that is still missing.
 */
export function nextOccurrenceOf({
  due,
  recurrence,
  conditions,
  closedAt,
}: Pick<Assignment, 'closedAt' | keyof Terms>): { opensAt: Date; due: DueDate } | null {
  if (!due || !recurrence) return null
  const { grace_days } = conditionsOf(conditions)
  const next = recurrences.findNextOccurrence(recurrence, due, closedAt?.getTime() ?? null, grace_days)
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
 * The due date that a group gives to somebody with this time zone who gets its task now. If it has
 * passed, it is the first one of the series that is ahead. Without a series the person has as many
 * days as the group had at `setAt`, the time at which its due date was set.
 */
export function findDueAhead(
  { due: groupDue, recurrence }: GroupTerms,
  { now, setAt }: { now: Date; setAt: Date },
  { personZone, organisationZone }: { personZone: string; organisationZone: string },
): DueDate | null {
  if (!groupDue) return null
  const knownDue = replaceUnknownZone(groupDue, organisationZone)
  const due = findPersonalDue(knownDue, personZone)
  if (due.at > now) return due
  const { dueAt, local } = isSeries(recurrence)
    ? recurrences.findDueAhead(recurrence, due, now.getTime())
    : recurrences.findDueAfterDays(due, recurrences.countDaysUntil(knownDue, setAt.getTime()), now.getTime())
  return { ...due, at: new Date(dueAt), local }
}

/** Whether all people have the same due dates. From a completion each has dates of their own. */
export function isSeries(recurrence: Recurrence | null | undefined): recurrence is Recurrence {
  return recurrence?.from === 'due_date'
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

/** The end of the grace period, in the time zone of the due date; null without one. */
export function findGraceDue(due: DueDate, conditions: Conditions | null): DueDate | null {
  const at = findGraceUntil(due, conditions)
  return at && { ...due, at, local: localTimeOf(at.getTime(), due.timeZone) }
}

/** Whole days count on the clocks of the due date, so that a clock change moves no reminder. */
export function dueTimesOf(due: DueDate, conditions: Conditions | null): DueTimes {
  const { grace_days } = conditionsOf(conditions)
  const afterDue = (days: number) =>
    days === 0 ? due.at : new Date(recurrences.findGraceEnd(due.local, due.timeZone, days))
  return { afterDue, afterGrace: days => afterDue(grace_days + days) }
}
