import type { getTeamHistory } from '@watchline/contracts/engagement'
import type { ResponseOf } from '@watchline/contracts/operation'

/** The team's figures at the end of a day. */
export type Day = ResponseOf<typeof getTeamHistory>[number]

/** Formats a calendar date (`2026-11-20`) in the local style. The date has no time zone. */
export function formatDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  })
}

/** A date without its year, for the axis. */
export function formatShortDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    timeZone: 'UTC',
    month: 'short',
    day: 'numeric',
  })
}
