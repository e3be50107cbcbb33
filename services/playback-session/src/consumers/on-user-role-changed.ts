import { defineBatchConsumer } from '@watchline/kit/messaging/consumer'
import { requestMemberUpdates } from '../actions/request-group-task-update.ts'
import type { PlaybackContext } from '../context.ts'

/** Trainees get the tasks of their groups, and lose them with another role. */
export const onUserRoleChanged = defineBatchConsumer(
  'user.role_changed',
  async ({ events, tx }, ctx: PlaybackContext) => {
    for (const { data } of events) await requestMemberUpdates(ctx, tx, data.person.id)
  },
)
