import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { recordDetailView } from '../actions/record-detail-view.ts'
import type { EngagementContext } from '../context.ts'

/** Records that somebody saw the reasons of exceptions of people’s tasks. */
export const onUserDetailsViewed = defineConsumer('user.details_viewed', async ({ event }, ctx: EngagementContext) => {
  const { person_ids, by, viewed_at } = event.data
  const people = person_ids.map(id => ({ id }))
  // Outside of the transaction: repeating it changes nothing. The time of the look decides about
  // the day, so that a repetition on the next day is no second entry.
  await recordDetailView(ctx, { id: by }, people, 'record', Date.parse(viewed_at))
})
