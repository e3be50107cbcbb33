import * as contract from '@watchline/contracts/internal-operations'
import { fail } from '@watchline/kit/core/errors'
import { defineInternalRoute } from '@watchline/kit/http/internal-route'
import type { PlaybackContext } from '../context.ts'
import { assignmentKey } from '../store/stored-assignment.ts'
import { presentAssignmentSnapshot } from './presenters.ts'

export const getAssignmentSnapshot = defineInternalRoute(
  contract.getAssignmentSnapshot,
  async ({ params }, ctx: PlaybackContext) => {
    const key = assignmentKey(params.personId, params.playlistId)
    const [assignments, playlists] = await Promise.all([
      ctx.assignments.byKeys([key]),
      ctx.playlists.byIds([params.playlistId]),
    ])
    const assignment = playlists.length > 0 ? assignments.get(key) : undefined
    return presentAssignmentSnapshot(assignment ?? fail('not_found'))
  },
)
