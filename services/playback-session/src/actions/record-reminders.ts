import type { Transaction } from '@watchline/kit/messaging/outbox'
import { retryOnDuplicateKey } from '@watchline/kit/mongo/retry-on-duplicate-key'
import type { PlaybackContext } from '../context.ts'

/** A person's unfinished task, with the title of its playlist. */
export interface OpenTask {
  personId: string
  playlistId: string
  title: string
}

export interface RecordedReminders {
  /** The people who were not reminded earlier today. */
  remindedIds: ReadonlySet<string>
  /** The times of the last reminders, by person, these ones included. */
  times: ReadonlyMap<string, Date>
}

type Deps = Pick<PlaybackContext, 'calendar' | 'clock' | 'outbox' | 'reminders'>

/** As {@link recordRemindersIn}, in a transaction of its own. */
export function recordReminders(
  ctx: Deps,
  personIds: readonly string[],
  openTasks: readonly OpenTask[],
  by: string,
): Promise<RecordedReminders> {
  return retryOnDuplicateKey(() => ctx.outbox.transaction(tx => recordRemindersIn(ctx, tx, personIds, openTasks, by)))
}

/**
 * Reminds the people with an open task whom nobody reminded today, and publishes it: one event for
 * each playlist. `personIds` are all people whose last reminder the answer shows. If another call
 * reminds the same person, the transaction may fail with a duplicate key.
 */
export async function recordRemindersIn(
  ctx: Deps,
  tx: Transaction,
  personIds: readonly string[],
  openTasks: readonly OpenTask[],
  by: string,
): Promise<RecordedReminders> {
  const now = new Date(ctx.clock.now())
  const today = ctx.calendar.dayOf(now.getTime())
  const times = await ctx.reminders.findTimes(personIds, tx.session)
  const due = openTasks.filter(({ personId }) => (times.get(personId)?.getTime() ?? 0) < today.start)
  await ctx.reminders.replace(
    due.map(({ personId, playlistId }) => ({ personId, playlistId, remindedBy: by, remindedAt: now })),
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
  for (const { personId } of due) times.set(personId, now)
  return { remindedIds: new Set(due.map(({ personId }) => personId)), times }
}
