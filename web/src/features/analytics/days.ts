import type { getTeamHistory } from '@watchline/contracts/engagement'
import type { ResponseOf } from '@watchline/contracts/operation'
import { createTimeFormat } from '../../ui/dates/time-format.ts'

/** The team's figures at the end of a day. */
export type Day = ResponseOf<typeof getTeamHistory>[number]

const utcDate = createTimeFormat({ timeZone: 'UTC', year: 'numeric', month: 'short', day: 'numeric' })
const utcDay = createTimeFormat({ timeZone: 'UTC', month: 'short', day: 'numeric' })

/** Formats a calendar date (`2026-11-20`) in the style of the region. The date has no time zone. */
export function formatDay(date: string): string {
  return utcDate(Date.parse(date))
}

/** A date without its year, for the axis. */
export function formatShortDay(date: string): string {
  return utcDay(Date.parse(date))
}
