import { sharePlaylist as operation } from '@watchline/contracts/playlist-imports'
import { managedKey } from '@watchline/identity/people-groups'
import { defineRoute } from '@watchline/kit/http/route'
import { presentFor } from '../actions/find-assignable.ts'
import { ownSupervisors } from '../actions/find-own-supervisors.ts'
import { importPlaylistFor, readPlayable } from '../actions/import-playlist.ts'
import type { PlaybackContext } from '../context.ts'

export const sharePlaylist = defineRoute(operation, async ({ body, person }, ctx: PlaybackContext) => {
  const shareWith = await ownSupervisors(ctx, person, body.supervisor_ids)
  const read = await readPlayable(ctx, body.youtube_playlist_url, 'youtube_playlist_url')
  const playlist = await importPlaylistFor(ctx, person.id, read, { description: body.description, shareWith })
  // Those who were asked of auth just now may be newer than the group in memory.
  ctx.groups.forget(managedKey(person.id))
  const [shown] = await presentFor(ctx, person, [playlist])
  return { success: true as const, playlist: shown! }
})
