import { assignPlaylist as operation } from '@watchline/contracts/assignments'
import { changeConditions } from '@watchline/contracts/conditions'
import { teamKey } from '@watchline/identity/teams'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { addAssignments } from '../actions/add-assignments.ts'
import { checkCreditedSpeed } from '../actions/check-credited-speed.ts'
import { findAssignablePlaylist, requireAssignablePeople } from '../actions/require-assignment-rights.ts'
import { resolveDueDate } from '../actions/resolve-due-date.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

export const assignPlaylist = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const playlist = (await findAssignablePlaylist(ctx, person, params.id)) ?? fail('not_found')
  const personIds = await requireAssignablePeople(ctx, person, body.assigned_users)
  const due = body.due ? await resolveDueDate(ctx, body.due, { personIds }) : null
  checkCreditedSpeed(ctx, body.conditions)
  const recurrence = due && body.recurrence ? { ...body.recurrence, first_due: due.local } : null
  const conditions = changeConditions(null, body.conditions, due !== null)
  const terms = { due, recurrence, conditions }
  const assigned = await addAssignments(ctx, playlist, personIds, { by: person.id, note: body.note, ...terms })
  // The rights check may have read newer people from the auth service than the cached team holds.
  ctx.teams.evict(teamKey(person.id))
  return {
    success: true as const,
    assigned: assigned.length,
    playlist: await presentPlaylistFor(ctx, { person, sid }, playlist),
  }
})
