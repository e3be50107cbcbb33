import { sharePlaylistWith as operation } from '@watchline/contracts/playlists'
import { managedKey } from '@watchline/identity/teams'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changePlaylist } from '../actions/change-playlist.ts'
import { findEditablePlaylist } from '../actions/find-editable-playlist.ts'
import { requireOwnSupervisors } from '../actions/require-own-supervisors.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

export const sharePlaylistWith = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { id } = (await findEditablePlaylist(ctx, person, params.id)) ?? fail('not_found')
  const supervisorIds = await requireOwnSupervisors(ctx, person, body.supervisor_ids)

  const playlist = await changePlaylist(ctx, id, current => {
    const sharedWith = [...new Set([...current.sharedWith, ...supervisorIds])]
    return sharedWith.length === current.sharedWith.length ? undefined : { sharedWith }
  })
  // The rights check may have read newer people from the auth service than the cached team holds.
  ctx.teams.evict(managedKey(person.id))
  return presentPlaylistFor(ctx, { person, sid }, playlist)
})
