import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { dropClosedTasks } from '../actions/filter-open-tasks.ts'
import { notifyManager } from '../actions/notify-manager.ts'
import { findManagers } from '../actions/redirect-escalations.ts'
import type { NotificationContext } from '../context.ts'
import type { EscalatedTask } from '../store/stored-mail.ts'

/**
 * Notifies the managers who are responsible now. The event may be late, so its recipient may not
 * see the people any more.
 */
export const onTaskEscalated = defineConsumer('task.escalated', async ({ event, tx }, ctx: NotificationContext) => {
  const { playlist_id, title, people, recipient, due } = event.data
  const { at, local, time_zone } = due
  const tasks = await dropClosedTasks(
    ctx,
    people.map(personId => {
      return { personId, playlistId: playlist_id, title, dueAt: at, localDue: { local, time_zone } }
    }),
  )
  for (const [managerId, tasksOfManager] of await groupByManager(ctx, tasks, recipient))
    if (managerId !== undefined) await notifyManager(ctx, tx, managerId, tasksOfManager)
})

/** While auth is unavailable, this service's own people decide, and without these the event. */
async function groupByManager(ctx: NotificationContext, tasks: readonly EscalatedTask[], recipient: string) {
  const personIds = tasks.map(({ personId }) => personId)
  try {
    const managers = await findManagers(ctx, personIds).catch(() => findManagers(ctx, personIds, 0))
    return Map.groupBy(tasks, ({ personId }) => managers.get(personId)?.manager?.id)
  } catch (error) {
    ctx.log.warn({ err: error }, 'check of the managers failed, notifying the one of the event')
    return new Map([[recipient, tasks]])
  }
}
