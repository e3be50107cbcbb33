import { sealingKeyOf } from '@watchline/kit/core/secret-box'
import { isText, retireIndexes } from '@watchline/kit/mongo/database'
import { placeholderRetention } from '@watchline/kit/process/config'
import { type ClientSession, type Connection, Schema } from 'mongoose'

/** The provider where the person signed in, by its id, and its own session if it names it. */
export interface SignInOrigin {
  id: string
  sid: string | null
}
/** null for administrators, who sign in with a password, and for sessions of earlier versions. */
export type SessionProvider = SignInOrigin | null

/** A login session. Times in ms. */
export interface Session {
  sid: string
  personId: string
  /** The number of rotations of its refresh token. */
  generation: number
  rotatedAt: number
  createdAt: number
  /** The last time a person used one of its pages, which report that with each refresh. */
  usedAt: number
  /** It ends at this time unless it is used again. */
  expiresAt: number
  /** Browser and system at the sign-in, see `deviceName`. */
  device: string | null
  /** The network address at the sign-in; null for sessions of earlier versions. */
  address: string | null
  provider: SessionProvider
  /**
   * The next check of the account at the provider. Absent without a refresh token of the provider.
   */
  providerCheck?: ProviderCheck | undefined
  /** The provider's ID token, encrypted for the person. After a new secret it cannot be opened. */
  sealedIdToken?: string | undefined
}

/** The time between two checks of an account at its provider, ms. */
export const providerCheckMs = 24 * 3_600_000

export interface ProviderCheck {
  /** The provider's refresh token, encrypted for the person. */
  sealedToken: string
  at: number
}

interface StoredSession {
  _id: string
  person_id: string
  generation: number
  rotated_at: Date
  created_at: Date
  /** Absent in sessions of earlier versions: the time of the last rotation. */
  used_at?: Date
  expires_at: Date
  ended_at: Date | null
  /** Absent in sessions of earlier versions. */
  device?: string | null
  address?: string | null
  provider_id?: string
  provider_sid?: string
  provider_token?: string
  /** The id of the key that sealed the token; absent in sessions of earlier versions. */
  provider_token_key?: string
  provider_check_at?: Date
  id_token?: string
}

/** Seals again what another key has sealed, see `createSecretBox`. */
interface Resealing {
  keyId: string
  reseal(sealedToken: string, personId: string): string | undefined
}

const resealBatchSize = 500

export type SessionStore = ReturnType<typeof createSessionStore>

/**
 * Login sessions. Ended and expired ones stay for `keptAfterExpiryS` after they would have expired;
 * so long the administrator's lists show when somebody was last seen.
 */
export function createSessionStore(connection: Connection, keptAfterExpiryS = placeholderRetention.signInsS) {
  const schema = new Schema<StoredSession>(
    {
      _id: String,
      person_id: String,
      generation: Number,
      rotated_at: Date,
      created_at: Date,
      used_at: Date,
      expires_at: Date,
      ended_at: Date,
      device: String,
      address: String,
      provider_id: String,
      provider_sid: String,
      provider_token: String,
      provider_token_key: String,
      provider_check_at: Date,
      id_token: String,
    },
    { versionKey: false, collection: 'sessions' },
  )
  // The filter makes it another index than that of earlier versions, which is removed afterwards.
  schema.index(
    { expires_at: 1 },
    {
      expireAfterSeconds: keptAfterExpiryS,
      partialFilterExpression: { expires_at: { $gt: new Date(0) } },
      name: 'kept',
    },
  )
  schema.index({ person_id: 1 })
  schema.index({ provider_sid: 1 }, { sparse: true })
  schema.index({ provider_token_key: 1 }, { partialFilterExpression: { provider_token: isText }, name: 'token_keys' })
  schema.index({ ended_at: 1 }, { partialFilterExpression: { ended_at: { $gt: new Date(0) } }, name: 'ended' })
  retireIndexes(schema, 'ended_at_1', 'expires_at_1', 'provider_check_at_1')
  const model = connection.model<StoredSession>('Session', schema)

  const active = (now: number) => ({ ended_at: null, expires_at: { $gt: new Date(now) } })
  const activeSession = (sid: string, now: number) => ({ _id: sid, ...active(now) })

  return {
    /**
     * The last time that these people used a page in any session, in ms. Without a session a person
     * is absent. An unattended page renews its session, too, so renewals say nothing.
     */
    lastUses: async (personIds: readonly string[]): Promise<Map<string, number>> => {
      const rows = await model.aggregate<{ _id: string; at: Date }>([
        { $match: { person_id: { $in: [...personIds] } } },
        { $group: { _id: '$person_id', at: { $max: { $ifNull: ['$used_at', '$rotated_at'] } } } },
      ])
      return new Map(rows.map(row => [row._id, row.at.getTime()]))
    },

    insert: async (session: Session, transaction: ClientSession): Promise<void> => {
      const row: StoredSession = {
        _id: session.sid,
        person_id: session.personId,
        generation: session.generation,
        rotated_at: new Date(session.rotatedAt),
        created_at: new Date(session.createdAt),
        used_at: new Date(session.usedAt),
        expires_at: new Date(session.expiresAt),
        ended_at: null,
        device: session.device,
        address: session.address,
        ...(session.provider && { provider_id: session.provider.id }),
        ...(session.provider?.sid && { provider_sid: session.provider.sid }),
        ...(session.providerCheck && storedCheck(session.providerCheck)),
        ...(session.sealedIdToken && { id_token: session.sealedIdToken }),
      }
      await model.create([row], { session: transaction })
    },

    /** The session, unless it has ended or expired. */
    find: async (sid: string, now: number): Promise<Session | undefined> => {
      const row = await model.findOne(activeSession(sid, now)).lean()
      return row ? toSession(row) : undefined
    },

    /** The person of a session, even if it has ended. */
    findPersonId: async (sid: string): Promise<string | undefined> =>
      (await model.findById(sid, { person_id: 1 }).lean())?.person_id,

    /** Increments `generation`; only one of several concurrent calls succeeds. */
    rotate: async (
      sid: string,
      generation: number,
      now: number,
      { usedAt, expiresAt }: Pick<Session, 'usedAt' | 'expiresAt'>,
    ): Promise<Session | undefined> => {
      const times = { rotated_at: new Date(now), used_at: new Date(usedAt), expires_at: new Date(expiresAt) }
      const row = await model
        .findOneAndUpdate(
          { ...activeSession(sid, now), generation },
          { $inc: { generation: 1 }, $set: times },
          { returnDocument: 'after' },
        )
        .lean()
      return row ? toSession(row) : undefined
    },

    /** Ends a session; undefined when it has ended before. */
    end: async (sid: string, now: number, transaction: ClientSession): Promise<Session | undefined> => {
      const row = await model
        .findOneAndUpdate(
          activeSession(sid, now),
          { $set: { ended_at: new Date(now) }, $unset: withoutTokens },
          { session: transaction },
        )
        .lean()
      return row ? toSession(row) : undefined
    },

    /** Removes device, address and the provider’s session from all sessions of a person. */
    eraseDevices: async (personId: string, transaction: ClientSession): Promise<void> => {
      const fields = { device: null, address: null }
      const change = { $set: fields, $unset: { provider_sid: 1 as const, ...withoutTokens } }
      await model.updateMany({ person_id: personId }, change, { session: transaction })
    },

    /** Moves a check to a later time; false if another call has done so. */
    claimProviderCheck: async (sid: string, from: number, to: number): Promise<boolean> => {
      const { modifiedCount } = await model.updateOne(
        { _id: sid, ended_at: null, provider_check_at: new Date(from) },
        { $set: { provider_check_at: new Date(to) } },
      )
      return modifiedCount === 1
    },

    /** Leaves the token, which may have been sealed again meanwhile. */
    postponeProviderCheck: async (sid: string, to: number): Promise<void> => {
      const checked = { _id: sid, ended_at: null, provider_check_at: { $exists: true } }
      await model.updateOne(checked, { $set: { provider_check_at: new Date(to) } })
    },

    saveProviderCheck: async (sid: string, check: ProviderCheck): Promise<void> => {
      await model.updateOne({ _id: sid, ended_at: null }, { $set: storedCheck(check) })
    },

    /**
     * Seals the tokens of other keys with the current key. Stops at the signal. Does not read
     * tokens of the current key. Replicas may do this at the same time. Returns the number of
     * changed sessions.
     */
    resealProviderTokens: async ({ keyId, reseal }: Resealing, signal: AbortSignal): Promise<number> => {
      let changed = 0
      let writes: Parameters<typeof model.bulkWrite>[0] = []
      const write = async () => {
        if (writes.length > 0) changed += (await model.bulkWrite(writes, { ordered: false })).modifiedCount
        writes = []
      }
      const rows = model
        .find({ provider_token: isText, provider_token_key: { $ne: keyId } }, { person_id: 1, provider_token: 1 })
        .lean()
        .cursor({ batchSize: resealBatchSize })
      for await (const { _id, person_id, provider_token } of rows) {
        const sealedToken = reseal(provider_token!, person_id)
        // The token in the filter: a check at the provider may replace it meanwhile.
        if (sealedToken)
          writes.push({ updateOne: { filter: { _id, provider_token }, update: { $set: storedToken(sealedToken) } } })
        if (writes.length === resealBatchSize) await write()
        if (signal.aborted) break
      }
      await write()
      return changed
    },

    /** The ids of a person's active sessions. */
    findActiveIds: async (
      personId: string,
      { except }: { except: string | undefined },
      now: number,
      transaction: ClientSession,
    ): Promise<string[]> => {
      const rows = await model
        .find(
          {
            person_id: personId,
            ...active(now),
            ...(except !== undefined && { _id: { $ne: except } }),
          },
          { _id: 1 },
        )
        .session(transaction)
        .lean()
      return rows.map(row => row._id)
    },

    /** The ids of the active sessions that belong to a session of a provider. */
    findIdsOfProvider: async (
      { id, sid }: { id: string; sid: string },
      now: number,
      transaction: ClientSession,
    ): Promise<string[]> => {
      const rows = await model
        .find({ provider_sid: sid, provider_id: id, ...active(now) }, { _id: 1 })
        .session(transaction)
        .lean()
      return rows.map(row => row._id)
    },

    /** The ids of a person's active sessions whose session at the provider is unknown. */
    findIdsWithoutProviderSid: async (personId: string, now: number, transaction: ClientSession): Promise<string[]> => {
      const rows = await model
        .find({ person_id: personId, provider_sid: null, ...active(now) }, { _id: 1 })
        .session(transaction)
        .lean()
      return rows.map(row => row._id)
    },

    /** A person's active sessions, latest first. */
    listActive: async (
      personId: string,
      now: number,
      { skip = 0, limit, transaction = null }: { skip?: number; limit: number; transaction?: ClientSession | null },
    ): Promise<Session[]> => {
      const rows = await model
        .find({ person_id: personId, ...active(now) })
        .sort({ created_at: -1, _id: -1 })
        .skip(skip)
        .limit(limit)
        .session(transaction)
        .lean()
      return rows.map(toSession)
    },

    /** The start of a person's latest session before a time, ended ones included; ms. */
    previousStart: async (personId: string, before: number): Promise<number | undefined> => {
      // The token that carries the time has whole seconds.
      const second = new Date(Math.floor(before / 1_000) * 1_000)
      const row = await model
        .findOne({ person_id: personId, created_at: { $lt: second } }, { created_at: 1 })
        .sort({ created_at: -1 })
        .lean()
      return row?.created_at.getTime()
    },

    /** The sessions that ended at or after a time. */
    endedSince: async (time: number): Promise<{ sid: string; endedAt: number }[]> => {
      const rows = await model.find({ ended_at: { $gte: new Date(time) } }, { ended_at: 1 }).lean()
      return rows.map(row => ({ sid: row._id, endedAt: row.ended_at!.getTime() }))
    },
  }
}

const withoutTokens = { provider_token: 1, provider_token_key: 1, provider_check_at: 1, id_token: 1 } as const

function storedCheck({ sealedToken, at }: ProviderCheck) {
  return { ...storedToken(sealedToken), provider_check_at: new Date(at) }
}

function storedToken(sealedToken: string) {
  const key = sealingKeyOf(sealedToken)
  return { provider_token: sealedToken, ...(key !== undefined && { provider_token_key: key }) }
}

function toSession(row: StoredSession): Session {
  return {
    sid: row._id,
    personId: row.person_id,
    generation: row.generation,
    rotatedAt: row.rotated_at.getTime(),
    createdAt: row.created_at.getTime(),
    usedAt: (row.used_at ?? row.rotated_at).getTime(),
    expiresAt: row.expires_at.getTime(),
    device: row.device ?? null,
    address: row.address ?? null,
    provider: row.provider_id === undefined ? null : { id: row.provider_id, sid: row.provider_sid ?? null },
    ...(row.provider_token &&
      row.provider_check_at && {
        providerCheck: { sealedToken: row.provider_token, at: row.provider_check_at.getTime() },
      }),
    ...(row.id_token && { sealedIdToken: row.id_token }),
  }
}
