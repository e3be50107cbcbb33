import { getPlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findWatchable } from '../actions/find-watchable.ts'
import type { PlaybackContext } from '../context.ts'
import { presentPlaylistFor } from './presenters.ts'

export const getPlaylist = defineRoute(operation, async ({ params, person, sid }, ctx: PlaybackContext) => {
  const playlist = (await findWatchable(ctx, person, params.id)) ?? fail('not_found')
  return presentPlaylistFor(ctx, { person, sid }, playlist)
})
