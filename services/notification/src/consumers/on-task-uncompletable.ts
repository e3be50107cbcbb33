import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { addActivity } from '../actions/notify-recipients.ts'
import { queueUncompletableMail } from '../actions/queue-uncompletable-mail.ts'
import type { NotificationContext } from '../context.ts'
import { type Activity, createGroup, namePerson } from '../rules/activity.ts'
import { describeCause, mergeUncompletable } from '../rules/uncompletable-cause.ts'

/** One activity for each person, so that the notification names them, but one mail a day. */
export const onTaskUncompletable = defineConsumer(
  'task.uncompletable',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { playlist_id, title, reason, people, recipient } = event.data
    const activities: Activity[] = []
    for (const id of people)
      activities.push({
        kind: 'task_uncompletable',
        person: namePerson(id, await ctx.people.find(id, 0)),
        count: 1,
        playlist: { id: playlist_id, title },
        ...describeCause(reason),
      })
    for (const activity of activities) await addActivity(ctx, tx, [recipient], activity)
    await queueUncompletableMail(ctx, tx, recipient, activities.map(createGroup).reduce(mergeUncompletable))
  },
)
