import { type Connection, Schema } from 'mongoose'

interface StoredCode {
  /** SHA-256 of the session_id: who reads the database cannot sign in with it. */
  _id: string
  person_id: string
  binding: string
  expires_at: Date
}

export type SignInCodeStore = ReturnType<typeof createSignInCodeStore>

/** The single-use codes between the provider's callback and the login; all arguments are hashes. */
export function createSignInCodeStore(connection: Connection) {
  const schema = new Schema<StoredCode>(
    { _id: String, person_id: String, binding: String, expires_at: Date },
    { versionKey: false, collection: 'sign_in_codes' },
  )
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  const stored = connection.model<StoredCode>('SignInCode', schema)
  return {
    insert: async (code: string, personId: string, binding: string, expiresAt: number): Promise<void> => {
      await stored.create({ _id: code, person_id: personId, binding, expires_at: new Date(expiresAt) })
    },
    /** The person it stands for, once, and only for the browser it was given to. */
    redeem: async (code: string, binding: string, now: number): Promise<string | undefined> => {
      const row = await stored.findOneAndDelete({ _id: code, binding, expires_at: { $gt: new Date(now) } }).lean()
      return row?.person_id
    },
  }
}
