import { overrideTask as operation } from '@watchline/contracts/assignments'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { requireChangeableAssignments } from '../actions/require-assignment-rights.ts'
import { endResetSessions, resetProgress } from '../actions/reset-progress.ts'
import type { PlaybackContext } from '../context.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { presentPlaylistFor } from './presenters.ts'

/**
 * A repeated or late call changes nothing and publishes nothing. Calls for one playlist wait for
 * each other, so that a change id is applied once.
 */
export const overrideTask = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { change_id: changeId, action, reason } = body
  const { playlist, personIds } = await requireChangeableAssignments(ctx, person, params.id, body.assigned_users)

  const { changed, at } = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
    const applied = await ctx.assignmentChanges.findApplied(changeId, playlist.id, personIds, tx.session)
    const remainingIds = personIds.filter(id => !applied.has(id))
    const details = { action, by: person.id, at, reason }
    const previous = await ctx.assignments.override(playlist.id, remainingIds, details, tx.session)
    const changed = previous.map(({ personId }) => personId)
    if (changed.length === 0) return { changed, at }
    if (action === 'reset') await resetProgress(ctx, tx, playlist.id, changed)
    await ctx.assignmentChanges.addOverrides(
      previous.map(({ personId, override }) => ({
        ...{ changeId, personId, playlistId: playlist.id, at, by: person.id, action, reason },
        before: override && { ...override, at: override.at.toISOString() },
      })),
      tx.session,
    )
    tx.publish('assignment.overridden', playlist.id, {
      ...{ playlist_id: playlist.id, title: playlist.title, by: person.id, changed, action, reason },
      changed_at: at.toISOString(),
    })
    return { changed, at }
  })

  for (const personId of changed) ctx.assignments.cached.evict(assignmentKey(personId, playlist.id))
  if (action === 'reset') await endResetSessions(ctx, playlist.id, changed, at)
  return {
    success: true as const,
    changed: changed.length,
    playlist: await presentPlaylistFor(ctx, { person, sid }, playlist),
  }
})
