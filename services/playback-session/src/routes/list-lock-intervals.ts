import * as contract from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { mayBeMonitored } from '../actions/require-accepted-notice.ts'
import type { PlaybackContext } from '../context.ts'

const maxIntervals = 16

export const listLockIntervals = defineInternalRoute(
  contract.listLockIntervals,
  async ({ params }, ctx: PlaybackContext) => {
    if (!(await mayBeMonitored(ctx, params.personId))) fail('not_found')
    const sessions = await ctx.monitoring.findLatestSessions(params.personId, maxIntervals)
    return sessions.map(({ fence, sid, startedAt, endedAt }) => ({
      fence,
      sid,
      from: startedAt.toISOString(),
      to: endedAt?.toISOString() ?? null,
    }))
  },
)
