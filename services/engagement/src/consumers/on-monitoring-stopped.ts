import { limits } from '@watchline/contracts/limits'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { addLockInterval } from '../actions/add-lock-interval.ts'
import type { EngagementContext } from '../context.ts'

/**
 * Fills the bank with lock time that no report has added. The order of events does not matter. An
 * expired session ends at its last evidence, but it owned the lock until the expiry: its player may
 * have played on without a connection.
 */
export const onMonitoringStopped = defineConsumer(
  'monitoring.stopped',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { person_id: personId, playlist_id: playlistId, fence, sid, started_at, stopped_at, reason } = event.data
    const endedAt = Date.parse(stopped_at)
    const to = reason === 'expired' ? endedAt + limits.monitoringLockMs : endedAt
    const startedAt = started_at === undefined ? undefined : new Date(started_at)
    await ctx.monitoredSessions.put(
      { personId, playlistId, fence, startedAt, endedAt: new Date(endedAt), reason },
      tx.session,
    )
    await addLockInterval(ctx, tx, personId, intervals => {
      const startedInterval = intervals.find(interval => interval.fence === fence)
      const from = started_at === undefined ? (startedInterval?.from ?? endedAt) : Date.parse(started_at)
      return { fence, sid, from: Math.min(from, endedAt), to }
    })
  },
)
