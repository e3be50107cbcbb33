import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import type { PlaybackContext } from '../context.ts'

/**
 * Removes memberships of groups, former leaders and the time zone. The projection of people
 * consumes the event, too.
 */
export const onUserDeleted = defineBatchConsumer('user.deleted', async ({ events, tx }, ctx: PlaybackContext) => {
  for (const { data } of events) {
    await ctx.groups.removePerson(data.person_id, tx.session)
    await ctx.formerLeaders.removeOf(data.person_id, tx.session)
    await ctx.timeZones.removeOf(data.person_id, tx.session)
  }
})
