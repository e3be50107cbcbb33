import type { ReminderSettings } from '@watchline/contracts/mail-settings'
import type { Person } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { NotificationContext } from '../context.ts'
import { defaultReminderSettings } from '../rules/quiet-times.ts'

type Deps = Pick<NotificationContext, 'clock' | 'mails' | 'mailSending' | 'outbox' | 'reminderSettings'>

/**
 * Replaces the times of a version; reminders that wait for an allowed moment look for theirs again.
 * Fails with `edited_elsewhere` if there is a newer version.
 */
export async function replaceReminderSettings(
  { clock, mails, mailSending, outbox, reminderSettings }: Deps,
  { settings, version, by }: { settings: ReminderSettings; version: number; by: Person },
): Promise<void> {
  const at = new Date(clock.now())
  await outbox.transaction(async tx => {
    const previous = await reminderSettings.find('reminders', tx.session)
    if ((previous?.version ?? 0) !== version) fail('edited_elsewhere')
    if (!(await reminderSettings.replace('reminders', { value: settings, version, at, by }, tx.session)))
      fail('edited_elsewhere')
    await mails.releaseHeld(at, { session: tx.session })
    const [before, after] = [describeSettings(previous?.value ?? defaultReminderSettings), describeSettings(settings)]
    const fields = (Object.keys(after) as (keyof typeof after)[]).filter(field => before[field] !== after[field])
    tx.publish('mail_settings.changed', 'reminders', {
      setting: 'reminders',
      by: by.id,
      changed_at: at.toISOString(),
      changes: fields.map(field => ({ field, before: before[field], after: after[field] })),
    })
  })
  // The transaction did not see reminders that were held while it ran.
  await mails.releaseHeld(at)
  mailSending.wake()
}

const weekdayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']

function nameWeekdays(weekdays: readonly number[]): string {
  return weekdays
    .toSorted()
    .map(weekday => weekdayNames[weekday - 1])
    .join(', ')
}

function describeSettings({ hours, quiet_weekdays, quiet_dates, digest }: ReminderSettings) {
  return {
    hours: hours ? `${hours.from}–${hours.until}` : '',
    quiet_weekdays: nameWeekdays(quiet_weekdays),
    quiet_dates: quiet_dates.toSorted().join(', '),
    digest: digest.weekdays.length > 0 ? `${nameWeekdays(digest.weekdays)} at ${digest.time}` : '',
  }
}
