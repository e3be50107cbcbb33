import type { Transaction } from '@watchline/kit/messaging/outbox'
import { retryOnDuplicateKey } from '@watchline/kit/mongo/retry-on-duplicate-key'
import type { PlaybackContext } from '../context.ts'
import { assignmentKey } from '../store/stored-assignment.ts'

/** A person's unfinished task, with the title of its playlist. */
export interface OpenTask {
  personId: string
  playlistId: string
  title: string
}

export interface RecordedReminders {
  /** The people who were not reminded of their task earlier today. */
  remindedIds: ReadonlySet<string>
  /** The times of the last reminders of these tasks, by person, these ones included. */
  times: ReadonlyMap<string, Date>
}

type Deps = Pick<PlaybackContext, 'calendar' | 'clock' | 'outbox' | 'reminders'>

/** As {@link recordRemindersIn}, in a transaction of its own. */
export function recordReminders(ctx: Deps, openTasks: readonly OpenTask[], by: string): Promise<RecordedReminders> {
  return retryOnDuplicateKey(() => ctx.outbox.transaction(tx => recordRemindersIn(ctx, tx, openTasks, by)))
}

/**
 * Reminds people of their open tasks of which nobody reminded them today, and publishes it: one
 * event for each playlist. Each person has at most one of the tasks. If another call reminds the
 * same person, the transaction may fail with a duplicate key.
 */
export async function recordRemindersIn(
  ctx: Deps,
  tx: Transaction,
  openTasks: readonly OpenTask[],
  by: string,
): Promise<RecordedReminders> {
  const now = new Date(ctx.clock.now())
  const dayStart = new Date(ctx.calendar.dayOf(now.getTime()).start)
  const personIds = openTasks.map(({ personId }) => personId)
  const todaysReminders = await ctx.reminders.findSince(dayStart, personIds, tx.session)
  const timeOf = ({ personId, playlistId }: OpenTask) =>
    todaysReminders.get(assignmentKey(personId, playlistId))?.remindedAt
  const due = openTasks.filter(task => !timeOf(task))
  await ctx.reminders.add(
    due.map(({ personId, playlistId }) => ({ personId, playlistId, remindedBy: by, remindedAt: now })),
    todaysReminders.values(),
    tx.session,
  )
  for (const [playlistId, tasks] of Map.groupBy(due, task => task.playlistId))
    tx.publish('task.reminded', playlistId, {
      playlist_id: playlistId,
      title: tasks[0]!.title,
      by,
      reminded: tasks.map(({ personId }) => personId),
      reminded_at: now.toISOString(),
    })
  return {
    remindedIds: new Set(due.map(({ personId }) => personId)),
    times: new Map(openTasks.map(task => [task.personId, timeOf(task) ?? now])),
  }
}
