import { describeConditions } from '@watchline/contracts/conditions'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'
import { makeDueFacts } from '../rules/due-date.ts'

/** A change of the recurrence alone moves no date that people work towards: nobody is notified. */
export const onAssignmentDueChanged = defineConsumer(
  'assignment.due_changed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, title, by, changed, due, keeps_due, conditions, changes_conditions, reason } = event.data
    const facts = {
      person: by === null ? null : namePerson(by, await ctx.people.find(by, 0)),
      count: 1,
      playlist: { id: playlist_id, title },
      ...(reason !== undefined && { reason }),
    }
    if (!keeps_due) {
      const activity = { kind: 'due_date_changed' as const, ...facts, ...(due && makeDueFacts(due)) }
      await notifyRecipients(ctx, tx, changed, activity, due)
    }
    if (changes_conditions) {
      const text = describeConditions(conditions).join(', ') || 'the usual terms'
      const activity = { kind: 'terms_changed' as const, ...facts, text, ...(conditions && { conditions }) }
      await notifyRecipients(ctx, tx, changed, activity)
    }
  },
)
