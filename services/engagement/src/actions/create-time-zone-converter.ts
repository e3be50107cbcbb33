import { instantOf, localTimeOf, replaceUnknownTimeZone } from '@watchline/kit/core/calendar'
import type { EngagementContext } from '../context.ts'
import type { TimeZoneConverter } from '../rules/report-schedule.ts'

/** An unknown time zone of a schedule is replaced by the time zone of the organisation. */
export function createTimeZoneConverter({ calendar }: Pick<EngagementContext, 'calendar'>): TimeZoneConverter {
  const replaceUnknown = (timeZone: string) => replaceUnknownTimeZone(timeZone, calendar.timeZone)
  return {
    localTimeOf: (at, timeZone) => localTimeOf(at, replaceUnknown(timeZone)),
    instantOf: (localTime, timeZone) => instantOf(localTime, replaceUnknown(timeZone)),
  }
}
