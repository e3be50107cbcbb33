import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { recordDetailView } from '../actions/record-detail-view.ts'
import type { EngagementContext } from '../context.ts'

/** Notes for the person that an administrator exported what is recorded of them. */
export const onUserExported = defineConsumer('user.exported', async ({ event }, ctx: EngagementContext) => {
  const { person_id, by, exported_at } = event.data
  // Outside of the transaction: repeating it changes nothing. The time of the export decides about
  // the day, so that an event of the next day is no second entry.
  await recordDetailView(ctx, { id: by }, [{ id: person_id }], 'all_data', Date.parse(exported_at))
})
