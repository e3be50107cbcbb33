import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { addLockInterval } from '../actions/add-lock-interval.ts'
import type { EngagementContext } from '../context.ts'

/** The interval is still empty, but the lock owner is known before the first report. */
export const onMonitoringStarted = defineConsumer(
  'monitoring.started',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { person_id: personId, playlist_id: playlistId, fence, sid, started_at } = event.data
    const startedAt = Date.parse(started_at)
    await ctx.monitoredSessions.put({ personId, playlistId, fence, startedAt: new Date(startedAt) }, tx.session)
    await addLockInterval(ctx, tx, personId, () => ({ fence, sid, from: startedAt, to: startedAt }))
  },
)
