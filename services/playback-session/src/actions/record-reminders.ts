import type { PlaybackContext } from '../context.ts'
import { retryOnDuplicateKey } from '../store/retry-on-duplicate-key.ts'

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

/**
 * Reminds the people with an open task whom nobody reminded today, and publishes it: one event for
 * each playlist. `personIds` are all people whose last reminder the answer shows.
 */
export function recordReminders(
  ctx: Pick<PlaybackContext, 'calendar' | 'clock' | 'outbox' | 'reminders'>,
  personIds: readonly string[],
  openTasks: readonly OpenTask[],
  by: string,
): Promise<RecordedReminders> {
  const remind = () =>
    ctx.outbox.transaction(async tx => {
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
    })
  return retryOnDuplicateKey(remind)
}
