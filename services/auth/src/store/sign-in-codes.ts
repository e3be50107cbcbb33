import { fullScan } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredCode {
  /** SHA-256 of the session_id, so that a reader of the database cannot sign in with it. */
  _id: string
  person_id: string
  binding: string
  expires_at: Date
}

export type SignInCodeStore = ReturnType<typeof createSignInCodeStore>

/**
 * The single-use codes between the provider's callback and the login. All codes and bindings are
 * hashes.
 */
export function createSignInCodeStore(connection: Connection) {
  const schema = new Schema<StoredCode>(
    { _id: String, person_id: String, binding: String, expires_at: Date },
    { versionKey: false, collection: 'sign_in_codes' },
  )
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  const model = connection.model<StoredCode>('SignInCode', schema)
  return {
    insert: async (code: string, personId: string, binding: string, expiresAt: number): Promise<void> => {
      await model.create({ _id: code, person_id: personId, binding, expires_at: new Date(expiresAt) })
    },
    /** They live for a minute, so few are stored. */
    removeOf: async (personId: string, session: ClientSession): Promise<void> => {
      await model.deleteMany({ person_id: personId }, { session, comment: fullScan.comment })
    },
    /**
     * Deletes the code and returns its person's id; undefined for another browser's binding or an
     * expired code.
     */
    redeem: async (code: string, binding: string, now: number): Promise<string | undefined> => {
      const row = await model.findOneAndDelete({ _id: code, binding, expires_at: { $gt: new Date(now) } }).lean()
      return row?.person_id
    },
  }
}
