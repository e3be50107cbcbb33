import type { Clock } from '../core/clock.ts'
import type { Logger } from '../observability/log.ts'

/** A value that is costly to compute, kept in memory and shared by all callers. */
export interface ComputedCache<Value> {
  get(): Promise<Value>
}

export interface ComputedCacheOptions<Value> {
  clock: Clock
  log: Logger
  /** The name of the computed value in the log. */
  name: string
  compute: () => Promise<Value>
  /** A younger value is answered as it is, as with max-age in HTTP. */
  maxAgeMs: number
  /**
   * The greatest share of time, 0 to 1, that refreshes take. A value that takes long to compute is
   * therefore fresh for longer than `maxAgeMs`, but for at most half of `staleMs`.
   */
  busyShare?: number
  /**
   * Nobody gets an older value: the caller waits. Before that age, a refresh starts in the
   * background.
   */
  staleMs: number
}

/**
 * Guarantees one computation at a time in this process, however many callers ask, and no answer
 * older than `staleMs`. It costs freshness: an answer may be as old as a fresh value, plus one
 * computation.
 */
export function createComputedCache<Value>(options: ComputedCacheOptions<Value>): ComputedCache<Value> {
  const { clock, log, name, compute, maxAgeMs, staleMs, busyShare = 1 } = options
  let stored: { value: Value; at: number; maxAgeMs: number } | undefined
  let running: Promise<Value> | undefined

  async function refresh(): Promise<Value> {
    const at = clock.now()
    try {
      const value = await compute()
      const freshEnoughMs = Math.min((clock.now() - at) / busyShare, staleMs / 2)
      stored = { value, at, maxAgeMs: Math.max(maxAgeMs, freshEnoughMs) }
      return value
    } finally {
      running = undefined
    }
  }

  return {
    get: async () => {
      const ageMs = stored ? clock.now() - stored.at : Number.POSITIVE_INFINITY
      if (stored && ageMs < stored.maxAgeMs) return stored.value
      running ??= refresh()
      if (!stored || ageMs >= staleMs) return running
      running.catch(error =>
        log.warn({ err: error, name }, 'refresh of a cached value failed, retrying at the next call'),
      )
      return stored.value
    },
  }
}
