import { unassignPlaylist as operation } from '@watchline/contracts/assignments'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endBarredSessions } from '../actions/end-barred-sessions.ts'
import { requireChangeableAssignments } from '../actions/find-assignable.ts'
import type { PlaybackContext } from '../context.ts'
import { assignmentKey } from '../store/assignments.ts'
import { presentPlaylistFor } from './presenters.ts'

/** Progress stays, so that a new assignment continues it. */
export const unassignPlaylist = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { playlist, personIds } = await requireChangeableAssignments(ctx, person, params.id, body.assigned_users)
  const unassigned = await ctx.outbox.transaction(async tx => {
    const now = new Date(ctx.clock.now())
    const at = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
    const unassigned = await ctx.assignments.remove(playlist.id, personIds, tx.session)
    if (unassigned.length > 0)
      tx.publish('playlist.unassigned', playlist.id, {
        playlist_id: playlist.id,
        by: person.id,
        unassigned,
        unassigned_date: at.toISOString(),
      })
    return unassigned
  })

  for (const personId of unassigned) ctx.assignments.cached.evict(assignmentKey(personId, playlist.id))
  await endBarredSessions(ctx, playlist.id, unassigned)
  return {
    success: true as const,
    unassigned: unassigned.length,
    playlist: await presentPlaylistFor(ctx, { person, sid }, playlist),
  }
})
