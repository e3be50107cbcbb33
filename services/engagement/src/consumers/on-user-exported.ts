import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { recordDetailView } from '../actions/record-detail-view.ts'
import type { EngagementContext } from '../context.ts'

/** Notes for the person that an administrator exported what is recorded of them. */
export const onUserExported = defineConsumer('user.exported', async ({ event }, ctx: EngagementContext) => {
  const { person_id, by } = event.data
  // Outside of the transaction: repeating it changes nothing.
  await recordDetailView(ctx, { id: by }, [{ id: person_id }], 'all_data')
})
