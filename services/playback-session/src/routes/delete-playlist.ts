import { deletePlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endUnauthorisedSessions } from '../actions/end-unauthorised-sessions.ts'
import type { PlaybackContext } from '../context.ts'
import { mayEdit } from '../rules/rights.ts'

const assignmentsAtOnce = 500

/**
 * Deletes the playlist with its reports; a job removes its assignments, of any number. Progress and
 * watch time stay. Idempotent.
 */
export const deletePlaylist = defineRoute(operation, async ({ params, person }, ctx: PlaybackContext) => {
  const playlist = (await ctx.playlists.byIds([params.id]))[0] ?? (await ctx.playlists.findDeleted(params.id))
  if (!playlist || !mayEdit(person, playlist)) fail('not_found')

  await ctx.outbox.transaction(async tx => {
    const at = await ctx.playlists.nextChangeTime(playlist.id, new Date(ctx.clock.now()), tx.session)
    const deleted = at && (await ctx.playlists.remove(playlist.id, person.id, at, tx.session))
    if (!deleted) return
    tx.afterCommit(ctx.wakeDeletedPlaylistCleanup)
    const videoIds = deleted.videos.map(video => video.id)
    await ctx.unavailableReports.clear(playlist.id, videoIds, tx.session)
    await ctx.groupAssignments.removeOfPlaylist(playlist.id, tx.session)
    tx.publish('playlist.deleted', playlist.id, {
      playlist_id: playlist.id,
      revision: deleted.revision,
      by: person.id,
      deleted_at: at.toISOString(),
      created_by: playlist.createdBy,
      shared_with: playlist.sharedWith,
    })
  })

  ctx.playlists.cached.evict(playlist.id)
  ctx.assignedOrders.clear()
  await endUnauthorisedSessions(ctx, playlist.id)
  // Few assignments are gone with the answer. Until the job has removed more, reads leave them out.
  // It is the last step, because the job repeats it after a failure.
  await ctx.assignments.removeBatch(playlist.id, assignmentsAtOnce)
  return { success: true as const }
})
