import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { SecretList } from './hmac-signer.ts'

export interface SecretBox {
  /** Names the current key in the texts that it has sealed. It reveals nothing about the key. */
  readonly keyId: string
  /** Encrypts a secret for the database. `owner` must be the same when it is opened. */
  seal(secret: string, owner: string): string
  /** Undefined for a text that was changed, belongs to another owner, or has another key. */
  open(sealed: string, owner: string): string | undefined
  /**
   * The same secret with the current key and its id; undefined if it has these, or cannot be
   * opened.
   */
  reseal(sealed: string, owner: string): string | undefined
}

const algorithm = 'aes-256-gcm'

/**
 * Encrypts secrets at rest (AES-256-GCM) with keys that HKDF derives from secrets of the
 * installation. It seals with the first one, and opens with any.
 *
 * The key's id is the last part of a sealed text, because earlier versions read the first three
 * parts only. They run together with this version during an update.
 */
export function createSecretBox(secrets: SecretList, purpose: string): SecretBox {
  const keys = secrets.map(secret => Buffer.from(hkdfSync('sha256', secret, '', purpose, 32)))
  const keyId = Buffer.from(hkdfSync('sha256', secrets[0], '', `${purpose}, id of the key`, 8)).toString('base64url')

  function openWith(key: Buffer, sealed: string, owner: string): string | undefined {
    const [iv, tag, text] = sealed.split('.').map(part => Buffer.from(part, 'base64url'))
    if (!iv || !tag || !text) return undefined
    try {
      const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: 16 }).setAAD(Buffer.from(owner))
      decipher.setAuthTag(tag)
      return Buffer.concat([decipher.update(text), decipher.final()]).toString()
    } catch {
      return undefined
    }
  }

  function seal(secret: string, owner: string): string {
    const iv = randomBytes(12)
    const cipher = createCipheriv(algorithm, keys[0]!, iv, { authTagLength: 16 }).setAAD(Buffer.from(owner))
    const text = Buffer.concat([cipher.update(secret), cipher.final()])
    return [...[iv, cipher.getAuthTag(), text].map(part => part.toString('base64url')), keyId].join('.')
  }

  function open(sealed: string, owner: string): string | undefined {
    for (const key of keys) {
      const secret = openWith(key, sealed, owner)
      if (secret !== undefined) return secret
    }
    return undefined
  }

  return {
    keyId,
    seal,
    open,
    reseal: (sealed, owner) => {
      if (sealingKeyOf(sealed) === keyId) return undefined
      const secret = open(sealed, owner)
      return secret === undefined ? undefined : seal(secret, owner)
    },
  }
}

/** The id of the key that sealed a text. Earlier versions stored none. */
export function sealingKeyOf(sealed: string): string | undefined {
  return sealed.split('.')[3]
}
