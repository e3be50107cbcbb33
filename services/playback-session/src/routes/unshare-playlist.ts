import { unsharePlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { changePlaylist } from '../actions/change-playlist.ts'
import { endUnauthorisedSessions } from '../actions/end-unauthorised-sessions.ts'
import { findEditablePlaylist } from '../actions/find-editable-playlist.ts'
import { requireOwnSupervisors } from '../actions/require-own-supervisors.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

/** Also removes supervisors who left the manager: a share would count again if they came back. */
export const unsharePlaylist = defineRoute(operation, async ({ params, body, person, sid }, ctx: PlaybackContext) => {
  const { id, sharedWith } = (await findEditablePlaylist(ctx, person, params.id)) ?? fail('not_found')
  const removedIds = [...new Set(body.supervisor_ids)]
  const notShared = removedIds.filter(supervisorId => !sharedWith.includes(supervisorId))
  await requireOwnSupervisors(ctx, person, notShared)

  const playlist = await changePlaylist(ctx, id, current => {
    const remaining = current.sharedWith.filter(supervisorId => !removedIds.includes(supervisorId))
    return remaining.length === current.sharedWith.length ? undefined : { sharedWith: remaining }
  })
  await endUnauthorisedSessions(ctx, playlist.id, removedIds)
  return presentPlaylistFor(ctx, { person, sid }, playlist)
})
