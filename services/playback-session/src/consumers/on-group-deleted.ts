import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { requestGroupTaskUpdate } from '../actions/request-group-task-update.ts'
import type { PlaybackContext } from '../context.ts'

/** The members lose in the background what they have only by the group. */
export const onGroupDeleted = defineConsumer(
  'group.deleted',
  async ({ event, tx }, ctx: PlaybackContext) => {
    const { group_id, by } = event.data
    await ctx.groups.applyDeletion(group_id, tx.session)
    await ctx.groupAssignments.withdrawAll(group_id, by, tx.session)
    await requestGroupTaskUpdate(ctx, tx, group_id)
  },
  { partitionKey: event => event.data.group_id },
)
