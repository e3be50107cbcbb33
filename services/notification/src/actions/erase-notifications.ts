import type { ErasedPerson } from '@watchline/identity/erasure-jobs'
import type { NotificationContext } from '../context.ts'
import type { SavedSettings } from '../store/saved-settings.ts'
import { publishChange } from './publish-change.ts'

type Deps = Pick<NotificationContext, 'erasure' | 'outbox'> & {
  /** They name their latest author. */
  settings: readonly Pick<SavedSettings<string, unknown>, 'eraseAuthor'>[]
}

const rowsPerTransaction = 200

/** Erases a person’s notifications, and what other people’s say of them. May be repeated. */
export async function eraseNotifications(
  { erasure, settings, outbox }: Deps,
  { personId, names }: ErasedPerson,
): Promise<void> {
  await erasure.removeReceived(personId)
  await erasure.eraseActivities(personId, names)
  await erasure.eraseMails(personId, names)
  for (const setting of settings) await setting.eraseAuthor(personId)
  for (;;) {
    const rows = await erasure.findByPerson(personId, names, rowsPerTransaction)
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
