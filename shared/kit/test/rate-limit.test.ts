import { afterEach, expect, test } from '@jest/globals'
import { LiveStoreUnavailable } from '../src/live/live-store.ts'
import { createMemoryLiveStore } from '../src/live/memory-live-store.ts'
import { createRateLimiter } from '../src/live/rate-limit.ts'

const live = createMemoryLiveStore()
afterEach(() => live.close())

const clock = { now: () => Date.UTC(2026, 0, 5, 9) }
const limit = { max: 2, windowMs: 60_000, detail: 'Too many files.' }

test('uses beyond the limit are refused with the time to wait, for this key only', async () => {
  const uses = createRateLimiter({ live, clock, enabled: true })
  for (let used = 0; used < limit.max; used += 1) await uses.count('files:one', limit)
  await expect(uses.count('files:one', limit)).rejects.toMatchObject({
    code: 'too_many',
    retryAfterS: 60,
    message: limit.detail,
  })
  await uses.count('files:another', limit)
})

test('nothing is refused when limits are off, or while the live store is unavailable', async () => {
  const countHit = () => Promise.reject(new LiveStoreUnavailable('down'))
  const broken = { counters: { ...live.counters, countHit } }
  for (const uses of [
    createRateLimiter({ live, clock, enabled: false }),
    createRateLimiter({ live: broken, clock, enabled: true }),
  ])
    for (let used = 0; used < limit.max + 2; used += 1) await uses.count('files:third', limit)
  const uses = createRateLimiter({ live, clock, enabled: true })
  await uses.count('files:third', limit)
})
