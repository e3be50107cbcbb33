import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { MailDeps } from '../context.ts'
import type { ActivityGroup } from '../rules/activity.ts'
import { dayAfter } from '../rules/quiet-times.ts'

/**
 * How long a mail collects people: the nightly check publishes its tasks in many events, and takes
 * minutes.
 */
const collectionMs = 15 * 60_000

/**
 * Adds the people to the recipient's mail of the day about this task and cause. It is sent soon
 * after the first of them, so that it says the same as the bell at about the same time. A playlist
 * may have thousands of people, and one mail for each would hold up the required reminders.
 */
export async function queueUncompletableMail(
  ctx: MailDeps,
  tx: Transaction,
  recipientId: string,
  group: ActivityGroup,
): Promise<void> {
  if (!ctx.mail) return
  const [chosen] = await ctx.mailChoices.filterRecipients([recipientId], 'task_uncompletable', tx.session)
  if (!chosen) return
  const now = ctx.clock.now()
  // The check follows the organisation's time zone and never runs near midnight, so one check has
  // one date.
  const date = ctx.timeZoneConverterOf(ctx.timeZone).localTimeOf(now).slice(0, 10)
  const sendAt = new Date(now + collectionMs)
  await ctx.mails.addUncompletable({ recipientId, group, date, nextDate: dayAfter(date), sendAt }, tx.session)
}
