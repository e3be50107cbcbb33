import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { formatDueDate } from '../rules/due-date.ts'

/** Of a task that is due within a day, and of one that is overdue. */
export const onTaskDue = defineConsumer('task.due', async ({ event, tx }, ctx: NotificationContext) => {
  const { playlist_id, title, reason, people, due } = event.data
  await notifyRecipients(ctx, tx, people, {
    kind: reason === 'overdue' ? 'task_overdue' : 'task_due_soon',
    person: null,
    count: 1,
    playlist: { id: playlist_id, title },
    text: formatDueDate(due),
  })
})
