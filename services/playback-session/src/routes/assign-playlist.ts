import { assignPlaylist as operation } from '@watchline/contracts/assignments'
import { teamKey } from '@watchline/identity/people-groups'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findAssignable, requireAssignablePeople } from '../actions/find-assignable.ts'
import type { PlaybackContext } from '../context.ts'
import { presentAssigning } from '../rules/playlist-events.ts'
import { assignmentKey } from '../store/assignments.ts'
import { retryOnDuplicateKey } from '../store/retry-on-duplicate-key.ts'
import { presentPlaylistFor } from './presenters.ts'

export const assignPlaylist = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const playlist = (await findAssignable(ctx, person, params.id)) ?? fail('not_found')
  const personIds = await requireAssignablePeople(ctx, person, body.assigned_users)

  const assign = () =>
    ctx.outbox.transaction(async tx => {
      const now = new Date(ctx.clock.now())
      const assignedDate = (await ctx.playlists.nextChangeTime(playlist.id, now, tx.session)) ?? fail('not_found')
      const assignment = { playlistId: playlist.id, assignedBy: person.id, assignedDate }
      const assigned = await ctx.assignments.add(assignment, personIds, tx.session)
      if (assigned.length > 0)
        tx.publish(
          'playlist.assigned',
          playlist.id,
          presentAssigning(playlist, { by: person.id, assigned, assignedDate }),
        )
      return assigned
    })
  const assigned = await retryOnDuplicateKey(assign)

  for (const personId of assigned) ctx.assignments.cached.forget(assignmentKey(personId, playlist.id))
  // The rights check may have read newer people from the auth service than the cached team holds.
  ctx.groups.forget(teamKey(person.id))
  return {
    success: true as const,
    assigned: assigned.length,
    playlist: await presentPlaylistFor(ctx, person, playlist),
  }
})
