import { type ClientSession, type Connection, Schema } from 'mongoose'
import type { SessionProvider } from './sessions.ts'

/** A completed sign-in that waits for its login. */
export interface SignInCode {
  personId: string
  provider: SessionProvider
  /** The provider's refresh token, encrypted for the person. */
  sealedToken?: string | undefined
  /** The provider's ID token, encrypted for the person. */
  sealedIdToken?: string | undefined
  /** The login may end the person's other sessions. */
  mayEndOtherSessions: boolean
}

interface StoredCode {
  /** SHA-256 of the session_id, so that a reader of the database cannot sign in with it. */
  _id: string
  person_id: string
  binding: string
  expires_at: Date
  /** Absent in codes of earlier versions. */
  provider_id?: string
  provider_sid?: string
  provider_token?: string
  id_token?: string
  may_end_other_sessions?: boolean
  /** A login is under way with it. */
  redeemed_at?: Date
}

export type SignInCodeStore = ReturnType<typeof createSignInCodeStore>

/**
 * The single-use codes between the provider's callback and the login. All codes and bindings are
 * hashes.
 */
export function createSignInCodeStore(connection: Connection) {
  const schema = new Schema<StoredCode>(
    {
      _id: String,
      person_id: String,
      binding: String,
      expires_at: Date,
      provider_id: String,
      provider_sid: String,
      provider_token: String,
      id_token: String,
      may_end_other_sessions: Boolean,
      redeemed_at: Date,
    },
    { versionKey: false, collection: 'sign_in_codes' },
  )
  schema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  schema.index({ provider_sid: 1 }, { sparse: true })
  schema.index({ person_id: 1 })
  const model = connection.model<StoredCode>('SignInCode', schema)
  return {
    insert: async (
      code: string,
      binding: string,
      { personId, provider, sealedToken, sealedIdToken, mayEndOtherSessions }: SignInCode,
      expiresAt: number,
    ): Promise<void> => {
      await model.create({
        _id: code,
        person_id: personId,
        binding,
        expires_at: new Date(expiresAt),
        provider_id: provider?.id,
        provider_sid: provider?.sid ?? undefined,
        provider_token: sealedToken,
        id_token: sealedIdToken,
        may_end_other_sessions: mayEndOtherSessions,
      })
    },

    /**
     * Marks the code as used and returns it; undefined for another browser's binding, and for a
     * code that has expired or was used.
     */
    redeem: async (code: string, binding: string, now: number): Promise<SignInCode | undefined> => {
      const row = await model
        .findOneAndUpdate(
          { _id: code, binding, expires_at: { $gt: new Date(now) }, redeemed_at: null },
          { $set: { redeemed_at: new Date(now) } },
        )
        .lean()
      return (
        (row && {
          personId: row.person_id,
          provider: row.provider_id === undefined ? null : { id: row.provider_id, sid: row.provider_sid ?? null },
          sealedToken: row.provider_token,
          sealedIdToken: row.id_token,
          mayEndOtherSessions: row.may_end_other_sessions === true,
        }) ??
        undefined
      )
    },

    /**
     * Deletes a redeemed code in the transaction that opens the session. False if the person was
     * signed out since: a sign-out deletes the codes, too, so MongoDB lets one of the two
     * transactions see the other's result.
     */
    complete: async (code: string, session: ClientSession): Promise<boolean> => {
      const { deletedCount } = await model.deleteOne({ _id: code }, { session })
      return deletedCount === 1
    },

    /** Deletes the codes of a person, also those of logins under way. */
    removeOf: async (personId: string, session: ClientSession): Promise<void> => {
      await model.deleteMany({ person_id: personId }, { session })
    },

    /** Deletes the codes of a session of a provider. */
    removeOfProvider: async ({ id, sid }: { id: string; sid: string }, session: ClientSession): Promise<void> => {
      await model.deleteMany({ provider_sid: sid, provider_id: id }, { session })
    },

    /** Deletes the codes of a person whose session at the provider is unknown. */
    removeWithoutProviderSid: async (personId: string, session: ClientSession): Promise<void> => {
      await model.deleteMany({ person_id: personId, provider_sid: null }, { session })
    },
  }
}
