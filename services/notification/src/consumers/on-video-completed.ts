import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

/** Notifies the supervisor of the trainee. */
export const onVideoCompleted = defineConsumer('video.completed', async ({ event, tx }, ctx: NotificationContext) => {
  const { person_id, playlist_id, video_id, playlist_title, video_title } = event.data
  const person = await ctx.people.find(person_id, 0)
  await notifyRecipients(ctx, tx, [person?.supervisorId], {
    kind: 'video_completed',
    person: namePerson(person_id, person),
    count: 1,
    playlist: { id: playlist_id, title: playlist_title ?? '' },
    video: { id: video_id, title: video_title ?? video_id },
  })
})
