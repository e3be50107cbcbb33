import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { EngagementContext } from '../context.ts'

export const getCompletion = defineInternalRoute(
  contract.getCompletion,
  async ({ params: { personId, playlistId } }, ctx: EngagementContext) => {
    const watcher = (await ctx.watchers.load([personId])).get(personId)!
    const resetAt = watcher.state.resets?.[playlistId]
    return {
      completed: watcher.completedPlaylists.includes(playlistId),
      reset_at: resetAt === undefined ? null : new Date(resetAt).toISOString(),
    }
  },
)
