import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { NotificationContext } from '../context.ts'

/**
 * Stores a mail for each recipient who gets this kind, in the transaction that also consumes the
 * event. So each occurrence has one mail for a person. Without a mail server there is none.
 */
export const onReportDue = defineConsumer('report.due', async ({ event, tx }, ctx: NotificationContext) => {
  if (!ctx.mail) return
  const { report_id: reportId, due_at: dueAt, day, recipients } = event.data
  const recipientIds = await ctx.mailChoices.filterRecipients(recipients, 'saved_report', tx.session)
  await ctx.mails.addReports(recipientIds, { reportId, dueAt, day, createdAt: new Date(ctx.clock.now()) }, tx.session)
  tx.afterCommit(() => ctx.mailSending.wake())
})
