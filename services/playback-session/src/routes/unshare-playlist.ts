import { unsharePlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changePlaylist } from '../actions/change-playlist.ts'
import { endBarred } from '../actions/end-barred-sessions.ts'
import { presentFor } from '../actions/find-assignable.ts'
import { ownSupervisors } from '../actions/find-own-supervisors.ts'
import type { PlaybackContext } from '../context.ts'
import { mayEdit } from '../rules/rights.ts'

/** Also from those who have left the manager: were they to come back, they would have it again. */
export const unsharePlaylist = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const [known] = await ctx.playlists.byIds([params.id])
  if (!known || !mayEdit(person, known)) fail('not_found')
  const named = new Set(body.supervisor_ids)
  await ownSupervisors(
    ctx,
    person,
    [...named].filter(id => !known.sharedWith.includes(id)),
  )

  const playlist = await changePlaylist(ctx, known.id, now => {
    const sharedWith = now.sharedWith.filter(id => !named.has(id))
    return sharedWith.length === now.sharedWith.length ? undefined : { sharedWith }
  })
  await endBarred(ctx, playlist.id, [...named])
  const [shown] = await presentFor(ctx, person, [playlist])
  return shown!
})
