import type { ErasedPerson } from '@watchline/identity/erasure-jobs'
import type { NotificationContext } from '../context.ts'
import { publishChange } from './publish-change.ts'

type Deps = Pick<NotificationContext, 'erasure' | 'outbox'>

const rowsPerTransaction = 200

/** Erases a person’s notifications, and what other people’s say of them. May be repeated. */
export async function eraseNotifications({ erasure, outbox }: Deps, { personId, names }: ErasedPerson): Promise<void> {
  await erasure.removeReceived(personId)
  await erasure.eraseActivities(personId, names)
  for (;;) {
    const rows = await erasure.findConcerned(personId, names, rowsPerTransaction)
    if (rows.length === 0) return
    await outbox.transaction(async tx => {
      await erasure.erase(rows, personId, names, tx.session)
      publishChange(
        tx,
        rows.map(row => row.recipient_id).filter(id => id !== null),
      )
    })
  }
}
