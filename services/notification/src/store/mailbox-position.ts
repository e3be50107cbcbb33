import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type Connection, Schema } from 'mongoose'
import type { MailboxPosition } from '../clients/delivery-report-mailbox.ts'

interface StoredPosition {
  _id: string
  /** One replica reads at a time. Another one may read after this. */
  claimed_until: Date
  uid_validity?: string
  uid?: number
}

const id = 'reports'

export type MailboxPositionStore = ReturnType<typeof createMailboxPositionStore>

/**
 * The position up to which the mailbox of delivery reports is read, and the replica that reads it.
 */
export function createMailboxPositionStore(connection: Connection) {
  const stored = connection.model<StoredPosition>(
    'MailboxPosition',
    new Schema<StoredPosition>(
      { _id: String, claimed_until: Date, uid_validity: String, uid: Number },
      { versionKey: false, collection: 'mail_reading' },
    ),
  )

  return {
    /** The position to continue from; undefined if another replica reads. */
    claim: async (now: Date, until: Date): Promise<{ position: MailboxPosition | undefined } | undefined> => {
      try {
        const row = await stored
          .findOneAndUpdate(
            { _id: id, claimed_until: { $lte: now } },
            { $set: { claimed_until: until } },
            { upsert: true, returnDocument: 'after' },
          )
          .lean()
        const { uid_validity, uid } = row!
        return { position: uid_validity === undefined ? undefined : { uidValidity: uid_validity, uid: uid ?? 0 } }
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        return undefined
      }
    },

    save: async ({ uidValidity, uid }: MailboxPosition): Promise<void> => {
      await stored.updateOne({ _id: id }, { $set: { uid_validity: uidValidity, uid } })
    },
  }
}
