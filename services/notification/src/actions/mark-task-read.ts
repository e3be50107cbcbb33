import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { NotificationContext } from '../context.ts'
import { publishChange } from './publish-change.ts'

/**
 * Marks the notifications of a task as read that these people have closed or lost: there is nothing
 * left for them to do.
 */
export async function markTaskRead(
  { notifications, activities }: Pick<NotificationContext, 'notifications' | 'activities'>,
  tx: Transaction,
  personIds: readonly string[],
  playlistId: string,
): Promise<void> {
  await activities.markTaskRead(personIds, playlistId, tx.session)
  publishChange(tx, await notifications.markTaskRead(personIds, playlistId, tx.session))
}
