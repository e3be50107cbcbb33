import { getPlaylist as operation } from '@watchline/contracts/playlists'
import { defineRoute } from '@watchline/kit/http/route'
import { presentFor } from '../actions/find-assignable.ts'
import { watchable } from '../actions/find-watchable.ts'
import type { PlaybackContext } from '../context.ts'

export const getPlaylist = defineRoute(operation, async ({ params, person }, ctx: PlaybackContext) => {
  const [shown] = await presentFor(ctx, person, [await watchable(ctx, person, params.id)])
  return shown!
})
