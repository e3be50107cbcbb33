import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'
import { formatDueDate } from '../rules/due-date.ts'

export const onAssignmentDueChanged = defineConsumer(
  'assignment.due_changed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, title, by, changed, due, keeps_due, reason } = event.data
    // A change of the recurrence alone moves no date that people work towards.
    if (keeps_due) return
    const activity = {
      kind: 'due_date_changed' as const,
      person: namePerson(by, await ctx.people.find(by, 0)),
      count: 1,
      playlist: { id: playlist_id, title },
      ...(due && { text: formatDueDate(due) }),
      ...(reason !== undefined && { reason }),
    }
    await notifyRecipients(ctx, tx, changed, activity, due)
  },
)
