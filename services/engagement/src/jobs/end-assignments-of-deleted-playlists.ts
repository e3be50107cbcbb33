import type { Lifecycle } from '@watchline/kit/core/lifecycle'
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
  for (const { id, deletedAt } of await playlists.findWithRemainingAssignments()) {
    while (!signal?.aborted) {
      if ((await assignments.unassignBatch(id, { at: deletedAt, limit: batchSize })) === batchSize) continue
      await playlists.clearRemainingAssignments(id)
      break
    }
  }
}
