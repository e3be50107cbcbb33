import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { filterOpenTasks } from '../actions/filter-open-tasks.ts'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'
import { findNextDigestTime } from '../rules/digest-date.ts'
import { formatDueDate } from '../rules/due-date.ts'
import { defaultReminderSettings } from '../rules/quiet-times.ts'
import type { EscalatedTask } from '../store/mails.ts'

/**
 * Notifies the manager in the product, one activity for each person, and in the mail of the day.
 */
export const onTaskEscalated = defineConsumer('task.escalated', async ({ event, tx }, ctx: NotificationContext) => {
  const { playlist_id, title, people, recipient, due } = event.data
  const tasks = await dropClosed(
    ctx,
    people.map(personId => ({ personId, playlistId: playlist_id, title, dueAt: due.at })),
  )
  for (const { personId } of tasks)
    await notifyRecipients(ctx, tx, [recipient], {
      kind: 'task_escalated',
      person: namePerson(personId, await ctx.people.find(personId, 0)),
      count: 1,
      playlist: { id: playlist_id, title },
      text: formatDueDate(due),
    })
  await queueMail(ctx, tx, recipient, tasks)
})

/**
 * A completion may still be on its way. While an owner is unavailable, the event counts: other
 * notifications must not wait for the owner.
 */
async function dropClosed(ctx: NotificationContext, tasks: readonly EscalatedTask[]) {
  try {
    return await filterOpenTasks(ctx, tasks)
  } catch (error) {
    ctx.log.warn({ err: error }, 'check of escalated tasks failed, notifying the manager of all of them')
    return tasks
  }
}

/**
 * Adds the tasks to the manager's next mail about escalated tasks, in the transaction that also
 * consumes the event. The mail comes at the time of the digests, so that a manager of many people
 * gets one a day. Without a mail server there is none.
 */
async function queueMail(
  ctx: NotificationContext,
  tx: Transaction,
  managerId: string,
  tasks: readonly EscalatedTask[],
): Promise<void> {
  if (!ctx.mail || tasks.length === 0) return
  const [recipientId] = await ctx.mailChoices.filterRecipients([managerId], 'task_escalated', tx.session)
  if (recipientId === undefined) return
  const { digest } = (await ctx.reminderSettings.find('reminders'))?.value ?? defaultReminderSettings
  const now = ctx.clock.now()
  const sendAt = new Date(findNextDigestTime(now, digest.time, ctx.timeZoneConverter))
  await ctx.mails.addEscalated({ recipientId, tasks, sendAt, now: new Date(now) }, tx.session)
}
