import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { markTaskRead } from '../actions/mark-task-read.ts'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

/**
 * Notifies the supervisor of the trainee, and the supervisor's manager. An earlier completion that
 * counts for a new assignment is no news.
 */
export const onPlaylistCompleted = defineConsumer(
  'playlist.completed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { person_id, playlist_id, playlist_title, assigned_date } = event.data
    await markTaskRead(ctx, tx, [person_id], playlist_id)
    if (assigned_date !== undefined) return
    const person = await ctx.people.find(person_id, 0)
    const supervisor = person?.supervisorId ? await ctx.people.find(person.supervisorId, 0) : undefined
    await notifyRecipients(ctx, tx, [person?.supervisorId, supervisor?.managerId], {
      kind: 'playlist_completed',
      person: namePerson(person_id, person),
      count: 1,
      playlist: { id: playlist_id, title: playlist_title ?? '' },
    })
  },
)
