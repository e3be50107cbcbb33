import { fail } from '@watchline/kit/core/errors'
import { retryOnDuplicateKey } from '@watchline/kit/mongo/retry-on-duplicate-key'
import type { PlaybackContext } from '../context.ts'
import type { Terms } from '../rules/assignment.ts'
import type { Playlist } from '../rules/playlist.ts'
import { presentAssigning } from '../rules/playlist-events.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { groupByDue } from './resolve-due-date.ts'

/** Assigns to the people who do not have the playlist, publishes it, and returns their ids. */
export async function addAssignments(
  ctx: PlaybackContext,
  playlist: Playlist,
  personIds: readonly string[],
  { by, note = '', due = null, recurrence = null, conditions = null }: { by: string; note?: string } & Partial<Terms>,
): Promise<string[]> {
  const groups = await groupByDue(ctx, due, personIds)
  const assign = () =>
    ctx.outbox.transaction(async tx => {
      const now = new Date(ctx.clock.now())
      const assignedDate = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
      const allAssigned: string[] = []
      for (const group of groups) {
        const terms = { due: group.due, recurrence, conditions }
        const assignment = { playlistId: playlist.id, assignedBy: by, assignedDate, note, ...terms }
        const assigned = await ctx.assignments.add(assignment, group.personIds, tx.session)
        if (assigned.length > 0)
          tx.publish(
            'playlist.assigned',
            playlist.id,
            presentAssigning(playlist, { by, assigned, assignedDate, note, ...terms }),
          )
        allAssigned.push(...assigned)
      }
      return allAssigned
    })
  const assigned = await retryOnDuplicateKey(assign)
  for (const personId of assigned) ctx.assignments.cached.evict(assignmentKey(personId, playlist.id))
  ctx.assignments.summaries.evict(playlist.id)
  ctx.assignments.assigneeCounts.evict(playlist.id)
  ctx.assignedOrders.clear()
  return assigned
}
