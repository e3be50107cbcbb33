import { unassignPlaylist as operation } from '@watchline/contracts/playback'
import { defineRoute } from '@watchline/kit/route'
import { assignable, assignablePeople, presentFor } from '../assigning.ts'
import type { PlaybackContext } from '../context.ts'
import { assignmentKey } from '../store/assignments.ts'

/** What was watched stays: the progress is there again when the playlist is. */
export const unassignPlaylist = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const playlist = await assignable(ctx, person, params.id)
  const personIds = await assignablePeople(ctx, person, body.assigned_users)

  const removed = await ctx.outbox.transaction(async tx => {
    const unassigned = await ctx.assignments.remove(playlist.id, personIds, tx.session)
    if (unassigned.length > 0)
      tx.publish('playlist.unassigned', playlist.id, { playlist_id: playlist.id, by: person.id, unassigned })
    return unassigned
  })

  for (const personId of removed) ctx.assignments.cached.forget(assignmentKey(personId, playlist.id))
  const [shown] = await presentFor(ctx, person, [playlist])
  return { success: true as const, unassigned: removed.length, playlist: shown! }
})
