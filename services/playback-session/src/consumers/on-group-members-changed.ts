import { defineConsumer } from '@watchline/kit/messaging/consumer'
import { requestGroupTaskUpdate } from '../actions/request-group-task-update.ts'
import type { PlaybackContext } from '../context.ts'

/** A job updates the tasks of these people. Erased and deleted people do not come back. */
export const onGroupMembersChanged = defineConsumer(
  'group.members_changed',
  async ({ event, tx }, ctx: PlaybackContext) => {
    const { group_id, added, removed, revision } = event.data
    const people = await ctx.people.byIds(added, tx.session)
    const goneIds = await ctx.people.findDeleted(added, tx.session)
    for (const { id, erasedAt } of people) if (erasedAt) goneIds.add(id)
    const change = { group_id, added: added.filter(id => !goneIds.has(id)), removed, revision }
    await ctx.groups.applyMembers(change, tx.session)
    await requestGroupTaskUpdate(ctx, tx, group_id)
  },
  { partitionKey: event => event.data.group_id },
)
