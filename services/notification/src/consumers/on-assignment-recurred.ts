import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { makeDueFacts } from '../rules/due-date.ts'

export const onAssignmentRecurred = defineConsumer(
  'assignment.recurred',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, title, people, due } = event.data
    const activity = {
      ...{ kind: 'task_recurred' as const, person: null, count: 1 },
      ...{ playlist: { id: playlist_id, title }, ...makeDueFacts(due) },
    }
    await notifyRecipients(ctx, tx, people, activity, due)
  },
)
