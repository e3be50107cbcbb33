import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { fullScan } from '@watchline/kit/mongo/database'
import { isDuplicateKey } from '@watchline/kit/mongo/errors'
import { type Connection, Schema } from 'mongoose'

type Payload = Record<string, unknown> & { grantId?: string; uid?: string; userCode?: string; consumed?: number }

interface StoredItem {
  _id: string
  payload: Payload
  expires_at: Date | null
}

/** A private key in JSON (RFC 7517). RSA keys are those of older versions. */
export interface SigningJwk {
  alg: 'ES256' | 'RS256'
}

/**
 * Nobody reads what the library would store of these: there is no userinfo endpoint, and no sign-in
 * is remembered.
 */
const unstoredModels = new Set(['AccessToken', 'Session'])

const nothing = async () => undefined
const emptyAdapter = {
  ...{ upsert: nothing, find: nothing, findByUid: nothing, findByUserCode: nothing },
  ...{ consume: nothing, destroy: nothing, revokeByGrantId: nothing },
}

export type ProviderStore = ReturnType<typeof createProviderStore>

/**
 * The state of the development provider. It is in MongoDB, so that any replica can answer and a
 * restart loses no open sign-in.
 */
export function createProviderStore(connection: Connection) {
  const itemSchema = new Schema<StoredItem>(
    { _id: String, payload: Schema.Types.Mixed, expires_at: Date },
    { versionKey: false, collection: 'development_items', minimize: false },
  )
  itemSchema.index({ expires_at: 1 }, { expireAfterSeconds: 0 })
  itemSchema.index({ 'payload.grantId': 1 }, { sparse: true })
  itemSchema.index({ 'payload.uid': 1 }, { sparse: true })
  const items = connection.model<StoredItem>('DevelopmentItem', itemSchema)
  const keys = connection.model<{ _id: string; jwk: SigningJwk }>(
    'DevelopmentKey',
    new Schema({ _id: String, jwk: Schema.Types.Mixed }, { versionKey: false, collection: 'development_keys' }),
  )
  const names = connection.model<{ _id: string; name: string }>(
    'DevelopmentName',
    new Schema({ _id: String, name: String }, { versionKey: false, collection: 'development_names' }),
  )

  const unexpired = () => ({ $or: [{ expires_at: null }, { expires_at: { $gt: new Date() } }] })

  /** The storage adapter of one model, with the interface that the library defines. */
  const createAdapter = (model: string) => {
    if (unstoredModels.has(model)) return emptyAdapter
    const key = (id: string) => `${model}:${id}`
    const ofModel = { _id: { $gte: `${model}:`, $lt: `${model};` } }
    return {
      upsert: async (id: string, payload: Payload, expiresInS?: number) => {
        const expires_at = expiresInS ? new Date(Date.now() + expiresInS * 1_000) : null
        await items.replaceOne({ _id: key(id) }, { payload, expires_at }, { upsert: true })
      },
      find: async (id: string) => (await items.findOne({ _id: key(id), ...unexpired() }).lean())?.payload,
      findByUid: async (uid: string) =>
        (await items.findOne({ 'payload.uid': uid, ...ofModel, ...unexpired() }).lean())?.payload,
      findByUserCode: async () => undefined,
      consume: async (id: string) => {
        await items.updateOne({ _id: key(id) }, { $set: { 'payload.consumed': Math.floor(Date.now() / 1_000) } })
      },
      destroy: async (id: string) => {
        await items.deleteOne({ _id: key(id) })
      },
      revokeByGrantId: async (grantId: string) => {
        await items.deleteMany({ 'payload.grantId': grantId, ...ofModel })
      },
    }
  }

  return {
    adapter: createAdapter,

    /** The signing key. The first call creates it. */
    signingKey: async (): Promise<SigningJwk> => {
      const stored = await keys.findById('signing').lean()
      if (stored) return stored.jwk
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const jwk = { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' as const, kid: randomUUID() }
      try {
        await keys.create({ _id: 'signing', jwk })
        return jwk
      } catch (error) {
        if (!isDuplicateKey(error)) throw error
        return (await keys.findById('signing').lean())!.jwk
      }
    },

    /** Removes an account: its name and its sign-ins. */
    removeAccount: async (email: string): Promise<void> => {
      await names.deleteOne({ _id: email })
      for await (const { _id, payload } of items.find({}, {}, fullScan).lean())
        if (JSON.stringify(payload).includes(email)) await items.deleteOne({ _id })
    },

    /** The name that somebody typed for an account. */
    name: async (email: string): Promise<string | undefined> => (await names.findById(email).lean())?.name,
    saveName: async (email: string, name: string): Promise<void> => {
      await names.updateOne({ _id: email }, { $set: { name } }, { upsert: true })
    },
  }
}
