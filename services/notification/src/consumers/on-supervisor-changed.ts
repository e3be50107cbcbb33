import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { tellChanged } from '../actions/publish-change.ts'
import type { NotificationContext } from '../context.ts'

/** What waits for an answer goes with the trainee. Comes after the projection, in the same transaction, and goes by what that says now. */
export const onSupervisorChanged = defineConsumer(
  'user.supervisor_changed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { id } = event.data.person
    await ctx.notifications.lockAuthors([id], tx.session)
    const [person] = await ctx.people.byIds([id], tx.session)
    const recipientId = person?.role === 'user' ? person.supervisorId : null
    tellChanged(tx, await ctx.notifications.movePending(id, recipientId, tx.session))
  },
)
