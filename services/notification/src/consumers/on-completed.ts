import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { named, nameOf, tell } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'

/** Their supervisor learns what somebody has completed. */
export const onVideoCompleted = defineConsumer('video.completed', async ({ event, tx }, ctx: NotificationContext) => {
  const { person_id, playlist_id, video_id, playlist_title, video_title } = event.data
  const person = await named(ctx, person_id)
  await tell(ctx, tx, [person?.supervisorId], {
    kind: 'video_completed',
    person: nameOf(person, person_id),
    count: 1,
    playlist: { id: playlist_id, title: playlist_title ?? '' },
    video: { id: video_id, title: video_title ?? video_id },
  })
})

export const onPlaylistCompleted = defineConsumer(
  'playlist.completed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { person_id, playlist_id, playlist_title } = event.data
    const person = await named(ctx, person_id)
    await tell(ctx, tx, [person?.supervisorId], {
      kind: 'playlist_completed',
      person: nameOf(person, person_id),
      count: 1,
      playlist: { id: playlist_id, title: playlist_title ?? '' },
    })
  },
)
