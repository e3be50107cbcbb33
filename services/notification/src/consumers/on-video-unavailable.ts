import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { named, nameOf, tell } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'

/** Whoever has the playlist in hand learns that a video of it does not play: its maker, those it is shared with, and the supervisor of who met it. */
export const onVideoUnavailable = defineConsumer(
  'video.unavailable',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, playlist_title, video_id, title, person_id, confirmed, created_by, shared_with } = event.data
    const person = person_id === null ? undefined : await named(ctx, person_id)
    await tell(ctx, tx, [created_by, ...shared_with, person?.supervisorId], {
      kind: 'video_unavailable',
      person: person_id === null ? null : nameOf(person, person_id),
      count: 1,
      playlist: { id: playlist_id, title: playlist_title },
      video: { id: video_id, title },
      positive: confirmed,
    })
  },
)
