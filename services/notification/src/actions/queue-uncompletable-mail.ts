import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { MailDeps } from '../context.ts'
import type { ActivityGroup } from '../rules/activity.ts'

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
  const sendAt = new Date(now + collectionMs)
  const converter = ctx.timeZoneConverterOf(ctx.timeZone)
  // The mail of a day is sent on that day, also if its people come shortly before midnight.
  const [date = ''] = converter.localTimeOf(sendAt.getTime()).split('T')
  const momentOf = (day: string, sameTimeAs: Date) => {
    const [, time] = converter.localTimeOf(sameTimeAs.getTime()).split('T')
    return new Date(converter.instantOf(`${day}T${time}`))
  }
  const addition = { recipientId, group, date, sendAt, momentOf, now: new Date(now) }
  await ctx.mails.addUncompletable(addition, tx.session)
}
