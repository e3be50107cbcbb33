import { type Conditions, conditionsOf } from '@watchline/contracts/conditions'
import { findGraceEnd, findNextOccurrence } from '@watchline/kit/core/recurrence'
import type { Assignment, DueDate } from '../rules/assignment.ts'

/**
 * The occurrence that opens after the present one; null if there is none, or if it counts from a
 * completion that is still missing.
 */
export function nextOccurrenceOf({
  due,
  recurrence,
  closedAt,
}: Pick<Assignment, 'due' | 'recurrence' | 'closedAt'>): { opensAt: Date; due: DueDate } | null {
  const next = due && recurrence && findNextOccurrence(recurrence, due, closedAt?.getTime() ?? null)
  if (!next) return null
  return {
    opensAt: new Date(next.opensAt),
    due: { at: new Date(next.dueAt), local: next.local, timeZone: due.timeZone },
  }
}

/** The end of the grace period of a due date; null without one. */
export function findGraceUntil(due: DueDate | null, conditions: Conditions | null): Date | null {
  const { grace_days } = conditionsOf(conditions)
  return due && grace_days > 0 ? new Date(findGraceEnd(due.local, due.timeZone, grace_days)) : null
}
