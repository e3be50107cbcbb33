import { overrideTask as operation } from '@watchline/contracts/assignments'
import { defineRoute } from '@watchline/kit/http/route'
import { overrideAssignments } from '../actions/override-assignments.ts'
import { requireChangeableAssignments } from '../actions/require-assignment-rights.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

/** A repeated or late call changes nothing and publishes nothing. */
export const overrideTask = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { change_id: changeId, action, reason } = body
  const { playlist, personIds } = await requireChangeableAssignments(ctx, person, params.id, body.assigned_users)
  const changed = await overrideAssignments(ctx, playlist, personIds, { changeId, action, by: person.id, reason })
  return {
    success: true as const,
    changed: changed.length,
    playlist: await presentPlaylistFor(ctx, { person, sid }, playlist),
  }
})
