import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { EngagementContext } from '../context.ts'
import { isNewInformation } from '../rules/bank.ts'
import { fillBank } from '../rules/crediting.ts'
import type { LockInterval } from '../rules/watch-state.ts'
import { prepareUpdate } from '../rules/watcher-update.ts'
import { hasEvents } from './find-finished-playlists.ts'
import { loadUpdatedPlaylists, publishCompletion } from './publish-completion.ts'

/**
 * Adds a lock interval to the person's state and credits the seconds that its time covers. It
 * changes nothing if the state contains the interval, so an event may arrive twice.
 */
export async function addLockInterval(
  ctx: EngagementContext,
  tx: Transaction,
  personId: string,
  makeInterval: (storedIntervals: readonly LockInterval[]) => LockInterval,
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
