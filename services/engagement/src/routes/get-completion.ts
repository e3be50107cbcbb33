import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { EngagementContext } from '../context.ts'

export const getCompletion = defineInternalRoute(
  contract.getCompletion,
  async ({ params: { personId, playlistId } }, ctx: EngagementContext) => {
    const { isCompleted, resetAt } = await ctx.watchers.findCompletion(personId, playlistId)
    return {
      completed: isCompleted,
      reset_at: resetAt === undefined ? null : new Date(resetAt).toISOString(),
    }
  },
)
