import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { NotificationContext } from '../context.ts'
import type { Activity } from '../rules/activity.ts'

/**
 * Stores the activity for each recipient. The grouping job turns it into a notification after the
 * transaction.
 */
export async function notifyRecipients(
  ctx: NotificationContext,
  tx: Transaction,
  recipientIds: readonly (string | null | undefined)[],
  activity: Activity,
): Promise<void> {
  const ids = [...new Set(recipientIds)].filter(id => typeof id === 'string')
  await ctx.activities.add(ids, activity, new Date(ctx.clock.now()), tx.session)
  tx.afterCommit(() => ctx.grouping.enqueue(ids.map(recipientId => ({ recipientId, kind: activity.kind }))))
}
