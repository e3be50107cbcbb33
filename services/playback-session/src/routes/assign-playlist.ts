import { assignPlaylist as operation } from '@watchline/contracts/assignments'
import { teamKey } from '@watchline/identity/people-groups'
import { defineRoute } from '@watchline/kit/http/route'
import { assignable, assignablePeople, assignTo, presentFor } from '../actions/find-assignable.ts'
import type { PlaybackContext } from '../context.ts'

export const assignPlaylist = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const playlist = await assignable(ctx, person, params.id)
  const personIds = await assignablePeople(ctx, person, body.assigned_users)
  const added = await assignTo(ctx, { playlist, by: person.id, personIds })
  // The team that was asked of auth just now may be newer than the one in memory.
  ctx.groups.forget(teamKey(person.id))
  const [shown] = await presentFor(ctx, person, [playlist])
  return { success: true as const, assigned: added.length, playlist: shown! }
})
