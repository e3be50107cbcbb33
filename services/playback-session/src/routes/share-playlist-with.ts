import { sharePlaylistWith as operation } from '@watchline/contracts/playlists'
import { managedKey } from '@watchline/identity/people-groups'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changePlaylist } from '../actions/change-playlist.ts'
import { presentFor } from '../actions/find-assignable.ts'
import { ownSupervisors, tellOfSharing } from '../actions/find-own-supervisors.ts'
import type { PlaybackContext } from '../context.ts'
import { mayEdit } from '../rules/rights.ts'

export const sharePlaylistWith = defineRoute(operation, async ({ params, body, person }, ctx: PlaybackContext) => {
  const [known] = await ctx.playlists.byIds([params.id])
  if (!known || !mayEdit(person, known)) fail('not_found')
  const supervisorIds = await ownSupervisors(ctx, person, body.supervisor_ids)

  const share = (now: typeof known) => {
    const sharedWith = [...new Set([...now.sharedWith, ...supervisorIds])]
    return sharedWith.length === now.sharedWith.length ? undefined : { sharedWith }
  }
  const playlist = await changePlaylist(ctx, known.id, share, tellOfSharing)
  // Those who were asked of auth just now may be newer than the group in memory.
  ctx.groups.forget(managedKey(person.id))
  const [shown] = await presentFor(ctx, person, [playlist])
  return shown!
})
