import { previewImport as operation } from '@watchline/contracts/playlist-imports'
import { defineRoute } from '@watchline/kit/http/route'
import { readPlayablePlaylist } from '../actions/import-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { watchableSeconds } from '../rules/merge-videos.ts'

export const previewImport = defineRoute(operation, async ({ query, person }, ctx: PlaybackContext) => {
  const { title, description, videos, leftOut } = await readPlayablePlaylist(ctx, person.id, query.url, 'url')
  return { title, description, total_duration: watchableSeconds(videos), videos, left_out: leftOut }
})
