import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { MailDeps } from '../context.ts'
import type { ActivityGroup } from '../rules/activity.ts'
import { findDigestTime } from './find-digest-time.ts'

/**
 * Adds the people to the recipient's next mail about this task and cause. A playlist may have
 * thousands of people, and one mail for each would hold up the required reminders.
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
  const sendAt = await findDigestTime(ctx, recipientId)
  await ctx.mails.addUncompletable({ recipientId, group, sendAt }, tx.session)
}
