import { sharePlaylist as operation } from '@watchline/contracts/playlist-imports'
import { managedKey } from '@watchline/identity/teams'
import { defineRoute } from '@watchline/kit/http/route'
import { readPlayablePlaylist, storeImportedPlaylist } from '../actions/import-playlist.ts'
import { requireOwnSupervisors } from '../actions/require-own-supervisors.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

export const sharePlaylist = defineRoute(operation, async ({ body, person, sid }, ctx: PlaybackContext) => {
  const supervisorIds = await requireOwnSupervisors(ctx, person, body.supervisor_ids)
  const reading = await readPlayablePlaylist(ctx, person.id, body.youtube_playlist_url, 'youtube_playlist_url')
  const playlist = await storeImportedPlaylist(ctx, person.id, reading, {
    description: body.description,
    supervisorIds,
  })
  // The rights check may have read newer people from the auth service than the cached team holds.
  ctx.teams.evict(managedKey(person.id))
  return { success: true as const, playlist: await presentPlaylistFor(ctx, { person, sid }, playlist) }
})
