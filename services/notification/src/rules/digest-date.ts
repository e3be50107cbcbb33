import { limits } from '@watchline/contracts/limits'
import type { ReminderSettings } from '@watchline/contracts/mail-settings'
import type { TimeZoneConverter } from './quiet-times.ts'

const dayMs = 24 * 3_600_000

export interface DigestSettings {
  digest: ReminderSettings['digest']
  /** The last change of the weekdays or the time, ms; 0 if nobody has changed them. */
  changedAt: number
}

/** The settings of reminders with what only this service needs of them. */
export interface StoredReminderSettings extends ReminderSettings {
  /** The last change of `digest`, ms. Absent if an earlier version has stored the settings. */
  digest_changed_at?: number
}

/** The last change of the digest's weekdays or time, ms; 0 if nobody has changed them. */
export function findDigestChange(
  saved: { value: StoredReminderSettings | undefined; updatedAt: Date } | undefined,
): number {
  return saved ? (saved.value?.digest_changed_at ?? saved.updatedAt.getTime()) : 0
}

/**
 * The date of the digest whose time has come; undefined if none has come within
 * `limits.digestMaxDelayMs`. Times before `changedAt` are ignored. Otherwise a new time that is
 * already over would mail all supervisors at once. Each date has at most one digest, however often
 * its time is changed.
 */
export function findDigestDate(
  now: number,
  { digest, changedAt }: DigestSettings,
  { localTimeOf, instantOf }: TimeZoneConverter,
): string | undefined {
  const { weekdays, time } = digest
  const today = localTimeOf(now).slice(0, 10)
  const yesterday = new Date(Date.parse(`${today}T00:00:00Z`) - dayMs).toISOString().slice(0, 10)
  return [today, yesterday].find(date => {
    const weekday = new Date(`${date}T00:00:00Z`).getUTCDay() || 7
    const dueAt = instantOf(`${date}T${time}`)
    const delay = now - dueAt
    return weekdays.includes(weekday) && dueAt >= changedAt && delay >= 0 && delay < limits.digestMaxDelayMs
  })
}

/** The next moment, after `now`, at the local time of the digests, on any day. */
export function findNextDigestTime(now: number, time: string, { localTimeOf, instantOf }: TimeZoneConverter): number {
  const today = localTimeOf(now).slice(0, 10)
  const tomorrow = new Date(Date.parse(`${today}T00:00:00Z`) + dayMs).toISOString().slice(0, 10)
  const todayAt = instantOf(`${today}T${time}`)
  return todayAt > now ? todayAt : instantOf(`${tomorrow}T${time}`)
}
