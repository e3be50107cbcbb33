import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { finishMarkedWork } from '@watchline/kit/core/marked-work'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import type { EngagementContext } from '../context.ts'

type Deps = Pick<EngagementContext, 'projections'>

const pauseMs = 5_000
const batchSize = 1_000

export function createDeletedPlaylistCleanup(ctx: Deps, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'ending tasks of deleted playlists failed, retrying')
  return createRepeatedJob(signal => endAssignmentsOfDeletedPlaylists(ctx, signal), { pauseMs, jitter: true, onError })
}

/**
 * Ends the assignments of deleted playlists, in batches, and then removes their mark. Every replica
 * may run it, and a repeated batch changes nothing. Until then a read leaves them out by the
 * deletion of the playlist.
 */
export async function endAssignmentsOfDeletedPlaylists({ projections }: Deps, signal?: AbortSignal): Promise<void> {
  const { playlists, assignments } = projections
  await finishMarkedWork(
    {
      marked: await playlists.findWithRemainingAssignments(),
      runBatch: ({ id, deletedAt }, limit) => assignments.unassignBatch(id, { at: deletedAt, limit }),
      batchSize,
      clearMark: ({ id }) => playlists.clearRemainingAssignments(id),
    },
    signal,
  )
}
