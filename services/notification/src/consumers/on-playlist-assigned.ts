import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'
import { makeDueFacts } from '../rules/due-date.ts'

/** Notifies the assignees, except one who assigned the playlist to themselves. */
export const onPlaylistAssigned = defineConsumer(
  'playlist.assigned',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, title, by, assigned, note, due } = event.data
    const recipientIds = assigned.filter(id => id !== by)
    const activity = {
      kind: 'task_assigned' as const,
      person: namePerson(by, await ctx.people.find(by, 0)),
      count: 1,
      playlist: { id: playlist_id, title },
      ...(due && makeDueFacts(due)),
      ...(note && { note }),
    }
    await notifyRecipients(ctx, tx, recipientIds, activity, due)
  },
)
