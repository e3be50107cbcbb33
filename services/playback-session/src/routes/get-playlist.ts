import { getPlaylist as operation } from '@watchline/contracts/playlists'
import { fail } from '@watchline/kit/core/errors'
import { defineRoute } from '@watchline/kit/http/route'
import { findWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import type { PlaybackContext } from '../context.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { presentPlaylistFor } from './presenters.ts'

export const getPlaylist = defineRoute(operation, async ({ params, person, sid }, ctx: PlaybackContext) => {
  const playlist = (await findWatchablePlaylist(ctx, person, params.id)) ?? fail('not_found')
  const assignment = await ctx.assignments.cached.get(assignmentKey(person.id, playlist.id))
  return {
    ...(await presentPlaylistFor(ctx, { person, sid }, playlist)),
    ...(assignment?.conditions && { conditions: assignment.conditions }),
  }
})
