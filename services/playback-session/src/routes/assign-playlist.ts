import { assignPlaylist as operation } from '@watchline/contracts/assignments'
import { teamKey } from '@watchline/identity/people-groups'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { addAssignments } from '../actions/add-assignments.ts'
import { findAssignable, requireAssignablePeople } from '../actions/find-assignable.ts'
import { resolveDueDate } from '../actions/resolve-due-date.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

export const assignPlaylist = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const playlist = (await findAssignable(ctx, person, params.id)) ?? fail('not_found')
  const personIds = await requireAssignablePeople(ctx, person, body.assigned_users)
  const assigned = await addAssignments(ctx, playlist, personIds, {
    by: person.id,
    due: body.due ? resolveDueDate(ctx, body.due) : null,
  })
  // The rights check may have read newer people from the auth service than the cached team holds.
  ctx.groups.evict(teamKey(person.id))
  return {
    success: true as const,
    assigned: assigned.length,
    playlist: await presentPlaylistFor(ctx, { person, sid }, playlist),
  }
})
