import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type Attempts, countAttempt, type GrowingWait, waitAfter } from '../src/live/growing-wait.ts'

const policies: fc.Arbitrary<GrowingWait> = fc
  .record({
    freeAttempts: fc.integer({ min: 1, max: 20 }),
    firstWaitMs: fc.integer({ min: 1, max: 10_000 }),
    factor: fc.integer({ min: 1, max: 1_000 }),
    forgetAfterMs: fc.integer({ min: 1, max: 10_000_000 }),
  })
  .map(({ factor, ...policy }) => ({ ...policy, longestWaitMs: policy.firstWaitMs * factor }))

test('a wait never shrinks, doubles at most, and is never longer than the longest', () => {
  fc.assert(
    fc.property(policies, fc.integer({ min: 1, max: 5_000 }), (policy, attempt) => {
      const [wait, next] = [waitAfter(attempt, policy), waitAfter(attempt + 1, policy)]
      expect(next).toBeGreaterThanOrEqual(wait)
      expect(next).toBeLessThanOrEqual(Math.max(policy.firstWaitMs, 2 * wait))
      expect(next).toBeLessThanOrEqual(policy.longestWaitMs)
      expect(wait === 0).toBe(attempt < policy.freeAttempts)
    }),
  )
})

test('however the attempts are timed, admitted ones keep their distance and refused ones cost nothing', () => {
  fc.assert(
    fc.property(policies, fc.array(fc.nat(5_000), { maxLength: 60 }), (policy, pauses) => {
      let now = 1_000_000
      let attempts: Attempts | undefined
      for (const pause of pauses) {
        now += pause
        const before = attempts
        const counted = countAttempt(before, policy, now)
        if (counted.attempts) {
          if (before) expect(now).toBeGreaterThanOrEqual(before.nextAt)
          attempts = counted.attempts
        } else {
          expect(counted.waitMs).toBe(before!.nextAt - now)
          expect(countAttempt(before, policy, now + counted.waitMs).attempts).toBeDefined()
        }
      }
    }),
  )
})
