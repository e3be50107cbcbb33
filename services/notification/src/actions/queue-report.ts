import type { EventData } from '@watchline/contracts/events'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { NotificationContext } from '../context.ts'

type Deps = Pick<NotificationContext, 'clock' | 'mail' | 'mails' | 'mailChoices' | 'mailSending'>

/**
 * Stores a mail for each recipient of a due report who gets this kind, in the transaction that also
 * consumes the event. So each occurrence has one mail for a person. Without a mail server there is none.
 */
export async function queueReport(
  { clock, mail, mails, mailChoices, mailSending }: Deps,
  tx: Transaction,
  { report_id, due_at, recipients }: EventData<'report.due'>,
): Promise<void> {
  if (!mail) return
  const recipientIds = await mailChoices.filterRecipients(recipients, 'saved_report', tx.session)
  const occurrence = { reportId: report_id, dueAt: due_at, createdAt: new Date(clock.now()) }
  await mails.addReports(recipientIds, occurrence, tx.session)
  tx.afterCommit(() => mailSending.wake())
}
