import { unassignPlaylist as operation } from '@watchline/contracts/assignments'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { endBarred } from '../actions/end-barred-sessions.ts'
import { assignablePeople, presentFor } from '../actions/find-assignable.ts'
import type { PlaybackContext } from '../context.ts'
import { holdsPlaylist } from '../rules/rights.ts'
import { assignmentKey } from '../store/assignments.ts'

/** What was watched stays: the progress is there again when the playlist is. */
export const unassignPlaylist = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const [playlist] = await ctx.playlists.byIds([params.id])
  if (!playlist) fail('not_found')
  const holds = holdsPlaylist(person, playlist)
  // What was taken back from a supervisor stays assigned in their team, and is theirs to take away.
  if (!holds && !(await ctx.assignments.hasAny(playlist.id, body.assigned_users))) fail('not_found')
  const personIds = await assignablePeople(ctx, person, body.assigned_users, holds ? 'outside_team' : 'not_found')

  const removed = await ctx.outbox.transaction(async tx => {
    const at = (await ctx.playlists.turn(playlist.id, new Date(ctx.clock.now()), tx.session)) ?? fail('not_found')
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

  for (const personId of removed) ctx.assignments.cached.forget(assignmentKey(personId, playlist.id))
  await endBarred(ctx, playlist.id, removed)
  const [shown] = await presentFor(ctx, person, [playlist])
  return { success: true as const, unassigned: removed.length, playlist: shown! }
})
