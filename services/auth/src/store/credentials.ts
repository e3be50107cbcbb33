import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredCredential {
  _id: string
  email: string
  password_hash: string
  /** Raised by transactions that rely on the password, see `rely`. */
  relied_on?: number
}

export type CredentialStore = ReturnType<typeof createCredentialStore>

/** The passwords of administrators, as argon2id hashes; `_id` is the person. */
export function createCredentialStore(connection: Connection) {
  const schema = new Schema<StoredCredential>(
    { _id: String, email: String, password_hash: String, relied_on: Number },
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

    byPerson: async (personId: string): Promise<{ email: string; passwordHash: string } | undefined> => {
      const row = await stored.findById(personId).lean()
      return row ? { email: row.email, passwordHash: row.password_hash } : undefined
    },

    emails: async (): Promise<string[]> =>
      (await stored.find({}, { email: 1 }).sort({ email: 1 }).lean()).map(row => row.email),

    /** Sets a password in place of the one of that hash; false when that is no longer the one. */
    change: async (
      personId: string,
      { from, to }: { from: string; to: string },
      session: ClientSession,
    ): Promise<boolean> => {
      const { matchedCount } = await stored.updateOne(
        { _id: personId, password_hash: from },
        { $set: { password_hash: to } },
        { session },
      )
      return matchedCount === 1
    },

    /**
     * Makes sure that a password counts until the transaction is through; false when it is another by now. It writes to the row, so
     * that MongoDB lets no change of the password slip in between.
     */
    lockPassword: async (personId: string, passwordHash: string, session: ClientSession): Promise<boolean> => {
      const { matchedCount } = await stored.updateOne(
        { _id: personId, password_hash: passwordHash },
        { $inc: { relied_on: 1 } },
        { session },
      )
      return matchedCount === 1
    },
  }
}
