import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import type { PlaybackContext } from '../context.ts'

/** Keeps the leaders, whom the nightly check notifies of the person's open tasks. */
export const onUserDeactivated = defineBatchConsumer(
  'user.deactivated',
  async ({ events, tx }, { formerLeaders }: PlaybackContext) => {
    for (const { data } of events) {
      const leaders = { supervisorId: data.previous_supervisor_id, managerId: data.previous_manager_id }
      await formerLeaders.put(data.person.id, leaders, tx.session)
    }
  },
)
