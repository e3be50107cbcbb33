import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'

type Deps = Pick<PlaybackContext, 'clock' | 'groupTaskRequests' | 'groups'>

/** A replica updates or reminds of the tasks of the group soon after the transaction. */
export function requestGroupTaskUpdate(ctx: Deps, tx: Transaction, groupId: string): Promise<void> {
  return ctx.groupTaskRequests.request(groupId, new Date(ctx.clock.now()), tx.session)
}

/** Requests an update of the tasks that a person has by their groups, all groups or some. */
export async function requestMemberUpdates(
  ctx: Deps,
  tx: Transaction,
  personId: string,
  groupIds?: readonly string[],
): Promise<void> {
  for (const groupId of await ctx.groups.requestUpdates(personId, tx.session, groupIds))
    await requestGroupTaskUpdate(ctx, tx, groupId)
}
