import { unassignPlaylist as operation } from '@watchline/contracts/assignments'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { applyGroupAssignment } from '../actions/apply-group-assignment.ts'
import { endUnauthorisedSessions } from '../actions/end-unauthorised-sessions.ts'
import { requireChangeableAssignments } from '../actions/require-assignment-rights.ts'
import type { PlaybackContext } from '../context.ts'
import type { Assignment } from '../rules/assignment.ts'
import type { Playlist } from '../rules/playlist.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { presentPlaylistFor } from './presenters.ts'

/** Progress stays, so that a new assignment continues it. */
export const unassignPlaylist = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { playlist, personIds } = await requireChangeableAssignments(ctx, person, params.id, body.assigned_users)
  const { removed: unassigned, kept } = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
    const { removed, kept } = await ctx.assignments.remove(playlist.id, personIds, tx.session)
    const hadOwnTerms = kept.filter(({ origin }) => origin.byHand && origin.ownTerms)
    const lost = await applyGroupTerms(ctx, tx, hadOwnTerms, { playlist, at, by: person.id })
    if (removed.length > 0)
      tx.publish('playlist.unassigned', playlist.id, {
        playlist_id: playlist.id,
        by: person.id,
        unassigned: removed,
        unassigned_date: at.toISOString(),
      })
    return { removed: [...removed, ...lost], kept: kept.filter(({ personId }) => !lost.includes(personId)) }
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

/**
 * Gives these tasks the terms of their groups in the name of the caller. Returns the people who are
 * no longer in a group that has the playlist: they lose the task.
 */
async function applyGroupTerms(
  ctx: PlaybackContext,
  tx: Transaction,
  tasks: readonly Assignment[],
  change: { playlist: Playlist; at: Date; by: string },
): Promise<string[]> {
  const lost = []
  for (const [groupId, ofGroup] of Map.groupBy(tasks, ({ origin }) => origin.groupIds[0]!)) {
    const assignment = await ctx.groupAssignments.find(change.playlist.id, groupId, tx.session)
    if (!assignment) continue
    const personIds = ofGroup.map(({ personId }) => personId)
    const members = await ctx.groups.members(groupId, personIds, tx.session)
    const { removed } = await applyGroupAssignment(ctx, tx, { ...change, assignment, members, people: new Map() })
    lost.push(...removed)
  }
  return lost
}
