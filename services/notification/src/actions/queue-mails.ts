import type { DueDate } from '@watchline/contracts/fields'
import { isMailKind, mailSubjects } from '@watchline/contracts/mail'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import type { NotificationContext } from '../context.ts'
import { type Activity, createGroup } from '../rules/activity.ts'
import type { Notification } from '../store/notifications.ts'

type Deps = Pick<NotificationContext, 'clock' | 'mail' | 'mails' | 'mailChoices' | 'mailSending'>

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
  const { kind, playlist, graceUntil } = activity
  if (!mail || !isMailKind(kind) || recipientIds.length === 0) return
  const createdAt = new Date(clock.now())
  const group = createGroup(activity)
  // A mail about a task is only sent while the task is as the mail says.
  const isAboutTask = playlist && mailSubjects.tasks.includes(kind)
  const task = isAboutTask
    ? { playlistId: playlist.id, ...(due && describeDue(due)), ...(graceUntil && { graceUntil: graceUntil.at }) }
    : undefined
  const recipients = await mailChoices.filterRecipients(recipientIds, kind, tx.session)
  await mails.add(
    recipients.map(recipientId => ({ id: newId(), recipientId, kind, group, task, createdAt })),
    tx.session,
  )
  tx.afterCommit(() => mailSending.wake())
}

/**
 * The same for requests to approve comments: each recipient who gets them by mail has one for each
 * revision of a comment, also of a comment that left them and came back.
 */
export async function queueApprovalMails(
  { clock, mail, mails, mailChoices, mailSending }: Deps,
  tx: Transaction,
  requests: readonly Notification[],
): Promise<void> {
  const recipientIds = [...new Set(requests.flatMap(({ recipientId }) => recipientId ?? []))]
  if (!mail || recipientIds.length === 0) return
  const recipients = new Set(await mailChoices.filterRecipients(recipientIds, 'comment_to_approve', tx.session))
  const createdAt = new Date(clock.now())
  const approvalMails = requests.flatMap(({ recipientId, group, commentId, commentRevision = 1 }) => {
    if (recipientId === null || !recipients.has(recipientId) || commentId === undefined) return []
    const comment = { id: commentId, revision: commentRevision }
    return [{ id: newId(), recipientId, group, comment, createdAt }]
  })
  await mails.addApprovals(approvalMails, tx.session)
  tx.afterCommit(() => mailSending.wake())
}

function describeDue({ at, local, time_zone }: DueDate) {
  return { dueAt: at, localDue: { local, time_zone } }
}
