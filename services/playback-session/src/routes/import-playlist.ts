import { importPlaylist as operation } from '@watchline/contracts/playlist-imports'
import { defineRoute } from '@watchline/kit/http/route'
import { presentFor } from '../actions/find-assignable.ts'
import { importPlaylistFor, readPlayable } from '../actions/import-playlist.ts'
import type { PlaybackContext } from '../context.ts'

export const importPlaylist = defineRoute(operation, async ({ body, person }, ctx: PlaybackContext) => {
  const { youtube_playlist_url, ...words } = body
  const read = await readPlayable(ctx, youtube_playlist_url, 'youtube_playlist_url')
  const playlist = await importPlaylistFor(ctx, person.id, read, words)
  const [shown] = await presentFor(ctx, person, [playlist])
  return shown!
})
