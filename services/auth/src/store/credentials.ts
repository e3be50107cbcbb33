import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredCredential {
  _id: string
  email: string
  password_hash: string
}

export type CredentialStore = ReturnType<typeof createCredentialStore>

/** The passwords of administrators, as argon2id hashes; `_id` is the person. */
export function createCredentialStore(connection: Connection) {
  const schema = new Schema<StoredCredential>(
    { _id: String, email: String, password_hash: String },
    { versionKey: false, collection: 'credentials' },
  )
  schema.index({ email: 1 }, { unique: true })
  const stored = connection.model<StoredCredential>('Credential', schema)
  return {
    byEmail: async (email: string): Promise<{ personId: string; passwordHash: string } | undefined> => {
      const row = await stored.findOne({ email }).lean()
      return row ? { personId: row._id, passwordHash: row.password_hash } : undefined
    },
    insert: async (personId: string, email: string, passwordHash: string, session: ClientSession): Promise<void> => {
      await stored.create([{ _id: personId, email, password_hash: passwordHash }], { session })
    },
  }
}
