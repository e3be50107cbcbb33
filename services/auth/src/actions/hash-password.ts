import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { fail } from '@watchline/kit/core/errors'

/** The hash function; tests count its calls. */
export interface PasswordHashing {
  hash(password: string): Promise<string>
  verify(passwordHash: string, password: string): Promise<boolean>
}

// argon2id is the library's default variant. Parameters: OWASP Password Storage Cheat Sheet.
const argon2Parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

export const argon2id: PasswordHashing = {
  hash: password => hash(password, argon2Parameters),
  verify: (passwordHash, password) => verify(passwordHash, password),
}

// Hashing shares libuv's few threads with files and DNS, so concurrency and queue are bounded.
const maxConcurrent = 2
const maxQueued = 32

/** Rejects with `overloaded` when the queue is full. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  /** False for a missing account (undefined), after the same work as for an existing one. */
  verify(passwordHash: string | undefined, password: string): Promise<boolean>
}

export function createPasswordHasher(hashing: PasswordHashing = argon2id): PasswordHasher {
  const queue: (() => void)[] = []
  let running = 0
  let dummyHash: Promise<string> | undefined

  async function runQueued<T>(work: () => Promise<T>): Promise<T> {
    if (running >= maxConcurrent) {
      if (queue.length >= maxQueued) fail('overloaded', { retryAfterS: 2 })
      await new Promise<void>(resolve => queue.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const startNext = queue.shift()
      if (startNext) startNext()
      else running -= 1
    }
  }

  return {
    hash: password => runQueued(() => hashing.hash(password)),
    verify: async (passwordHash, password) => {
      dummyHash ??= hashing.hash(randomBytes(32).toString('base64')).catch(error => {
        dummyHash = undefined
        throw error
      })
      const comparedHash = await dummyHash.then(dummy => passwordHash ?? dummy)
      return runQueued(async () => (await hashing.verify(comparedHash, password)) && passwordHash !== undefined)
    },
  }
}
