import { type ClientSession, type Connection, Schema } from 'mongoose'

const onlyId = 'first'

export type FirstAdminStore = ReturnType<typeof createFirstAdminStore>

/**
 * A single document that only one transaction can create, so that setup creates at most one
 * administrator.
 */
export function createFirstAdminStore(connection: Connection) {
  const model = connection.model<{ _id: string; person_id: string }>(
    'AdminSeat',
    new Schema({ _id: String, person_id: String }, { versionKey: false, collection: 'admin_seats' }),
  )
  return {
    exists: async (): Promise<boolean> => (await model.exists({ _id: onlyId })) !== null,

    /** Rejects with a duplicate key error if there is an administrator. */
    insert: async (personId: string, session: ClientSession): Promise<void> => {
      await model.create([{ _id: onlyId, person_id: personId }], { session })
    },
  }
}
