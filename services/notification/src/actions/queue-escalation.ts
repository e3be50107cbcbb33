import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { NotificationContext } from '../context.ts'
import { findNextDigestTime } from '../rules/digest-date.ts'
import { defaultReminderSettings } from '../rules/quiet-times.ts'
import type { EscalatedTask } from '../store/mails.ts'

type Deps = Pick<
  NotificationContext,
  'clock' | 'timeZoneConverter' | 'mail' | 'mails' | 'mailChoices' | 'reminderSettings'
>

/**
 * Adds the tasks to the manager's next mail about escalated tasks, in the transaction that also
 * records the cause. The mail comes at the time of the digests, so that a manager of many people gets
 * one a day. Without a mail server there is none.
 */
export async function queueEscalation(
  { clock, timeZoneConverter, mail, mails, mailChoices, reminderSettings }: Deps,
  tx: Transaction,
  managerId: string,
  tasks: readonly EscalatedTask[],
): Promise<void> {
  if (!mail || tasks.length === 0) return
  const [recipientId] = await mailChoices.filterRecipients([managerId], 'task_escalated', tx.session)
  if (recipientId === undefined) return
  const { digest } = (await reminderSettings.find('reminders'))?.value ?? defaultReminderSettings
  const sendAt = new Date(findNextDigestTime(clock.now(), digest.time, timeZoneConverter))
  await mails.addEscalated({ recipientId, tasks, sendAt }, tx.session)
}
