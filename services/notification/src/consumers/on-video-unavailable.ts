import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

/** Notifies the playlist's creator, those it is shared with, and the supervisor of the trainee. */
export const onVideoUnavailable = defineConsumer(
  'video.unavailable',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, playlist_title, video_id, title, person_id, confirmed, created_by, shared_with } = event.data
    const person = person_id === null ? undefined : await ctx.people.find(person_id, 0)
    await notifyRecipients(ctx, tx, [created_by, ...shared_with, person?.supervisorId], {
      kind: 'video_unavailable',
      person: person_id === null ? null : namePerson(person_id, person),
      count: 1,
      playlist: { id: playlist_id, title: playlist_title },
      video: { id: video_id, title },
      positive: confirmed,
    })
  },
)
