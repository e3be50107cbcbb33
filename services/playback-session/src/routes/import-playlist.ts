import { importPlaylist as operation } from '@watchline/contracts/playlist-imports'
import { defineRoute } from '@watchline/kit/http/route'
import { readPlayablePlaylist, storeImportedPlaylist } from '../actions/import-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

export const importPlaylist = defineRoute(operation, async ({ body, person, sid }, ctx: PlaybackContext) => {
  const { youtube_playlist_url: url, ...texts } = body
  const reading = await readPlayablePlaylist(ctx, person.id, url, 'youtube_playlist_url')
  const playlist = await storeImportedPlaylist(ctx, person.id, reading, texts)
  return presentPlaylistFor(ctx, { person, sid }, playlist)
})
