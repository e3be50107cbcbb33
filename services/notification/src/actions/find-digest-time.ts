import type { MailDeps } from '../context.ts'
import { findNextDigestTime } from '../rules/digest-date.ts'
import { defaultReminderSettings } from '../rules/quiet-times.ts'

/**
 * The next time of the digests in the recipient's time zone. Mails that come at most once a day
 * collect their facts until then.
 */
export async function findDigestTime(ctx: MailDeps, recipientId: string): Promise<Date> {
  const { digest } = (await ctx.reminderSettings.find('reminders'))?.value ?? defaultReminderSettings
  const { timeZone = ctx.timeZone } = await ctx.mailChoices.preferencesOf(recipientId)
  return new Date(findNextDigestTime(ctx.clock.now(), digest.time, ctx.timeZoneConverterOf(timeZone)))
}
