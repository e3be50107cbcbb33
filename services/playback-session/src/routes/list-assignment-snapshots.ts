import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { PlaybackContext } from '../context.ts'
import { presentAssignmentSnapshot } from './presenters.ts'

export const listAssignmentSnapshots = defineInternalRoute(
  contract.listAssignmentSnapshots,
  async ({ query }, ctx: PlaybackContext) => {
    const assignments = await ctx.assignments.afterKey(query.after, query.limit)
    return assignments.map(presentAssignmentSnapshot)
  },
)
