import * as contract from '@watchline/contracts/internal-operations'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { PlaybackContext } from '../context.ts'
import { presentAssignmentSnapshot } from './presenters.ts'

export const listAssignmentSnapshots = defineInternalRoute(
  contract.listAssignmentSnapshots,
  async ({ query }, ctx: PlaybackContext) => {
    // A rebuild of engagement must not assign the tasks of a deleted playlist again.
    const deletedIds = await ctx.playlists.findWithRemainingAssignments()
    const assignments = await ctx.assignments.afterKey(query.after, query.limit, deletedIds)
    return assignments.map(presentAssignmentSnapshot)
  },
)
