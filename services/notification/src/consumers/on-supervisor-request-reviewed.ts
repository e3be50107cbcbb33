import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { newId } from '@watchline/kit/mongo/database'
import { publishChange } from '../actions/publish-change.ts'
import { queueMails } from '../actions/queue-mails.ts'
import type { NotificationContext } from '../context.ts'
import { type Activity, createGroup, namePerson } from '../rules/activity.ts'

/** Notifies the manager of the decision on their request, with the administrator's comment. */
export const onSupervisorRequestReviewed = defineConsumer(
  'supervisor_request.reviewed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { manager_id, supervisor_id, approved, comment } = event.data
    const now = new Date(ctx.clock.now())
    const review: Activity = {
      kind: 'request_reviewed',
      person: namePerson(supervisor_id, await ctx.people.find(supervisor_id, 0)),
      count: 1,
      positive: approved,
      ...(comment && { text: comment }),
    }
    const group = createGroup(review)
    await ctx.notifications.add(
      [{ id: newId(), recipientId: manager_id, group, isRead: false, createdAt: now, updatedAt: now }],
      tx.session,
    )
    await queueMails(ctx, tx, [manager_id], review)
    publishChange(tx, [manager_id])
  },
)
