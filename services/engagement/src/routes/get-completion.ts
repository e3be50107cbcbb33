import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { EngagementContext } from '../context.ts'

export const getCompletion = defineInternalRoute(
  contract.getCompletion,
  async ({ params: { personId, playlistId } }, ctx: EngagementContext) => {
    const completed = await ctx.watchers.findCompletedBy(playlistId, [personId])
    return { completed: completed.length > 0 }
  },
)
