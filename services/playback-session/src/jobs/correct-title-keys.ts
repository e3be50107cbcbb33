import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { PageEnd } from '@watchline/kit/mongo/list-order'
import type { Logger } from '@watchline/kit/observability/log'
import type { PlaybackContext } from '../context.ts'

type Deps = Pick<PlaybackContext, 'playlists'>

const pauseMs = 60_000
const hourMs = 3600_000
const batchSize = 1_000

/** Runs on each replica soon after its start, and then on one replica an hour. */
export function createTitleKeyCorrection(ctx: Deps & Pick<PlaybackContext, 'live' | 'clock'>, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'correction of title keys failed, retrying')
  let hasRun = false
  return createRepeatedJob(
    async signal => {
      const { count } = await ctx.live.counters.hit('title-keys', hourMs, ctx.clock.now())
      if (hasRun && count > 1) return
      // Until it has ended once, a failure is retried after the pause, not after the hour.
      await correctTitleKeys(ctx, signal)
      hasRun = true
    },
    { pauseMs, jitter: true, onError },
  )
}

/**
 * Corrects the keys by which searches compare and lists order titles. Playlists of earlier versions
 * lack some, and during an update a replica of such a version may change a title without its keys.
 * It reads an index only, so that 100,000 playlists with correct keys cost 100 short reads.
 */
export async function correctTitleKeys({ playlists }: Deps, signal?: AbortSignal): Promise<void> {
  let lackKeys = true
  while (lackKeys && !signal?.aborted) lackKeys = await playlists.addTitleKeys(batchSize)
  let after: PageEnd | undefined
  do after = await playlists.correctTitleKeys(after, batchSize)
  while (after && !signal?.aborted)
}
