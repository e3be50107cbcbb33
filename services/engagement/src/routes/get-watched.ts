import { conditionsOf } from '@watchline/contracts/conditions'
import { getWatched as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import { requireWatchablePlaylist } from '../actions/find-watchable-playlist.ts'
import type { EngagementContext } from '../context.ts'
import { summarisePlaylist } from '../rules/overview.ts'
import { presentOwnWatch } from './presenters.ts'

export const getWatched = defineRoute(operation, async ({ params, person }, ctx: EngagementContext) => {
  const playlist = await requireWatchablePlaylist(ctx, person, params.playlistId)
  const conditions = conditionsOf(await ctx.projections.findConditions(person.id, playlist.id))
  const { required_percent, max_rate, allow_skipping } = conditions
  const watcher = allow_skipping ? undefined : (await ctx.watchers.load([person.id])).get(person.id)!
  const { watches = {}, completedIds = [] } = watcher
    ? { watches: watcher.state.videos, completedIds: watcher.completedPlaylists }
    : ((await ctx.watchers.loadWatching([person.id])).get(person.id) ?? {})
  const overview = summarisePlaylist(playlist, watches, required_percent, completedIds.includes(playlist.id))
  return {
    ...presentOwnWatch(overview, conditions, watcher),
    // The player offers nothing faster.
    max_playback_rate: Math.min(ctx.creditingRules.maxPlaybackRate, max_rate ?? Number.POSITIVE_INFINITY),
  }
})
