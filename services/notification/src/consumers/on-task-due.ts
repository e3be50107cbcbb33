import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { remindRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { makeDueFacts } from '../rules/due-date.ts'

/** Of a task that is due soon, and of one that is overdue. */
export const onTaskDue = defineConsumer('task.due', async ({ event, tx }, ctx: NotificationContext) => {
  const { playlist_id, title, reason, people, due } = event.data
  const activity = {
    kind: reason === 'overdue' ? ('task_overdue' as const) : ('task_due_soon' as const),
    person: null,
    count: 1,
    playlist: { id: playlist_id, title },
    ...makeDueFacts(due),
  }
  await remindRecipients(ctx, tx, people, activity, due)
})
