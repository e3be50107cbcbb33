import { unassignPlaylist as operation } from '@watchline/contracts/assignments'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { endUnauthorisedSessions } from '../actions/end-unauthorised-sessions.ts'
import { requestMemberUpdates } from '../actions/request-group-task-update.ts'
import { requireChangeableAssignments } from '../actions/require-assignment-rights.ts'
import type { PlaybackContext } from '../context.ts'
import type { Assignment } from '../rules/assignment.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { presentPlaylistFor } from './presenters.ts'

/** Progress stays, so that a new assignment continues it. */
export const unassignPlaylist = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { playlist, personIds } = await requireChangeableAssignments(ctx, person, params.id, body.assigned_users)
  const { removed: unassigned, kept } = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
    const { removed, kept } = await ctx.assignments.remove(playlist.id, personIds, tx.session)
    await requestGroupTerms(ctx, tx, kept)
    if (removed.length > 0)
      tx.publish('playlist.unassigned', playlist.id, {
        playlist_id: playlist.id,
        by: person.id,
        unassigned: removed,
        unassigned_date: at.toISOString(),
      })
    return { removed, kept }
  })

  for (const personId of [...unassigned, ...kept.map(task => task.personId)])
    ctx.assignments.cached.evict(assignmentKey(personId, playlist.id))
  ctx.assignments.summaries.evict(playlist.id)
  ctx.assignments.assigneeCounts.evict(playlist.id)
  ctx.assignedOrders.clear()
  await endUnauthorisedSessions(ctx, playlist.id, unassigned)
  return {
    success: true as const,
    unassigned: unassigned.length,
    kept_by_group: kept.length,
    playlist: await presentPlaylistFor(ctx, { person, sid }, playlist),
  }
})

/** A task that was by hand and by a group gets the terms of the group. */
async function requestGroupTerms(ctx: PlaybackContext, tx: Transaction, kept: readonly Assignment[]): Promise<void> {
  for (const { personId, origin } of kept.filter(task => task.origin.byHand))
    await requestMemberUpdates(ctx, tx, personId, origin.groupIds)
}
