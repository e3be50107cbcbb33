import type { SecondFactorKind } from '@watchline/contracts/second-factors'
import { isText, newId } from '@watchline/kit/mongo/database'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** Verifies the answers of a passkey. */
export interface PasskeyKey {
  credentialId: string
  /** In COSE form, base64url. */
  publicKey: string
  /** The number of uses, as the authenticator counts them; 0 if it does not. */
  counter: number
  transports: string[]
}

/** Verifies the codes of an authenticator app. */
export interface TotpKey {
  /** Encrypted, see `createSecretBox`. */
  sealedSecret: string
  /** The time step of the last accepted code: neither it nor an earlier one is accepted again. */
  lastStep: number
}

interface FactorFields {
  id: string
  personId: string
  name: string
  /** ms */
  addedAt: number
  lastUsedAt: number | null
}

export type PasskeyRecord = FactorFields & { kind: 'passkey'; key: PasskeyKey }
export type TotpRecord = FactorFields & { kind: 'totp'; key: TotpKey }
export type FactorRecord = PasskeyRecord | TotpRecord
export type NewFactorRecord = Omit<PasskeyRecord, 'id' | 'lastUsedAt'> | Omit<TotpRecord, 'id' | 'lastUsedAt'>

interface StoredFactor {
  _id: string
  person_id: string
  kind: SecondFactorKind
  name: string
  added_at: Date
  last_used_at: Date | null
  credential_id?: string
  public_key?: string
  counter?: number
  transports?: string[]
  sealed_secret?: string
  last_step?: number
}

export type SecondFactorStore = ReturnType<typeof createSecondFactorStore>

/** The second factors of administrators: passkeys and authenticator apps. */
export function createSecondFactorStore(connection: Connection) {
  const schema = new Schema<StoredFactor>(
    {
      _id: String,
      person_id: String,
      kind: String,
      name: String,
      added_at: Date,
      last_used_at: Date,
      credential_id: String,
      public_key: String,
      counter: Number,
      transports: { type: [String], default: undefined },
      sealed_secret: String,
      last_step: Number,
    },
    { versionKey: false, collection: 'second_factors' },
  )
  schema.index({ person_id: 1 })
  schema.index({ kind: 1 })
  schema.index({ credential_id: 1 }, { unique: true, partialFilterExpression: { credential_id: isText } })
  const model = connection.model<StoredFactor>('SecondFactor', schema)

  return {
    list: async (personId: string, session: ClientSession | null = null): Promise<FactorRecord[]> => {
      const rows = await model.find({ person_id: personId }).sort({ added_at: 1, _id: 1 }).session(session).lean()
      return rows.map(toRecord)
    },

    /** The people among these who have a second factor. */
    ownersAmong: async (personIds: readonly string[]): Promise<Set<string>> =>
      new Set(await model.distinct('person_id', { person_id: { $in: [...personIds] } })),

    /** Rejects with a duplicate key error for a passkey that is stored already. */
    insert: async (factor: NewFactorRecord, session: ClientSession): Promise<FactorRecord> => {
      const id = newId()
      const row: StoredFactor = {
        _id: id,
        person_id: factor.personId,
        kind: factor.kind,
        name: factor.name,
        added_at: new Date(factor.addedAt),
        last_used_at: null,
        ...(factor.kind === 'passkey'
          ? {
              credential_id: factor.key.credentialId,
              public_key: factor.key.publicKey,
              counter: factor.key.counter,
              transports: factor.key.transports,
            }
          : { sealed_secret: factor.key.sealedSecret, last_step: factor.key.lastStep }),
      }
      await model.create([row], { session })
      return { id, lastUsedAt: null, ...factor }
    },

    remove: async (personId: string, id: string, session: ClientSession): Promise<FactorRecord | undefined> => {
      const row = await model.findOneAndDelete({ _id: id, person_id: personId }, { session }).lean()
      return row ? toRecord(row) : undefined
    },

    /** Returns the number of removed factors. */
    removeAll: async (personId: string, session: ClientSession): Promise<number> =>
      (await model.deleteMany({ person_id: personId }, { session })).deletedCount,

    /**
     * Uses up the code of a time step. False if it, or a later one, was used before: only one of
     * several calls with the same code succeeds.
     */
    useCode: async (
      id: string,
      { step, now }: { step: number; now: number },
      session: ClientSession,
    ): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, last_step: { $lt: step } },
        { $set: { last_step: step, last_used_at: new Date(now) } },
        { session },
      )
      return matchedCount === 1
    },

    /** Replaces the sealed secrets for which `reseal` returns another form. */
    resealAll: async (reseal: (sealedSecret: string, personId: string) => string | undefined): Promise<void> => {
      for await (const row of model.find({ kind: 'totp' }).lean().cursor()) {
        const sealedSecret = reseal(row.sealed_secret!, row.person_id)
        if (sealedSecret)
          await model.updateOne(
            { _id: row._id, sealed_secret: row.sealed_secret! },
            { $set: { sealed_secret: sealedSecret } },
          )
      }
    },

    /** Stores a passkey's counter; false if another use has changed it meanwhile. */
    usePasskey: async (
      id: string,
      { from, to, now }: { from: number; to: number; now: number },
      session: ClientSession,
    ): Promise<boolean> => {
      const { matchedCount } = await model.updateOne(
        { _id: id, counter: from },
        { $set: { counter: to, last_used_at: new Date(now) } },
        { session },
      )
      return matchedCount === 1
    },
  }
}

function toRecord(row: StoredFactor): FactorRecord {
  const fields = {
    id: row._id,
    personId: row.person_id,
    name: row.name,
    addedAt: row.added_at.getTime(),
    lastUsedAt: row.last_used_at?.getTime() ?? null,
  }
  if (row.kind === 'totp')
    return { ...fields, kind: 'totp', key: { sealedSecret: row.sealed_secret!, lastStep: row.last_step! } }
  return {
    ...fields,
    kind: 'passkey',
    key: {
      credentialId: row.credential_id!,
      publicKey: row.public_key!,
      counter: row.counter!,
      transports: row.transports ?? [],
    },
  }
}
