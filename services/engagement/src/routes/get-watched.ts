import { conditionsOf } from '@watchline/contracts/conditions'
import { getWatched as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import { requireWatchable } from '../actions/find-watchable.ts'
import type { EngagementContext } from '../context.ts'
import { summarisePlaylist } from '../rules/overview.ts'
import { presentPlaylistWatch } from './presenters.ts'

export const getWatched = defineRoute(operation, async ({ params, person }, ctx: EngagementContext) => {
  const playlist = await requireWatchable(ctx, person, params.playlistId)
  const { required_percent, max_rate } = conditionsOf(await ctx.projections.findConditions(person.id, playlist.id))
  const watches = (await ctx.watchers.loadWatches([person.id])).get(person.id) ?? {}
  return {
    ...presentPlaylistWatch(summarisePlaylist(playlist, watches, required_percent), required_percent),
    // The player offers nothing faster.
    max_playback_rate: Math.min(ctx.creditingRules.maxPlaybackRate, max_rate ?? Number.POSITIVE_INFINITY),
  }
})
