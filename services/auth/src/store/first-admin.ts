import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredSeat {
  _id: string
  person_id: string
  /** Incremented to lock the row for a transaction, see `lock`. */
  relied_on?: number
}

const onlyId = 'first'

export type FirstAdminStore = ReturnType<typeof createFirstAdminStore>

/**
 * A single document that only one transaction can create, so that setup creates at most one
 * administrator. It stays as long as the installation, which always has an administrator from then
 * on.
 */
export function createFirstAdminStore(connection: Connection) {
  const model = connection.model<StoredSeat>(
    'AdminSeat',
    new Schema<StoredSeat>(
      { _id: String, person_id: String, relied_on: Number },
      { versionKey: false, collection: 'admin_seats' },
    ),
  )
  return {
    exists: async (): Promise<boolean> => (await model.exists({ _id: onlyId })) !== null,

    /** Rejects with a duplicate key error if there is an administrator. */
    insert: async (personId: string, session: ClientSession): Promise<void> => {
      await model.create([{ _id: onlyId, person_id: personId }], { session })
    },

    /**
     * Makes transactions that change the number of administrators conflict, so that each counts
     * what the others left. Creates the document if this person is the first administrator.
     */
    lock: async (personId: string, session: ClientSession): Promise<void> => {
      await model.updateOne(
        { _id: onlyId },
        { $inc: { relied_on: 1 }, $setOnInsert: { person_id: personId } },
        { session, upsert: true },
      )
    },
  }
}
