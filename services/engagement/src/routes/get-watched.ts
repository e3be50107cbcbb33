import { getWatched as operation } from '@watchline/contracts/engagement'
import { defineRoute } from '@watchline/kit/http/route'
import type { EngagementContext } from '../context.ts'
import { presentPlaylistWatch } from '../presenters.ts'
import { overviewOfPlaylist } from '../rules/overview.ts'
import { watchable } from '../watchable.ts'

export const getWatched = defineRoute(operation, async ({ params, person }, ctx: EngagementContext) => {
  const playlist = await watchable(ctx, person, params.playlistId)
  const watches = (await ctx.watchers.watches([person.id])).get(person.id) ?? {}
  return presentPlaylistWatch(overviewOfPlaylist(playlist, watches))
})
