import type { Conditions } from '@watchline/contracts/conditions'
import type { DueDate } from '@watchline/contracts/fields'
import { replaceUnknownTimeZone } from '@watchline/kit/core/calendar'
import { findGraceEnd } from '@watchline/kit/core/recurrence'
import type { EngagementContext } from '../context.ts'
import type { DueTerms } from '../store/assignments.ts'

/**
 * The terms that an event names, as the projection stores them. An old event may name a time zone
 * that this installation does not know any more. Then the grace period counts in the time zone of
 * the organisation.
 */
export function readDueTerms(
  { calendar }: Pick<EngagementContext, 'calendar'>,
  due: DueDate | null | undefined,
  conditions: Conditions | null | undefined,
): DueTerms {
  const graceDays = conditions?.grace_days ?? 0
  return {
    dueAt: due ? new Date(due.at) : null,
    graceUntil: due && graceDays > 0 ? findGraceUntil(due, graceDays, calendar.timeZone) : null,
    conditions: conditions ?? null,
  }
}

function findGraceUntil({ local, time_zone }: DueDate, days: number, organisationZone: string): Date {
  return new Date(findGraceEnd(local, replaceUnknownTimeZone(time_zone, organisationZone), days))
}
