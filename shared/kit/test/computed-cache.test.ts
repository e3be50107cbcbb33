import { describe, expect, test } from '@jest/globals'
import { createComputedCache } from '@watchline/kit/mongo/computed-cache'
import { createManualClock } from '@watchline/testing/manual-clock'
import { createLogger } from '../src/observability/log.ts'

function createCounter(options: { busyShare?: number } = {}) {
  const clock = createManualClock(0)
  const computations: { resolve: (value: number) => void; reject: (error: Error) => void }[] = []
  const compute = () => new Promise<number>((resolve, reject) => void computations.push({ resolve, reject }))
  const log = createLogger('test', 'silent')
  const cache = createComputedCache({ clock, log, name: 'counter', compute, maxAgeMs: 10, staleMs: 100, ...options })
  return { clock, computations, cache }
}

describe('a computed value', () => {
  test('is computed once for all callers, and answered while it is fresh', async () => {
    const { clock, computations, cache } = createCounter()
    const answers = [cache.get(), cache.get()]
    computations[0]!.resolve(1)
    expect(await Promise.all(answers)).toEqual([1, 1])
    clock.advance(9)
    expect(await cache.get()).toBe(1)
    expect(computations).toHaveLength(1)
  })

  test('is answered once more while it is refreshed, also if the refresh fails', async () => {
    const { clock, computations, cache } = createCounter()
    const first = cache.get()
    computations[0]!.resolve(1)
    await first
    clock.advance(10)
    expect(await cache.get()).toBe(1)
    computations[1]!.reject(new Error('gone'))
    // The failed refresh ends in a later microtask, then the next call begins another one.
    await new Promise(setImmediate)
    expect(await cache.get()).toBe(1)
    computations[2]!.resolve(3)
    await new Promise(setImmediate)
    expect(await cache.get()).toBe(3)
  })

  test('that takes long is fresh for longer, for at most half of the greatest age', async () => {
    const { clock, computations, cache } = createCounter({ busyShare: 0.2 })
    async function compute(durationMs: number) {
      const value = cache.get()
      clock.advance(durationMs)
      computations.at(-1)!.resolve(durationMs)
      await value
      await new Promise(setImmediate)
    }
    await compute(4)
    // The age counts from the beginning of the computation.
    clock.advance(15)
    await cache.get()
    expect(computations).toHaveLength(1)
    clock.advance(1)
    await compute(40)
    clock.advance(9)
    await cache.get()
    expect(computations).toHaveLength(2)
    clock.advance(1)
    await cache.get()
    expect(computations).toHaveLength(3)
  })

  test('that is stale is never answered', async () => {
    const { clock, computations, cache } = createCounter()
    const first = cache.get()
    computations[0]!.resolve(1)
    await first
    clock.advance(100)
    const second = cache.get()
    computations[1]!.reject(new Error('gone'))
    await expect(second).rejects.toThrow('gone')
  })
})
