import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { fail } from '@watchline/kit/core/errors'

/** The hashing itself; tests count its calls. */
export interface PasswordHashing {
  hash(password: string): Promise<string>
  verify(hashed: string, password: string): Promise<boolean>
}

// argon2id (the library's default variant); figures: OWASP Password Storage Cheat Sheet.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const argon2id: PasswordHashing = {
  hash: password => hash(password, cost),
  verify: (hashed, password) => verify(hashed, password),
}

/** Hashing shares libuv's few threads with files and names: only these many at once, and a queue that ends. */
const atOnce = 2
const maxWaiting = 32

export interface PasswordHasher {
  hash(password: string): Promise<string>
  /** Takes as long for an account that does not exist (undefined), and is then false. */
  verify(hashed: string | undefined, password: string): Promise<boolean>
}

/** Rejects with `overloaded` when too many wait already. */
export function createPasswordHasher(hashing: PasswordHashing = argon2id): PasswordHasher {
  const waiting: (() => void)[] = []
  let running = 0
  let nobodys: Promise<string> | undefined

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting) fail('overloaded', { retryAfterS: 2 })
      await new Promise<void>(resolve => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }

  return {
    hash: password => inTurn(() => hashing.hash(password)),
    verify: async (hashed, password) => {
      nobodys ??= hashing.hash(randomBytes(32).toString('base64')).catch(error => {
        nobodys = undefined
        throw error
      })
      const standIn = await nobodys
      return inTurn(async () => (await hashing.verify(hashed ?? standIn, password)) && hashed !== undefined)
    },
  }
}
