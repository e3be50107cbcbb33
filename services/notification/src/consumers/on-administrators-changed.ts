import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { notifyRecipients } from '../actions/notify-recipients.ts'
import type { NotificationContext } from '../context.ts'
import { namePerson } from '../rules/activity.ts'

/** All other administrators see it, so that nobody takes over the installation unseen. */
export const onAdministratorsChanged = defineConsumer(
  'administrators.changed',
  async ({ event, tx }, ctx: NotificationContext) => {
    const { change, person_id, by } = event.data
    const [staff, person] = await Promise.all([ctx.people.staff(), ctx.people.find(person_id, 0)])
    const others = staff.filter(({ id, role }) => role === 'admin' && id !== person_id && id !== by)
    await notifyRecipients(
      ctx,
      tx,
      others.map(({ id }) => id),
      { kind: 'administrators_changed', person: namePerson(person_id, person), count: 1, text: change },
    )
  },
)
