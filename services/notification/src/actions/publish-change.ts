import type { Transaction } from '@watchline/kit/messaging/outbox'
import { notificationsVersion } from '../rules/versions.ts'

/** Makes changed notifications visible: bumps the recipients' ETags and publishes a hint. */
export function publishChange(tx: Transaction, recipientIds: readonly string[]): void {
  const ids = [...new Set(recipientIds)]
  if (ids.length === 0) return
  tx.bumpVersions(...ids.map(notificationsVersion))
  tx.publish('notifications.changed', ids[0]!, { recipient_ids: ids })
}
