import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { changeOf, isQuiet, playlistsOf, turnOf, writeTold } from '../completing.ts'
import type { EngagementContext } from '../context.ts'
import { fill } from '../rules/crediting.ts'
import type { Hold } from '../rules/watch-state.ts'
import { isNews } from '../tracking.ts'

/** Nothing has been held yet; but whose lock it is, is known before the first report. */
export const onMonitoringStarted = defineConsumer(
  'monitoring.started',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { person_id: personId, fence, sid, started_at } = event.data
    const at = Date.parse(started_at)
    await fillHold(ctx, tx, personId, () => ({ fence, sid, from: at, to: at }))
  },
)

/** The bank gets the time that no report has told of, in any order, late and repeatedly. */
export const onMonitoringStopped = defineConsumer(
  'monitoring.stopped',
  async ({ event, tx }, ctx: EngagementContext) => {
    const { person_id: personId, fence, sid, started_at, stopped_at } = event.data
    const to = Date.parse(stopped_at)
    await fillHold(ctx, tx, personId, holds => {
      const known = holds.find(each => each.fence === fence)
      const from = started_at === undefined ? (known?.from ?? to) : Date.parse(started_at)
      return { fence, sid, from: Math.min(from, to), to }
    })
  },
)

async function fillHold(
  ctx: EngagementContext,
  tx: Transaction,
  personId: string,
  holdOf: (known: readonly Hold[]) => Hold,
): Promise<void> {
  const before = (await ctx.watchers.load([personId], tx.session)).get(personId)!
  const hold = holdOf(before.state.holds)
  if (!isNews(before.state.holds, hold)) return
  const now = ctx.clock.now()
  const { state, touched, completed } = fill(before.state, hold, now, ctx.rules)
  const turn = turnOf({ before, state, touched: new Set(touched), completed }, now)
  if (isQuiet(turn)) await ctx.watchers.write([changeOf(turn)], tx.session)
  else await writeTold(ctx, tx, [turn], await playlistsOf(ctx, [turn]))
}
