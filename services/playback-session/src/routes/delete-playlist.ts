import { deletePlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endBarredSessions } from '../actions/end-barred-sessions.ts'
import type { PlaybackContext } from '../context.ts'
import { mayEdit } from '../rules/rights.ts'
import { assignmentKey } from '../store/assignments.ts'

/**
 * Deletes the playlist with its assignments and reports. Progress and watch time stay. Idempotent.
 */
export const deletePlaylist = defineRoute(operation, async ({ params, person }, ctx: PlaybackContext) => {
  const playlist = (await ctx.playlists.byIds([params.id]))[0] ?? (await ctx.playlists.findDeleted(params.id))
  if (!playlist || !mayEdit(person, playlist)) fail('not_found')

  const assigneeIds = await ctx.outbox.transaction(async tx => {
    const at = await ctx.playlists.nextChangeTime(playlist.id, new Date(ctx.clock.now()), tx.session)
    const deleted = at && (await ctx.playlists.remove(playlist.id, person.id, at, tx.session))
    if (!deleted) return []
    const videoIds = deleted.videos.map(video => video.id)
    await ctx.unavailableReports.clear(playlist.id, videoIds, tx.session)
    const assigneeIds = await ctx.assignments.removeAll(playlist.id, tx.session)
    await ctx.groupAssignments.removeOfPlaylist(playlist.id, tx.session)
    tx.publish('playlist.deleted', playlist.id, {
      playlist_id: playlist.id,
      revision: deleted.revision,
      by: person.id,
      deleted_at: at.toISOString(),
      created_by: playlist.createdBy,
      shared_with: playlist.sharedWith,
    })
    return assigneeIds
  })

  ctx.playlists.cached.evict(playlist.id)
  for (const personId of assigneeIds) ctx.assignments.cached.evict(assignmentKey(personId, playlist.id))
  await endBarredSessions(ctx, playlist.id)
  return { success: true as const }
})
