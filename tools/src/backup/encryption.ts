import { createCipheriv, createDecipheriv, type DecipherGCM, randomBytes } from 'node:crypto'
import { Transform } from 'node:stream'
import type { BackupKeys } from './keys.ts'

// AES-256-GCM. A file is the nonce, the encrypted data, and the authentication tag. The name is
// authenticated too, so that no file can take the place of another.
const cipherName = 'aes-256-gcm'
const nonceBytes = 12
const tagBytes = 16

export function encryptFile(name: string, { encryption }: BackupKeys): Transform {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv(cipherName, encryption, nonce).setAAD(Buffer.from(name))
  let hasStarted = false
  const start = (stream: Transform) => {
    if (!hasStarted) stream.push(nonce)
    hasStarted = true
  }
  return new Transform({
    transform(chunk, _encoding, done) {
      start(this)
      done(null, cipher.update(chunk))
    },
    flush(done) {
      start(this)
      this.push(cipher.final())
      done(null, cipher.getAuthTag())
    },
  })
}

/** Fails at the end for a changed file or another key. */
export function decryptFile(name: string, { encryption }: BackupKeys): Transform {
  let decipher: DecipherGCM | undefined
  /** Bytes that are not decrypted yet: the nonce at first, and later what may be the tag. */
  let pendingBytes: Buffer = Buffer.alloc(0)
  return new Transform({
    transform(chunk, _encoding, done) {
      pendingBytes = Buffer.concat([pendingBytes, chunk])
      if (!decipher) {
        if (pendingBytes.length < nonceBytes) return done()
        decipher = createDecipheriv(cipherName, encryption, pendingBytes.subarray(0, nonceBytes)).setAAD(
          Buffer.from(name),
        )
        pendingBytes = pendingBytes.subarray(nonceBytes)
      }
      const ready = Math.max(0, pendingBytes.length - tagBytes)
      const output = decipher.update(pendingBytes.subarray(0, ready))
      pendingBytes = pendingBytes.subarray(ready)
      done(null, output)
    },
    flush(done) {
      try {
        if (!decipher || pendingBytes.length !== tagBytes) throw new Error('the file is too short')
        decipher.setAuthTag(pendingBytes)
        done(null, decipher.final())
      } catch (error) {
        done(error as Error)
      }
    },
  })
}
