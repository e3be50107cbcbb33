import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import { newId } from '@watchline/kit/mongo/database'
import { publishChange } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'
import { createGroup, namePerson } from '../rules/activity.ts'

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
  const movedCounts = await ctx.notifications.reassignPending(id, recipientId, tx.session)
  if (movedCounts.size === 0) return
  const recipient = recipientId === null ? undefined : await ctx.people.find(recipientId, 0)
  const now = new Date(ctx.clock.now())
  const notices = [...movedCounts].flatMap(([formerId, count]) => {
    if (formerId === null) return []
    const trainee = namePerson(id, person)
    const newReviewer = recipient && { text: recipient.name }
    const group = createGroup({ kind: 'comments_moved', person: trainee, count, ...newReviewer })
    return [{ id: newId(), recipientId: formerId, group, isRead: false, createdAt: now, updatedAt: now }]
  })
  await ctx.notifications.add(notices, tx.session)
  const recipientIds = [...movedCounts.keys(), recipientId].filter(id => id !== null)
  publishChange(tx, recipientIds)
}
