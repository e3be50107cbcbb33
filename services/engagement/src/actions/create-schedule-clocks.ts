import { instantOf, knownTimeZone, localTimeOf } from '@watchline/kit/core/calendar'
import type { EngagementContext } from '../context.ts'
import type { LocalClocks } from '../rules/report-schedule.ts'

/** A schedule whose time zone this installation does not know counts in the organisation's. */
export function createScheduleClocks({ calendar }: Pick<EngagementContext, 'calendar'>): LocalClocks {
  const known = (timeZone: string) => knownTimeZone(timeZone, calendar.timeZone)
  return {
    localTimeOf: (at, timeZone) => localTimeOf(at, known(timeZone)),
    instantOf: (localTime, timeZone) => instantOf(localTime, known(timeZone)),
  }
}
