import { expect, test } from '@jest/globals'
import { eventually } from '@watchline/testing/harness'
import { createPasswordHasher } from '../src/actions/hash-password.ts'

/** Hashing that the test releases. It records the highest number of concurrent calls. */
function createPausedHashing() {
  let running = 0
  const release: (() => void)[] = []
  const concurrency = { max: 0 }
  return {
    concurrency,
    release,
    hash: async () => {
      running += 1
      concurrency.max = Math.max(concurrency.max, running)
      await new Promise<void>(resolve => release.push(resolve))
      running -= 1
      return 'hashed'
    },
    verify: async () => true,
    isOutdated: () => false,
  }
}

test('two calls run at once, the next are queued, and a full queue rejects', async () => {
  const hashing = createPausedHashing()
  const passwords = createPasswordHasher(hashing)
  const outcomes = Array.from({ length: 40 }, () =>
    passwords.hash('x').then(
      () => 'done',
      (error: { code: string; retryAfterS: number }) => `${error.code} ${error.retryAfterS}`,
    ),
  )
  let pending = outcomes.length
  for (const outcome of outcomes) void outcome.then(() => (pending -= 1))
  while (pending > 0) {
    hashing.release.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  const answers = await Promise.all(outcomes)
  expect(hashing.concurrency.max).toBe(2)
  expect(answers.filter(answer => answer === 'done')).toHaveLength(34)
  expect(answers.filter(answer => answer === 'overloaded 2')).toHaveLength(6)
})

test('strangers fill only half of the queue, so that a known browser finds a place', async () => {
  const verifying: (() => void)[] = []
  const passwords = createPasswordHasher({
    hash: async () => 'hashed',
    verify: () => new Promise(resolve => verifying.push(() => resolve(true))),
    isOutdated: () => false,
  })
  await passwords.hash('x')
  let refused = 0
  const count = () => {
    refused += 1
    return false
  }
  const guesses = Array.from({ length: 40 }, () =>
    passwords.verify('hashed', 'guess', { isStranger: true }).catch(count),
  )
  await eventually(() => expect(refused).toBe(40 - 2 - 16))
  const known = passwords.verify('hashed', 'right', { isStranger: false })
  while (verifying.length > 0) {
    verifying.shift()!()
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(await known).toBe(true)
  expect((await Promise.all(guesses)).filter(Boolean)).toHaveLength(18)
})

test('a failed hash frees its slot', async () => {
  let fails = true
  const passwords = createPasswordHasher({
    hash: async () => {
      if (fails) throw new Error('no memory')
      return 'hashed'
    },
    verify: async () => true,
    isOutdated: () => false,
  })
  for (let count = 0; count < 5; count += 1) await expect(passwords.hash('x')).rejects.toThrow('no memory')
  fails = false
  await expect(passwords.hash('x')).resolves.toBe('hashed')
})
