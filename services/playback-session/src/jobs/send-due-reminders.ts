import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import type { PlaybackContext } from '../context.ts'
import type { Assignment } from '../rules/assignment.ts'
import { presentDue } from '../rules/playlist-events.ts'

type Deps = Pick<PlaybackContext, 'clock' | 'outbox' | 'assignments' | 'playlists' | 'people'>

const pauseMs = 60_000
const batchSize = 500

export function createDueReminders(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'reminders of due dates failed, retrying')
  return createRepeatedJob(() => sendDueReminders(ctx), { pauseMs, jitter: true, onError })
}

/**
 * Publishes `task.due` for open tasks that are due within a day or overdue, and returns for how
 * many. The event and the time of the next reminder are one transaction, so that no reminder is lost
 * or published by two replicas. Consumers drop repeated events.
 */
export async function sendDueReminders(ctx: Deps): Promise<number> {
  let reminded = 0
  for (;;) {
    const now = new Date(ctx.clock.now())
    const keys = await ctx.assignments.findToRemind(now, batchSize)
    if (keys.length > 0) reminded += await remindBatch(ctx, keys, now)
    if (keys.length < batchSize) return reminded
  }
}

function remindBatch(ctx: Deps, keys: readonly string[], now: Date): Promise<number> {
  return ctx.outbox.transaction(async tx => {
    const assignments = await keepActivePeople(ctx, await ctx.assignments.claimDueReminders(keys, now, tx.session))
    const groups = Map.groupBy(assignments, ({ playlistId, due }) => JSON.stringify([playlistId, due]))
    let reminded = 0
    for (const group of groups.values()) {
      const { playlistId, due } = group[0]!
      const playlist = await ctx.playlists.cached.get(playlistId)
      if (!playlist || !due) continue
      tx.publish('task.due', playlistId, {
        ...{ playlist_id: playlistId, title: playlist.title, people: group.map(({ personId }) => personId) },
        ...{ reason: due.at > now ? 'due_soon' : 'overdue', due: presentDue(due) },
      })
      reminded += group.length
    }
    return reminded
  })
}

async function keepActivePeople({ people }: Deps, assignments: readonly Assignment[]): Promise<Assignment[]> {
  const found = await Promise.all(assignments.map(({ personId }) => people.get(personId)))
  return assignments.filter((_, index) => found[index] && !found[index].deactivatedAt)
}
