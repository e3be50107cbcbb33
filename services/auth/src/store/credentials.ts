import { type ClientSession, type Connection, Schema } from 'mongoose'

interface StoredCredential {
  /** The person's id. */
  _id: string
  email: string
  password_hash: string
  /** Incremented to lock the row for a transaction, see `lockPassword`. */
  relied_on?: number
}

export type CredentialStore = ReturnType<typeof createCredentialStore>

/** The passwords of administrators, as argon2id hashes. */
export function createCredentialStore(connection: Connection) {
  const schema = new Schema<StoredCredential>(
    { _id: String, email: String, password_hash: String, relied_on: Number },
    { versionKey: false, collection: 'credentials' },
  )
  schema.index({ email: 1 }, { unique: true })
  const model = connection.model<StoredCredential>('Credential', schema)
  return {
    byEmail: async (email: string): Promise<{ personId: string; passwordHash: string } | undefined> => {
      const row = await model.findOne({ email }).lean()
      return row ? { personId: row._id, passwordHash: row.password_hash } : undefined
    },

    byPerson: async (personId: string): Promise<{ email: string; passwordHash: string } | undefined> => {
      const row = await model.findById(personId).lean()
      return row ? { email: row.email, passwordHash: row.password_hash } : undefined
    },

    emails: async (): Promise<string[]> =>
      (await model.find({}, { email: 1 }).sort({ email: 1 }).lean()).map(row => row.email),

    /** The people among these who have a password. */
    personIdsAmong: async (
      personIds: readonly string[],
      session: ClientSession | null = null,
    ): Promise<Set<string>> => {
      const rows = await model
        .find({ _id: { $in: [...personIds] } }, { _id: 1 })
        .session(session)
        .lean()
      return new Set(rows.map(row => row._id))
    },

    remove: async (personId: string, session: ClientSession): Promise<void> => {
      await model.deleteOne({ _id: personId }, { session })
    },

    insert: async (personId: string, email: string, passwordHash: string, session: ClientSession): Promise<void> => {
      await model.create([{ _id: personId, email, password_hash: passwordHash }], { session })
    },

    /** Replaces the password hash `from`; false when the stored hash is another one. */
    replace: async (
      personId: string,
      { from, to }: { from: string; to: string },
      session: ClientSession,
    ): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: personId, password_hash: from },
        { $set: { password_hash: to } },
        { session },
      )
      return matchedCount === 1
    },

    /**
     * Makes sure that a password stays valid until the transaction commits; false when it has
     * changed. The write to the row makes every concurrent change of the password conflict.
     */
    lockPassword: async (personId: string, passwordHash: string, session: ClientSession): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: personId, password_hash: passwordHash },
        { $inc: { relied_on: 1 } },
        { session },
      )
      return matchedCount === 1
    },
  }
}
