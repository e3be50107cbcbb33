import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { PlaybackContext } from '../context.ts'

type Deps = Pick<PlaybackContext, 'clock' | 'groupTaskRequests' | 'groups' | 'wakeGroupTaskUpdates'>

/** This replica updates or reminds of the tasks of the group right after the transaction. */
export function requestGroupTaskUpdate(ctx: Deps, tx: Transaction, groupId: string): Promise<void> {
  tx.afterCommit(ctx.wakeGroupTaskUpdates)
  return ctx.groupTaskRequests.request(groupId, new Date(ctx.clock.now()), tx.session)
}

/** Requests an update of the tasks that a person has by their groups. */
export async function requestMemberUpdates(ctx: Deps, tx: Transaction, personId: string): Promise<void> {
  for (const groupId of await ctx.groups.requestUpdates(personId, tx.session))
    await requestGroupTaskUpdate(ctx, tx, groupId)
}
