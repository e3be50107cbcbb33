import { expect, test } from '@jest/globals'
import { createPasswordHasher } from '../src/actions/hash-password.ts'

/** Hashing that waits to be let go, and counts how many are at it. */
function heldHashing() {
  let running = 0
  const release: (() => void)[] = []
  const seen = { most: 0 }
  return {
    seen,
    release,
    hash: async () => {
      running += 1
      seen.most = Math.max(seen.most, running)
      await new Promise<void>(resolve => release.push(resolve))
      running -= 1
      return 'hashed'
    },
    verify: async () => true,
  }
}

test('two are hashed at once, the rest wait, and beyond a bound they are sent away', async () => {
  const hashing = heldHashing()
  const passwords = createPasswordHasher(hashing)
  const outcomes = Array.from({ length: 40 }, () =>
    passwords.hash('x').then(
      () => 'done',
      (error: { code: string; retryAfterS: number }) => `${error.code} ${error.retryAfterS}`,
    ),
  )
  let open = outcomes.length
  for (const outcome of outcomes) void outcome.then(() => (open -= 1))
  while (open > 0) {
    hashing.release.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  const answers = await Promise.all(outcomes)
  expect(hashing.seen.most).toBe(2)
  expect(answers.filter(answer => answer === 'done')).toHaveLength(34)
  expect(answers.filter(answer => answer === 'overloaded 2')).toHaveLength(6)
})

test('a hash that fails does not keep its place', async () => {
  let fails = true
  const passwords = createPasswordHasher({
    hash: async () => {
      if (fails) throw new Error('no memory')
      return 'hashed'
    },
    verify: async () => true,
  })
  for (let count = 0; count < 5; count += 1) await expect(passwords.hash('x')).rejects.toThrow('no memory')
  fails = false
  await expect(passwords.hash('x')).resolves.toBe('hashed')
})
