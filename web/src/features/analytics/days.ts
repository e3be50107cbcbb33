import type { getTeamHistory } from '@watchline/contracts/engagement'
import type { ResponseOf } from '@watchline/contracts/operation'

/** How the team stood at the end of a day. */
export type Day = ResponseOf<typeof getTeamHistory>[number]

/** A calendar day as it is called here; it is a date without a time zone and stays that day everywhere. */
export function formatDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  })
}

/** Without the year, for the axis. */
export function formatShortDay(date: string): string {
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(undefined, {
    timeZone: 'UTC',
    month: 'short',
    day: 'numeric',
  })
}
