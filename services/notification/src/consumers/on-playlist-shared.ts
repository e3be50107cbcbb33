import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

/** Notifies the supervisors with whom the manager shared the playlist. */
export const onPlaylistShared = defineConsumer('playlist.shared', async ({ event, tx }, ctx: NotificationContext) => {
  const { playlist_id, title, by, shared_with } = event.data
  await notifyRecipients(ctx, tx, shared_with, {
    kind: 'playlist_shared',
    person: namePerson(by, await ctx.people.find(by, 0)),
    count: 1,
    playlist: { id: playlist_id, title },
  })
})
