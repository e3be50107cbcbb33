import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject, sign, verify } from 'node:crypto'
import { ConfigError } from '@watchline/kit/core/config-error'
import { publicJwk, thumbprint } from '@watchline/kit/core/signing-keys'
import { type Connection, Schema } from 'mongoose'

/** A public key that has signed records. */
export interface RecordKey {
  kid: string
  /** The public key as in a JWK, base64url. */
  x: string
  firstUsedAt: Date
}

interface StoredKey {
  _id: string
  x: string
  first_used_at: Date
}

/**
 * Signs seals with the configured key, and knows all public keys that ever signed. None is removed,
 * so that documents of earlier keys can be verified for ever.
 */
export interface RecordKeys {
  /** The id of the key that signs. */
  readonly keyId: string
  /** Publishes the key that signs. Call it before the first signature. */
  publish(at: Date): Promise<void>
  /** Base64. */
  sign(text: string): string
  /** False for an unknown key, too. */
  verify(text: string, signature: string, kid: string): Promise<boolean>
  /** The earliest first. */
  list(): Promise<RecordKey[]>
}

export function createRecordKeys(connection: Connection, privateKeyPem: string): RecordKeys {
  const privateKey = readEd25519(privateKeyPem)
  const jwk = publicJwk(privateKey) as JsonWebKey & { x: string }
  const { x } = jwk
  const keyId = thumbprint(jwk)
  const stored = connection.model<StoredKey>(
    'RecordKey',
    new Schema<StoredKey>(
      { _id: String, x: String, first_used_at: Date },
      { versionKey: false, collection: 'record_keys' },
    ),
  )
  const known = new Map([[keyId, publicKeyOf(x)]])

  return {
    keyId,
    publish: async at => {
      const insert = { $setOnInsert: { x, first_used_at: at } }
      // Replicas may start together; the second upsert finds the first one's row.
      await stored.updateOne({ _id: keyId }, insert, { upsert: true }).catch(async error => {
        if (!(await stored.exists({ _id: keyId }))) throw error
      })
    },
    sign: text => sign(null, Buffer.from(text), privateKey).toString('base64'),
    verify: async (text, signature, kid) => {
      if (!known.has(kid)) {
        const row = await stored.findById(kid).lean()
        if (!row) return false
        known.set(kid, publicKeyOf(row.x))
      }
      return verify(null, Buffer.from(text), known.get(kid)!, Buffer.from(signature, 'base64'))
    },
    list: async () => {
      const rows = await stored.find().sort({ _id: 1 }).lean()
      return rows
        .map(({ _id, x, first_used_at }) => ({ kid: _id, x, firstUsedAt: first_used_at }))
        .sort((left, right) => left.firstUsedAt.getTime() - right.firstUsedAt.getTime())
    },
  }
}

/** The public key in PEM, for commands such as openssl. */
export function toPem({ x }: Pick<RecordKey, 'x'>): string {
  return publicKeyOf(x).export({ type: 'spki', format: 'pem' }) as string
}

function publicKeyOf(x: string): KeyObject {
  return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
}

function readEd25519(pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // The message below is for this, too.
  }
  throw new ConfigError('RECORD_PRIVATE_KEY: (hidden) was given, accepted is a private Ed25519 key in PEM')
}
