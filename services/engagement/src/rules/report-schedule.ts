import type { ReportSchedule } from '@watchline/contracts/saved-reports'

/** Converts between instants (ms) and local times (ISO 8601, to the minute) of time zones. */
export interface TimeZoneConverter {
  localTimeOf(at: number, timeZone: string): string
  instantOf(localTime: string, timeZone: string): number
}

const dayMs = 24 * 3_600_000

/** The first time of the schedule after `after` (ms). */
export function findNextSending(
  schedule: ReportSchedule,
  after: number,
  { localTimeOf, instantOf }: TimeZoneConverter,
): number {
  const today = Date.parse(`${localTimeOf(after, schedule.time_zone).slice(0, 10)}T00:00:00Z`)
  // A clock change that skips midnight moves a time of the day before past `after`.
  for (let date = today - dayMs; ; date += dayMs) {
    if (!isSendingDay(schedule, date)) continue
    const at = instantOf(`${new Date(date).toISOString().slice(0, 10)}T${schedule.time}`, schedule.time_zone)
    if (at > after) return at
  }
}

/**
 * The last time of the schedule up to `now`, of those from `dueAt` on (ms). The report of several
 * times that passed together is that of the last one, so that the period of the next one follows.
 */
export function findLastSending(
  schedule: ReportSchedule,
  { dueAt, now }: { dueAt: number; now: number },
  converter: TimeZoneConverter,
): number {
  let last = dueAt
  for (let next = dueAt; next <= now; next = findNextSending(schedule, next, converter)) last = next
  return last
}

/** `date` is the midnight of the day in UTC. */
function isSendingDay(schedule: ReportSchedule, date: number): boolean {
  const day = new Date(date)
  switch (schedule.every) {
    case 'day':
      return true
    case 'week':
      return (day.getUTCDay() || 7) === schedule.weekday
    case 'month':
      return day.getUTCDate() === schedule.day
  }
}
