import { type ClientSession, type Connection, Schema } from 'mongoose'

export type LogoutTokenStore = ReturnType<typeof createLogoutTokenStore>

/** The logout tokens that were accepted, until they would be too old anyway. */
export function createLogoutTokenStore(connection: Connection) {
  const schema = new Schema<{ _id: string; expires_at: Date }>(
    { _id: String, expires_at: Date },
    { versionKey: false, collection: 'logout_tokens' },
  )
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  const model = connection.model('LogoutToken', schema)
  return {
    /** Rejects with a duplicate key error if the token was accepted before. */
    insert: async (id: string, expiresAt: number, session: ClientSession): Promise<void> => {
      await model.create([{ _id: id, expires_at: new Date(expiresAt) }], { session })
    },
  }
}
