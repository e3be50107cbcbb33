import { instantOf } from '@watchline/kit/core/calendar'
import { allTime, type RecordPeriod } from '../rules/record/compose-record.ts'

/** A period of whole days, both included. Without a date it has no bound. */
export interface PeriodDates {
  from?: string | undefined
  until?: string | undefined
}

/** Days begin and end in the organisation's time zone. */
export function findPeriod({ from, until }: PeriodDates, timeZone: string): RecordPeriod {
  const nextDay = until && new Date(Date.parse(`${until}T00:00:00Z`) + 24 * 3600_000).toISOString().slice(0, 10)
  return {
    from: from ? instantOf(`${from}T00:00`, timeZone) : allTime.from,
    until: nextDay ? instantOf(`${nextDay}T00:00`, timeZone) : allTime.until,
  }
}
