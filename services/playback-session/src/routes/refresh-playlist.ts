import { refreshPlaylist as operation } from '@watchline/contracts/playlist-imports'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { presentFor } from '../actions/find-assignable.ts'
import { readAnew } from '../actions/import-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { mayEdit } from '../rules/rights.ts'

export const refreshPlaylist = defineRoute(operation, async ({ params, person }, ctx: PlaybackContext) => {
  const [playlist] = await ctx.playlists.byIds([params.id])
  if (!playlist || !mayEdit(person, playlist)) fail('not_found')
  const [shown] = await presentFor(ctx, person, [await readAnew(ctx, playlist)])
  return shown!
})
