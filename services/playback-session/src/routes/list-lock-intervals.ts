import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { PlaybackContext } from '../context.ts'

const maxIntervals = 16

export const listLockIntervals = defineInternalRoute(
  contract.listLockIntervals,
  async ({ params }, ctx: PlaybackContext) => {
    const sessions = await ctx.monitoring.findLatestSessions(params.personId, maxIntervals)
    return sessions.map(({ fence, sid, startedAt, endedAt }) => ({
      fence,
      sid,
      from: startedAt.toISOString(),
      to: endedAt?.toISOString() ?? null,
    }))
  },
)
