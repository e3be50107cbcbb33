import { setDueDate as operation } from '@watchline/contracts/assignments'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { requireChangeableAssignments } from '../actions/find-assignable.ts'
import { resolveDueDate } from '../actions/resolve-due-date.ts'
import type { PlaybackContext } from '../context.ts'
import { presentDue } from '../rules/playlist-events.ts'
import { assignmentKey } from '../store/assignments.ts'
import { presentPlaylistFor } from './presenters.ts'

/** A repeated call changes nothing and publishes nothing. */
export const setDueDate = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const due = body.due && resolveDueDate(ctx, body.due)
  const { playlist, personIds } = await requireChangeableAssignments(ctx, person, params.id, body.assigned_users)
  const changed = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
    const previous = await ctx.assignments.setDue(playlist.id, personIds, { due, at }, tx.session)
    await ctx.assignmentChanges.add(
      [...previous].map(([personId, before]) => ({
        ...{ personId, playlistId: playlist.id, at, by: person.id },
        ...{ before: before && presentDue(before), after: due && presentDue(due) },
      })),
      tx.session,
    )
    const changed = [...previous.keys()]
    if (changed.length > 0)
      tx.publish('assignment.due_changed', playlist.id, {
        ...{ playlist_id: playlist.id, title: playlist.title, by: person.id, changed },
        ...{ due: due && presentDue(due), changed_at: at.toISOString() },
      })
    return changed
  })
  for (const personId of changed) ctx.assignments.cached.evict(assignmentKey(personId, playlist.id))
  return {
    success: true as const,
    changed: changed.length,
    playlist: await presentPlaylistFor(ctx, { person, sid }, playlist),
  }
})
