import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import { publishChange } from '../actions/publish-change.ts'
import { queueApprovalMails, queueMails } from '../actions/queue-mails.ts'
import type { NotificationContext } from '../context.ts'
import { type Activity, createGroup, namePerson } from '../rules/activity.ts'

/**
 * Gives the trainee's pending approvals to their present supervisor, and notifies the former one of
 * that. The projection of people runs before, in the same transaction. Therefore a late event moves
 * nothing back, and only the outcome of several events counts.
 */
export const onUserSupervisorChanged = defineBatchConsumer(
  'user.supervisor_changed',
  async ({ events, tx }, ctx: NotificationContext) => {
    for (const id of new Set(events.map(({ data }) => data.person.id))) await moveApprovals(id, tx, ctx)
  },
)

async function moveApprovals(id: string, tx: Transaction, ctx: NotificationContext): Promise<void> {
  await ctx.notifications.lockAuthors([id], tx.session)
  const [person] = await ctx.people.byIds([id], tx.session)
  const recipientId = person?.role === 'user' ? person.supervisorId : null
  const now = new Date(ctx.clock.now())
  const moved = await ctx.notifications.reassignPending(id, recipientId, now, tx.session)
  if (moved.length === 0) return
  const recipient = recipientId === null ? undefined : await ctx.people.find(recipientId, 0)
  const trainee = namePerson(id, person)
  const newReviewer = recipient && { text: recipient.name }
  for (const [formerId, requests] of Map.groupBy(moved, request => request.recipientId)) {
    if (formerId === null) continue
    const activity: Activity = { kind: 'comments_moved', person: trainee, count: requests.length, ...newReviewer }
    const notice = {
      recipientId: formerId,
      group: createGroup(activity),
      isRead: false,
      createdAt: now,
      updatedAt: now,
    }
    await ctx.notifications.add([{ id: newId(), ...notice }], tx.session)
    await queueMails(ctx, tx, [formerId], activity)
  }
  await queueApprovalMails(
    ctx,
    tx,
    moved.map(request => ({ ...request, recipientId })),
  )
  const recipientIds = [...moved.map(request => request.recipientId), recipientId].filter(id => id !== null)
  publishChange(tx, recipientIds)
}
