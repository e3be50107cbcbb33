import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'

export const onSessionTokenReused = defineConsumer(
  'session.token_reused',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { person_id, network } = event.data
    await notifyRecipients(ctx, tx, [person_id], { kind: 'token_reused', person: null, count: 1, text: network })
  },
)
