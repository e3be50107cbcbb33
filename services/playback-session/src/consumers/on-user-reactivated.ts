import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import { requestMemberUpdates } from '../actions/request-group-task-update.ts'
import type { PlaybackContext } from '../context.ts'

/** Deactivated members get no tasks of their groups; they get them when they return. */
export const onUserReactivated = defineBatchConsumer(
  'user.reactivated',
  async ({ events, tx }, ctx: PlaybackContext) => {
    for (const { data } of events) {
      await ctx.formerLeaders.removeOf(data.person.id, tx.session)
      await requestMemberUpdates(ctx, tx, data.person.id)
    }
  },
)
