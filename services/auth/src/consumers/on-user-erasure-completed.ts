import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { AuthContext } from '../context.ts'

/** Notes on the receipt that a service has erased what it held. */
export const onUserErasureCompleted = defineConsumer(
  'user.erasure_completed',
  async ({ event, tx }, { receipts }: AuthContext) => {
    const { person_id: personId, service, completed_at: at } = event.data
    await receipts.recordCompletion(personId, service, new Date(at), tx.session)
  },
)
