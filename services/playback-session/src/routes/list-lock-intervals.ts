import * as contract from '@watchline/contracts/internal-operations'
import { limits } from '@watchline/contracts/limits'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import { mayBeMonitored } from '../actions/require-accepted-notice.ts'
import type { PlaybackContext } from '../context.ts'

const maxIntervals = 16

export const listLockIntervals = defineInternalRoute(
  contract.listLockIntervals,
  async ({ params }, ctx: PlaybackContext) => {
    const sessions = await ctx.monitoring.findLatestSessions(params.personId, maxIntervals)
    const since = ctx.clock.now() - limits.lateReportsMs
    // The person agreed to this session, even if the notice has changed since.
    const hasRecent = sessions.some(({ endedAt }) => endedAt === null || endedAt.getTime() >= since)
    if (!hasRecent && !(await mayBeMonitored(ctx, params.personId))) fail('not_found')
    return sessions.map(({ fence, sid, startedAt, endedAt }) => ({
      fence,
      sid,
      from: startedAt.toISOString(),
      to: endedAt?.toISOString() ?? null,
    }))
  },
)
