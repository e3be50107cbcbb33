import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { named, nameOf, tell } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'

/** Whoever has something new to watch is told, unless they gave it to themselves. */
export const onPlaylistAssigned = defineConsumer(
  'playlist.assigned',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, title, by, assigned } = event.data
    const recipients = assigned.filter(id => id !== by)
    await tell(ctx, tx, recipients, {
      kind: 'task_assigned',
      person: nameOf(await named(ctx, by), by),
      count: 1,
      playlist: { id: playlist_id, title },
    })
  },
)
