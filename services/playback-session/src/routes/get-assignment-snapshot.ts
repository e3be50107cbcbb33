import * as contract from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { PlaybackContext } from '../context.ts'
import { assignmentKey } from '../store/assignments.ts'
import { presentAssignmentSnapshot } from './presenters.ts'

export const getAssignmentSnapshot = defineInternalRoute(
  contract.getAssignmentSnapshot,
  async ({ params }, ctx: PlaybackContext) => {
    const key = assignmentKey(params.personId, params.playlistId)
    const assignment = (await ctx.assignments.byKeys([key])).get(key)
    return presentAssignmentSnapshot(assignment ?? fail('not_found'))
  },
)
