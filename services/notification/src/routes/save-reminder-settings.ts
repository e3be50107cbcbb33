import { isDeepStrictEqual } from 'node:util'
import { saveReminderSettings as operation, type ReminderSettings } from '@watchline/contracts/mail-settings'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { NotificationContext } from '../context.ts'
import { findDigestChange } from '../rules/digest-date.ts'
import { defaultReminderSettings } from '../rules/quiet-times.ts'
import { presentReminderSettings } from './present-reminder-settings.ts'

/** Held reminders look for their next allowed moment again. */
export const saveReminderSettings = defineRoute(operation, async ({ person, body }, ctx: NotificationContext) => {
  const { version, ...settings } = body
  const at = new Date(ctx.clock.now())
  await ctx.outbox.transaction(async tx => {
    const previous = await ctx.reminderSettings.find('reminders', tx.session)
    if ((previous?.version ?? 0) !== version) fail('edited_elsewhere')
    const before = previous?.value ?? defaultReminderSettings
    const isSameDigest = isDeepStrictEqual(before.digest, settings.digest)
    const digest_changed_at = isSameDigest ? findDigestChange(previous) : at.getTime()
    const replacement = { value: { ...settings, digest_changed_at }, version, at, by: person }
    if (!(await ctx.reminderSettings.replace('reminders', replacement, tx.session))) fail('edited_elsewhere')
    await ctx.mails.releaseHeld(at, { session: tx.session })
    tx.publish('mail_settings.changed', 'reminders', {
      setting: 'reminders',
      by: person.id,
      changed_at: at.toISOString(),
      changes: describeChanges(before, settings),
    })
  })
  // The transaction did not see reminders that were held while it ran.
  await ctx.mails.releaseHeld(at)
  ctx.mailSending.wake()
  return presentReminderSettings(ctx, await ctx.reminderSettings.find('reminders'))
})

function describeChanges(previous: ReminderSettings, settings: ReminderSettings) {
  const [before, after] = [describeSettings(previous), describeSettings(settings)]
  const fields = (Object.keys(after) as (keyof typeof after)[]).filter(field => before[field] !== after[field])
  return fields.map(field => ({ field, before: before[field], after: after[field] }))
}

function describeSettings({ hours, quiet_weekdays, quiet_dates, digest }: ReminderSettings) {
  return {
    hours: hours ? `${hours.from}–${hours.until}` : '',
    quiet_weekdays: nameWeekdays(quiet_weekdays),
    quiet_dates: quiet_dates.toSorted().join(', '),
    digest: digest.weekdays.length > 0 ? `${nameWeekdays(digest.weekdays)} at ${digest.time}` : '',
  }
}

const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

function nameWeekdays(weekdays: readonly number[]): string {
  return weekdays
    .toSorted()
    .map(weekday => weekdayNames[weekday - 1])
    .join(', ')
}
