import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { EngagementContext } from '../context.ts'

export const listWatchRecords = defineInternalRoute(
  contract.listWatchRecords,
  async ({ params: { personId } }, ctx: EngagementContext) => {
    const [watches, comments] = await Promise.all([
      ctx.watchers.loadWatches([personId]),
      ctx.comments.countBy(personId),
    ])
    const records: contract.RecordKind[] = []
    if (watches.has(personId)) records.push('watching')
    if (comments > 0) records.push('comments')
    return { records }
  },
)
