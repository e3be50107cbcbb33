import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { newId } from '@watchline/kit/mongo/database'
import { named, nameOf } from '../actions/notify-recipients.ts'
import { tellChanged } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'
import { factsOf } from '../rules/activity.ts'

/** The manager learns what became of their request, with the administrator's words. */
export const onRequestReviewed = defineConsumer(
  'supervisor_request.reviewed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { manager_id, supervisor_id, approved, comment } = event.data
    const now = new Date(ctx.clock.now())
    const facts = factsOf({
      kind: 'request_reviewed',
      person: nameOf(await named(ctx, supervisor_id), supervisor_id),
      count: 1,
      positive: approved,
      ...(comment && { text: comment }),
    })
    const fresh = { id: newId(), recipientId: manager_id, facts, isRead: false, createdAt: now, updatedAt: now }
    await ctx.notifications.add([fresh], tx.session)
    tellChanged(tx, [manager_id])
  },
)
