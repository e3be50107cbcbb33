import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { remindRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

export const onTaskReminded = defineConsumer('task.reminded', async ({ event, tx }, ctx: NotificationContext) => {
  const { playlist_id, title, by, reminded } = event.data
  await remindRecipients(ctx, tx, reminded, {
    kind: 'task_reminded',
    person: namePerson(by, await ctx.people.find(by, 0)),
    count: 1,
    playlist: { id: playlist_id, title },
  })
})
