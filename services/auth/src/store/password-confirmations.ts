import { createHash } from 'node:crypto'
import { type ClientSession, type Connection, Schema } from 'mongoose'

export interface PasswordConfirmation {
  id: string
  personId: string
  /** The secret of an authenticator app that is being set up, encrypted. */
  sealedSecret: string | undefined
  isOf(passwordHash: string): boolean
}

interface StoredConfirmation {
  _id: string
  person_id: string
  /** SHA-256 of the password hash: a change of the password ends the confirmation. */
  password: string
  /** The challenge that a passkey must sign. */
  challenge?: string
  sealed_secret?: string
  expires_at: Date
}

export type PasswordConfirmationStore = ReturnType<typeof createPasswordConfirmationStore>

/**
 * Passwords that administrators entered a few minutes ago: what a second factor completes to a
 * sign-in, and what permits them to add a second factor. It also keeps what must not be taken from
 * the browser's answer: the challenge and the new secret.
 */
export function createPasswordConfirmationStore(connection: Connection) {
  const schema = new Schema<StoredConfirmation>(
    {
      _id: String,
      person_id: String,
      password: String,
      challenge: String,
      sealed_secret: String,
      expires_at: Date,
    },
    { versionKey: false, collection: 'password_confirmations' },
  )
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  const model = connection.model<StoredConfirmation>('PasswordConfirmation', schema)
  const valid = (id: string, now: number) => ({ _id: id, expires_at: { $gt: new Date(now) } })

  return {
    /** Replaces an earlier confirmation of this id. */
    open: async (
      id: string,
      { personId, passwordHash, expiresAt }: { personId: string; passwordHash: string; expiresAt: number },
    ): Promise<void> => {
      await model.replaceOne(
        { _id: id },
        { person_id: personId, password: sha256(passwordHash), expires_at: new Date(expiresAt) },
        { upsert: true },
      )
    },

    find: async (id: string, now: number): Promise<PasswordConfirmation | undefined> => {
      const row = await model.findOne(valid(id, now)).lean()
      return row
        ? {
            id,
            personId: row.person_id,
            sealedSecret: row.sealed_secret,
            isOf: passwordHash => row.password === sha256(passwordHash),
          }
        : undefined
    },

    saveChallenge: async (id: string, challenge: string): Promise<void> => {
      await model.updateOne({ _id: id }, { $set: { challenge } })
    },

    /** Returns the challenge and removes it: each is valid for one answer, right or wrong. */
    consumeChallenge: async (id: string, now: number): Promise<string | undefined> =>
      (await model.findOneAndUpdate(valid(id, now), { $unset: { challenge: true } }).lean())?.challenge,

    saveSecret: async (id: string, sealedSecret: string): Promise<void> => {
      await model.updateOne({ _id: id }, { $set: { sealed_secret: sealedSecret } })
    },

    /** Uses the confirmation up; only one of several calls succeeds. */
    close: async (id: string, session: ClientSession): Promise<boolean> =>
      (await model.deleteOne({ _id: id }, { session })).deletedCount === 1,
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
