import type { getTeamHistory } from '@watchline/contracts/engagement'
import type { ResponseOf } from '@watchline/contracts/operation'
import { dateLocale } from '../../ui/date-locale.ts'

/** The team's figures at the end of a day. */
export type Day = ResponseOf<typeof getTeamHistory>[number]

/** Formats a calendar date (`2026-11-20`) in the style of the region. The date has no time zone. */
export function formatDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(dateLocale, {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  })
}

/** A date without its year, for the axis. */
export function formatShortDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(dateLocale, {
    timeZone: 'UTC',
    month: 'short',
    day: 'numeric',
  })
}
