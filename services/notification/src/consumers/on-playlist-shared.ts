import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { named, nameOf, tell } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'

/** Supervisors are told what their manager has shared with them. */
export const onPlaylistShared = defineConsumer('playlist.shared', async ({ event, tx }, ctx: NotificationContext) => {
  const { playlist_id, title, by, shared_with } = event.data
  await tell(ctx, tx, shared_with, {
    kind: 'playlist_shared',
    person: nameOf(await named(ctx, by), by),
    count: 1,
    playlist: { id: playlist_id, title },
  })
})
