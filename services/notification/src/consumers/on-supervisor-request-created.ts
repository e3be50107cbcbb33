import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

export const onSupervisorRequestCreated = defineConsumer(
  'supervisor_request.created',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { manager_id, supervisor_id } = event.data
    const [staff, manager, supervisor] = await Promise.all([
      ctx.people.staff(),
      ctx.people.find(manager_id, 0),
      ctx.people.find(supervisor_id, 0),
    ])
    const admins = staff.filter(({ role }) => role === 'admin')
    await notifyRecipients(
      ctx,
      tx,
      admins.map(({ id }) => id),
      {
        kind: 'supervisor_requested',
        person: namePerson(manager_id, manager),
        count: 1,
        text: supervisor?.name,
      },
    )
  },
)
