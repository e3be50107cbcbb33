import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import type { EngagementContext } from '../context.ts'

/** Removes saved reports only. The projection of people consumes the event, too. */
export const onUserDeleted = defineBatchConsumer('user.deleted', async ({ events, tx }, ctx: EngagementContext) => {
  for (const { data } of events) await ctx.savedReports.removePerson(data.person_id, tx.session)
})
