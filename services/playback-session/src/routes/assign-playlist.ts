import { assignPlaylist as operation } from '@watchline/contracts/playback'
import { isDuplicateKey } from '@watchline/kit/errors'
import { defineRoute } from '@watchline/kit/route'
import { assignable, assignablePeople, presentFor } from '../assigning.ts'
import type { PlaybackContext } from '../context.ts'
import { teamKey } from '../people-groups.ts'
import { assignmentKey } from '../store/assignments.ts'

export const assignPlaylist = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const playlist = await assignable(ctx, person, params.id)
  const personIds = await assignablePeople(ctx, person, body.assigned_users)
  const assignedDate = new Date(ctx.clock.now())

  const assign = () =>
    ctx.outbox.transaction(async tx => {
      const assignment = { playlistId: playlist.id, assignedBy: person.id, assignedDate }
      const added = await ctx.assignments.add(assignment, personIds, tx.session)
      if (added.length > 0) {
        tx.publish('playlist.assigned', playlist.id, {
          playlist_id: playlist.id,
          title: playlist.title,
          by: person.id,
          assigned: added,
          assigned_date: assignedDate.toISOString(),
        })
      }
      return added
    })
  const added = await assign().catch(error => {
    // Somebody assigned one of them in the same moment: now they have it.
    if (isDuplicateKey(error)) return assign()
    throw error
  })

  for (const personId of added) ctx.assignments.cached.forget(assignmentKey(personId, playlist.id))
  // The team that was asked of auth just now may be newer than the one in memory.
  ctx.groups.forget(teamKey(person.id))
  const [shown] = await presentFor(ctx, person, [playlist])
  return { success: true as const, assigned: added.length, playlist: shown! }
})
