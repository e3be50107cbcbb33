import type { Transaction } from '@watchline/kit/messaging/outbox'

export const versionOf = (personId: string) => `notifications:${personId}`

/** What these people see has changed: their polls find it, and their open pages hear of it. */
export function tellChanged(tx: Transaction, recipientIds: readonly string[]): void {
  const ids = [...new Set(recipientIds)]
  if (ids.length === 0) return
  tx.bumpVersions(...ids.map(versionOf))
  tx.publish('notifications.changed', ids[0]!, { recipient_ids: ids })
}
