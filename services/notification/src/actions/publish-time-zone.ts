import type { Transaction } from '@watchline/kit/messaging/outbox'

/** `timeZone` is null if the person went back to that of the organisation. */
export function publishTimeZone(tx: Transaction, personId: string, timeZone: string | null, changedAt: Date): void {
  tx.publish('person.time_zone_changed', personId, {
    person_id: personId,
    time_zone: timeZone,
    changed_at: changedAt.toISOString(),
  })
}
