import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { publishChange } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'

/**
 * Gives the trainee's pending approvals to their present supervisor. The projection of people runs
 * before, in the same transaction: an event that arrives late therefore moves nothing back.
 */
export const onSupervisorChanged = defineConsumer(
  'user.supervisor_changed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { id } = event.data.person
    await ctx.notifications.lockAuthors([id], tx.session)
    const [person] = await ctx.people.byIds([id], tx.session)
    const recipientId = person?.role === 'user' ? person.supervisorId : null
    publishChange(tx, await ctx.notifications.reassignPending(id, recipientId, tx.session))
  },
)
