import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { MailDeps } from '../context.ts'
import { namePerson } from '../rules/activity.ts'
import { findNextDigestTime } from '../rules/digest-date.ts'
import { formatDueDate, formatMoment } from '../rules/due-date.ts'
import { defaultReminderSettings } from '../rules/quiet-times.ts'
import type { EscalatedTask } from '../store/stored-mail.ts'
import { addActivity } from './notify-recipients.ts'

/**
 * Notifies a manager of escalated tasks: in the product at once, one activity for each, and in the
 * mail of the day. It belongs into the transaction that records why.
 */
export async function notifyManager(
  ctx: MailDeps,
  tx: Transaction,
  managerId: string,
  tasks: readonly EscalatedTask[],
): Promise<void> {
  for (const { personId, playlistId, title, dueAt, localDue } of tasks)
    await addActivity(ctx, tx, [managerId], {
      kind: 'task_escalated',
      person: namePerson(personId, await ctx.people.find(personId, 0)),
      count: 1,
      playlist: { id: playlistId, title },
      text: localDue ? formatDueDate(localDue) : formatMoment(dueAt, ctx.timeZone),
      dueAt,
    })
  await queueMail(ctx, tx, managerId, tasks)
}

/**
 * Adds the tasks to the manager's next mail about escalated tasks. The mail comes at the time of
 * the digests, in the manager's time zone, so that a manager of many people gets one a day. A mail
 * to a manager who gets none is cancelled at that time, after the tasks of people with another
 * manager were redirected. Without a mail server there is none.
 */
async function queueMail(
  ctx: MailDeps,
  tx: Transaction,
  managerId: string,
  tasks: readonly EscalatedTask[],
): Promise<void> {
  if (!ctx.mail || tasks.length === 0) return
  const now = ctx.clock.now()
  const { digest } = (await ctx.reminderSettings.find('reminders'))?.value ?? defaultReminderSettings
  const { timeZone = ctx.timeZone } = await ctx.mailChoices.preferencesOf(managerId)
  const sendAt = new Date(findNextDigestTime(now, digest.time, ctx.timeZoneConverterOf(timeZone)))
  await ctx.mails.addEscalated({ recipientId: managerId, tasks, sendAt, now: new Date(now) }, tx.session)
}
