import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { hasEvents } from '../actions/find-finished-playlists.ts'
import { loadUpdatedPlaylists, publishCompletion } from '../actions/publish-completion.ts'
import type { EngagementContext } from '../context.ts'
import { isNewInformation } from '../rules/bank.ts'
import { fillBank } from '../rules/crediting.ts'
import type { LockInterval } from '../rules/watch-state.ts'
import { prepareUpdate } from '../rules/watcher-update.ts'

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

/**
 * Fills the bank with lock time that no report has added. The order of events does not matter.
 */
export const onMonitoringStopped = defineConsumer(
  'monitoring.stopped',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { person_id: personId, playlist_id: playlistId, fence, sid, started_at, stopped_at, reason } = event.data
    const to = Date.parse(stopped_at)
    const startedAt = started_at === undefined ? undefined : new Date(started_at)
    await ctx.monitoredSessions.put(
      { personId, playlistId, fence, startedAt, endedAt: new Date(to), reason },
      tx.session,
    )
    await addLockInterval(ctx, tx, personId, intervals => {
      const startedInterval = intervals.find(interval => interval.fence === fence)
      const from = started_at === undefined ? (startedInterval?.from ?? to) : Date.parse(started_at)
      return { fence, sid, from: Math.min(from, to), to }
    })
  },
)

async function addLockInterval(
  ctx: EngagementContext,
  tx: Transaction,
  personId: string,
  makeInterval: (known: readonly LockInterval[]) => LockInterval,
): Promise<void> {
  const before = (await ctx.watchers.load([personId], tx.session)).get(personId)!
  const interval = makeInterval(before.state.lockIntervals)
  if (!isNewInformation(before.state.lockIntervals, interval)) return
  const now = ctx.clock.now()
  const { state, touched, completed } = fillBank(before.state, interval, now, ctx.creditingRules)
  const update = prepareUpdate({ before, state, touched: new Set(touched), completed }, now)
  if (await hasEvents(ctx.projections, update))
    await publishCompletion(ctx, tx, [update], await loadUpdatedPlaylists(ctx.projections, [update]))
  else await ctx.watchers.writeInTransaction([update], tx.session)
}
