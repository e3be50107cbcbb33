import type { OverrideAction } from '@watchline/contracts/fields'
import type { NotificationKind } from '@watchline/contracts/notification'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { markTaskRead } from '../actions/mark-task-read.ts'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

const kinds: Record<OverrideAction, NotificationKind> = {
  exempt: 'task_exempted',
  mark_done: 'task_marked_done',
  take_back: 'override_taken_back',
  reset: 'task_reset',
}

export const onAssignmentOverridden = defineConsumer(
  'assignment.overridden',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, title, by, changed, action, reason } = event.data
    if (action === 'exempt' || action === 'mark_done') await markTaskRead(ctx, tx, changed, playlist_id)
    await notifyRecipients(ctx, tx, changed, {
      kind: kinds[action],
      person: namePerson(by, await ctx.people.find(by, 0)),
      count: 1,
      playlist: { id: playlist_id, title },
      text: reason,
    })
  },
)
