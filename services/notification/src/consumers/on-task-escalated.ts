import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { filterOpenTasks } from '../actions/filter-open-tasks.ts'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import { queueEscalation } from '../actions/queue-escalation.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'
import { formatDueDate } from '../rules/due-date.ts'
import type { EscalatedTask } from '../store/mails.ts'

/** Tells the manager in the product, one activity for each person, and in the mail of the day. */
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
  await queueEscalation(ctx, tx, recipient, tasks)
})

/**
 * A completion may still be on its way. While an owner is unavailable, the event counts: other
 * notifications must not wait for the owner.
 */
async function dropClosed(ctx: NotificationContext, tasks: readonly EscalatedTask[]) {
  try {
    return await filterOpenTasks(ctx, tasks)
  } catch (error) {
    ctx.log.warn({ err: error }, 'check of escalated tasks failed, telling the manager of all of them')
    return tasks
  }
}
