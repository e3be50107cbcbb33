import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { fail } from '@watchline/kit/core/errors'

/** The hash function; tests count its calls. */
export interface PasswordHashing {
  hash(password: string): Promise<string>
  verify(passwordHash: string, password: string): Promise<boolean>
  /** Whether a stored hash was made with other parameters than new ones. */
  isOutdated(passwordHash: string): boolean
}

interface Argon2Parameters {
  /** KiB. */
  memoryCost: number
  timeCost: number
  parallelism: number
}

/**
 * argon2id is the library's default variant. A hash contains its parameters, so old ones verify.
 */
export function createArgon2id(parameters: Argon2Parameters): PasswordHashing {
  const { memoryCost, timeCost, parallelism } = parameters
  const prefix = `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`
  return {
    hash: password => hash(password, parameters),
    verify: (passwordHash, password) => verify(passwordHash, password),
    isOutdated: passwordHash => !passwordHash.startsWith(prefix),
  }
}

/**
 * The second recommended option of RFC 9106, section 4, for servers that cannot spare 2 GiB a hash.
 * It costs a guess more than three times the memory of OWASP's minimum. Two hashes at once need
 * 128 MiB, which leaves room in a container of 512 MiB.
 */
export const argon2id = createArgon2id({ memoryCost: 65_536, timeCost: 3, parallelism: 4 })

// Hashing shares libuv's few threads with files and DNS, so concurrency and queue are bounded.
const maxConcurrent = 2
const maxQueued = 32
/** Guesses leave the other half to people whose browser or session is known. */
const maxQueuedStrangers = maxQueued / 2

/** Rejects with `overloaded` when the queue is full. */
export interface PasswordHasher {
  hash(password: string): Promise<string>
  /**
   * False for a missing account (undefined), after the same work as for an existing one. Calls of
   * strangers get a part of the queue only.
   */
  verify(passwordHash: string | undefined, password: string, caller?: { isStranger: boolean }): Promise<boolean>
  isOutdated(passwordHash: string): boolean
}

export function createPasswordHasher(hashing: PasswordHashing = argon2id): PasswordHasher {
  const queue: (() => void)[] = []
  let running = 0
  let dummyHash: Promise<string> | undefined

  async function runQueued<T>(work: () => Promise<T>, queueLimit = maxQueued): Promise<T> {
    if (running >= maxConcurrent) {
      if (queue.length >= queueLimit) fail('overloaded', { retryAfterS: 2 })
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
    verify: async (passwordHash, password, { isStranger } = { isStranger: false }) => {
      dummyHash ??= hashing.hash(randomBytes(32).toString('base64')).catch(error => {
        dummyHash = undefined
        throw error
      })
      const comparedHash = await dummyHash.then(dummy => passwordHash ?? dummy)
      return runQueued(
        async () => (await hashing.verify(comparedHash, password)) && passwordHash !== undefined,
        isStranger ? maxQueuedStrangers : maxQueued,
      )
    },
    isOutdated: hashing.isOutdated,
  }
}
