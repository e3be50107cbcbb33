import { deletePlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endBarred } from '../actions/end-barred-sessions.ts'
import type { PlaybackContext } from '../context.ts'
import { mayEdit } from '../rules/rights.ts'
import { assignmentKey } from '../store/assignments.ts'

/** What was watched stays where it is counted; here nothing is left that a list, a task or a player could find. */
export const deletePlaylist = defineRoute(operation, async ({ params, person }, ctx: PlaybackContext) => {
  const playlist = (await ctx.playlists.byIds([params.id]))[0] ?? (await ctx.playlists.deleted(params.id))
  if (!playlist || !mayEdit(person, playlist)) fail('not_found')

  const assignees = await ctx.outbox.transaction(async tx => {
    const at = await ctx.playlists.turn(playlist.id, new Date(ctx.clock.now()), tx.session)
    const deleted = at && (await ctx.playlists.remove(playlist.id, person.id, at, tx.session))
    if (!deleted) return []
    const { videos } = deleted
    await ctx.unavailableReports.forget(
      playlist.id,
      videos.map(video => video.id),
      tx.session,
    )
    const had = await ctx.assignments.removeAll(playlist.id, tx.session)
    tx.publish('playlist.deleted', playlist.id, {
      playlist_id: playlist.id,
      revision: deleted.revision,
      by: person.id,
      deleted_at: at.toISOString(),
      created_by: playlist.createdBy,
      shared_with: playlist.sharedWith,
    })
    return had
  })

  ctx.playlists.cached.forget(playlist.id)
  for (const personId of assignees) ctx.assignments.cached.forget(assignmentKey(personId, playlist.id))
  await endBarred(ctx, playlist.id)
  return { success: true as const }
})
