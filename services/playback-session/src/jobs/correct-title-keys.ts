import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createHourlyJob } from '@watchline/kit/live/hourly-job'
import type { PageEnd } from '@watchline/kit/mongo/list-order'
import type { Logger } from '@watchline/kit/observability/log'
import type { PlaybackContext } from '../context.ts'

type Deps = Pick<PlaybackContext, 'playlists'>

const batchSize = 1_000

export function createTitleKeyCorrection(ctx: Deps & Pick<PlaybackContext, 'live' | 'clock'>, log: Logger): Lifecycle {
  const { live, clock } = ctx
  return createHourlyJob(signal => correctTitleKeys(ctx, signal), {
    ...{ name: 'title-keys', live, clock },
    onError: error => log.warn({ err: error }, 'correction of title keys failed, retrying'),
  })
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
