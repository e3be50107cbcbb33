import type { DueDate } from '@watchline/contracts/fields'
import { isMailKind, type MailKind } from '@watchline/contracts/mail'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import type { NotificationContext } from '../context.ts'
import { type Activity, createGroup } from '../rules/activity.ts'

type Deps = Pick<NotificationContext, 'clock' | 'mail' | 'mails' | 'mailChoices' | 'mailSending'>

/** The kinds about a task of the recipient. A mail is only sent while the task is open. */
const taskKinds: readonly MailKind[] = [
  'task_due_soon',
  'task_overdue',
  'task_assigned',
  'task_recurred',
  'task_reminded',
  'due_date_changed',
]

/**
 * Stores a mail for each recipient who gets this kind by mail, in the transaction that also records
 * the cause. So each cause has exactly one mail for a person. Without a mail server there is none.
 */
export async function queueMails(
  { clock, mail, mails, mailChoices, mailSending }: Deps,
  tx: Transaction,
  recipientIds: readonly string[],
  activity: Activity,
  due?: DueDate | null,
): Promise<void> {
  const { kind, playlist } = activity
  if (!mail || !isMailKind(kind) || recipientIds.length === 0) return
  const createdAt = new Date(clock.now())
  const group = createGroup(activity)
  const task =
    playlist && taskKinds.includes(kind) ? { playlistId: playlist.id, ...(due && describeDue(due)) } : undefined
  const recipients = await mailChoices.filterRecipients(recipientIds, kind, tx.session)
  await mails.add(
    recipients.map(recipientId => ({ id: newId(), recipientId, kind, group, task, createdAt })),
    tx.session,
  )
  tx.afterCommit(() => mailSending.wake())
}

function describeDue({ at, local, time_zone }: DueDate) {
  return { dueAt: at, localDue: { local, time_zone } }
}
