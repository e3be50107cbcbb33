import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'
import { describeCause } from '../rules/uncompletable-cause.ts'

/** One activity for each person, so that the notification names them. */
export const onTaskUncompletable = defineConsumer(
  'task.uncompletable',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, title, reason, people, recipient } = event.data
    for (const id of people)
      await notifyRecipients(ctx, tx, [recipient], {
        kind: 'task_uncompletable',
        person: namePerson(id, await ctx.people.find(id, 0)),
        count: 1,
        playlist: { id: playlist_id, title },
        ...describeCause(reason),
      })
  },
)
