import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { remindRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { makeDueFacts } from '../rules/due-date.ts'

/** Of a task that is due soon, in its grace period or overdue. */
export const onTaskDue = defineConsumer('task.due', async ({ event, tx }, ctx: NotificationContext) => {
  const { playlist_id, title, reason, people, due, grace_until } = event.data
  const about = { person: null, count: 1, playlist: { id: playlist_id, title }, ...makeDueFacts(due) }
  // The event may have waited until the grace period had ended.
  const isInGrace = grace_until !== undefined && Date.parse(grace_until.at) > ctx.clock.now()
  const kind = reason === 'overdue' ? ('task_overdue' as const) : ('task_due_soon' as const)
  const activity = isInGrace
    ? { ...about, kind: 'task_in_grace' as const, graceUntil: grace_until }
    : { ...about, kind }
  await remindRecipients(ctx, tx, people, activity, due)
})
