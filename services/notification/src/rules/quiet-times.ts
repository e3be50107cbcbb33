import { limits } from '@watchline/contracts/limits'
import type { MailKind } from '@watchline/contracts/mail'
import type { ReminderSettings } from '@watchline/contracts/mail-settings'

/** Converts between instants (ms) and local times (ISO 8601) of one time zone. */
export interface TimeZoneConverter {
  localTimeOf(at: number): string
  instantOf(localTime: string): number
}

export const defaultReminderSettings: ReminderSettings = {
  hours: null,
  quiet_weekdays: [],
  quiet_dates: [],
  digest: { weekdays: [1], time: '08:00' },
}

/** Every change of a time zone, and every setting, is at a quarter of an hour. */
const stepMs = 15 * 60_000
const dayMs = 24 * 3_600_000
/**
 * Upper bound of the search. An allowed date always comes sooner, even if every quiet date falls on
 * an allowed weekday.
 */
const maxDays = 7 * (limits.quietDatesMax + 2)

/** Whether the local time is allowed. */
export function isAllowedTime(localTime: string, settings: ReminderSettings): boolean {
  const { hours } = settings
  const [date = '', time = ''] = localTime.split('T')
  if (isQuietDate(date, settings)) return false
  return hours === null || (hours.from <= time && time < hours.until)
}

function isQuietDate(date: string, { quiet_weekdays, quiet_dates }: ReminderSettings): boolean {
  return quiet_weekdays.includes(weekdayOf(date)) || quiet_dates.includes(date)
}

/** 1 is Monday, 7 is Sunday. */
function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay() || 7
}

/** The first moment, not before `at`, whose local time is allowed. */
export function nextAllowedMoment(at: number, settings: ReminderSettings, converter: TimeZoneConverter): number {
  if (isAllowedTime(converter.localTimeOf(at), settings)) return at
  let moment = Math.floor(at / stepMs) * stepMs + stepMs
  while (moment < at + maxDays * dayMs) {
    const localTime = converter.localTimeOf(moment)
    if (isAllowedTime(localTime, settings)) return moment
    const date = localTime.slice(0, 10)
    // A day without an allowed time is skipped as a whole.
    const nextStart = isQuietDate(date, settings) ? converter.instantOf(`${dayAfter(date)}T00:00`) : 0
    moment = Math.max(nextStart, moment + stepMs)
  }
  return at
}

/** The kinds about due dates that come by themselves; a digest has its own time. */
const timedKinds: readonly MailKind[] = ['task_due_soon', 'task_in_grace', 'task_overdue', 'task_escalated']

export function waitsForAllowedTime(kind: MailKind): boolean {
  return timedKinds.includes(kind)
}

export function dayAfter(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + dayMs).toISOString().slice(0, 10)
}

/**
 * The moment at which a mail is sent: mails about due dates wait for an allowed time. One that
 * would then come too late for the due date is sent at once, because a late reminder is worse than
 * a broken quiet hour.
 */
export function findSendingTime(
  { kind, dueAt }: { kind: MailKind; dueAt: number | undefined },
  at: number,
  settings: ReminderSettings,
  converter: TimeZoneConverter,
): number {
  if (!waitsForAllowedTime(kind)) return at
  const next = nextAllowedMoment(at, settings, converter)
  const isTooLate = kind === 'task_due_soon' && dueAt !== undefined && next > dueAt - limits.lastReminderMs
  return isTooLate ? at : next
}
