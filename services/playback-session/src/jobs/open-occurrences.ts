import type { Lifecycle } from '@watchline/kit/core/lifecycle'
import { createRepeatedJob } from '@watchline/kit/core/repeat'
import type { Logger } from '@watchline/kit/observability/log'
import { reopenAssignments } from '../actions/reopen-assignments.ts'
import type { PlaybackContext } from '../context.ts'

const pauseMs = 60_000
const batchSize = 200

export function createOccurrenceOpening(ctx: PlaybackContext, log: Logger): Lifecycle {
  const onError = (error: unknown) => log.warn({ err: error }, 'opening of recurring tasks failed, retrying')
  return createRepeatedJob(() => openOccurrences(ctx, log), { pauseMs, jitter: true, onError })
}

/**
 * Opens the occurrences whose time has come, on every replica, and returns how many. If a playlist
 * fails, the others open anyway, and the next run tries it again.
 */
export async function openOccurrences(ctx: PlaybackContext, log: Logger): Promise<number> {
  // Playlists that failed, and those of which nothing was opened: another replica was first, or the
  // playlist is deleted and its tasks, which are still to be removed, would fill every batch.
  const skippedIds = new Set<string>()
  let opened = 0
  for (;;) {
    const batch = await ctx.assignments.findToReopen(new Date(ctx.clock.now()), batchSize, [...skippedIds])
    for (const [playlistId, group] of Map.groupBy(batch, ({ playlistId }) => playlistId)) {
      const keys = group.map(({ key }) => key)
      try {
        const counts = await reopenAssignments(ctx, playlistId, keys)
        opened += counts.opened
        if (counts.opened + counts.postponed === 0) skippedIds.add(playlistId)
      } catch (error) {
        log.warn({ err: error, playlist_id: playlistId }, 'opening of recurring tasks of a playlist failed, retrying')
        skippedIds.add(playlistId)
      }
    }
    if (batch.length < batchSize) return opened
  }
}
