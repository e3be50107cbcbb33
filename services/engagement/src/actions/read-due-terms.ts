import type { Conditions } from '@watchline/contracts/conditions'
import type { DueDate } from '@watchline/contracts/fields'
import { findGraceEnd } from '@watchline/kit/core/recurrence'
import type { DueTerms } from '../store/assignments.ts'

/** The terms that an event names, as the projection stores them. */
export function readDueTerms(due: DueDate | null | undefined, conditions: Conditions | null | undefined): DueTerms {
  const graceDays = conditions?.grace_days ?? 0
  return {
    dueAt: due ? new Date(due.at) : null,
    graceUntil: due && graceDays > 0 ? new Date(findGraceEnd(due.local, due.time_zone, graceDays)) : null,
    conditions: conditions ?? null,
  }
}
