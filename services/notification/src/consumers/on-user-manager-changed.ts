import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { newId } from '@watchline/kit/mongo/database'
import { publishChange } from '../actions/publish-change.ts'
import { queueMails } from '../actions/queue-mails.ts'
import type { NotificationContext } from '../context.ts'
import { type Activity, createGroup, namePerson } from '../rules/activity.ts'

/**
 * Notifies a supervisor of their new manager, or that they have none any more. The projection of
 * people runs before, in the same transaction: an event that arrives late notifies nobody.
 */
export const onUserManagerChanged = defineConsumer(
  'user.manager_changed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { id, version } = event.data.person
    const [person] = await ctx.people.byIds([id], tx.session)
    if (person?.role !== 'supervisor' || person.version !== version) return
    const managerId = person.managerId ?? event.data.previous_manager_id
    if (managerId === null) return
    const now = new Date(ctx.clock.now())
    const activity: Activity = {
      kind: 'manager_changed',
      person: namePerson(managerId, await ctx.people.find(managerId, 0)),
      count: 1,
      positive: person.managerId !== null,
    }
    const group = createGroup(activity)
    await ctx.notifications.add(
      [{ id: newId(), recipientId: id, group, isRead: false, createdAt: now, updatedAt: now }],
      tx.session,
    )
    await queueMails(ctx, tx, [id], activity)
    publishChange(tx, [id])
  },
)
