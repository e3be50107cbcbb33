import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { finishMarkedWork } from '@watchline/kit/core/marked-work'
import { createRepeatedJob, type Wakeup } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import type { PlaybackContext } from '../context.ts'

type Deps = Pick<PlaybackContext, 'assignments' | 'playlists'>

const pauseMs = 10_000
const batchSize = 1_000

export function createDeletedPlaylistCleanup(ctx: Deps, wakeup: Wakeup, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'removal of tasks of deleted playlists failed, retrying')
  return createRepeatedJob(signal => removeAssignmentsOfDeletedPlaylists(ctx, signal), {
    pauseMs,
    jitter: true,
    wakeup,
    onError,
  })
}

/**
 * Removes the assignments of deleted playlists, in batches, and then their mark. Every replica may
 * run it, and a repeated batch removes nothing. No new assignment can follow, because each one
 * locks its playlist.
 */
export async function removeAssignmentsOfDeletedPlaylists(ctx: Deps, signal?: AbortSignal): Promise<void> {
  await finishMarkedWork(
    {
      marked: await ctx.playlists.findWithRemainingAssignments(),
      runBatch: ctx.assignments.removeBatch,
      batchSize,
      clearMark: ctx.playlists.clearRemainingAssignments,
    },
    signal,
  )
}
