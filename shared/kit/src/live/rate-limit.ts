import type { Clock } from '../core/clock.ts'
import { fail } from '../core/errors.ts'
import { ignoreUnavailable, type LiveStore } from './live-store.ts'

export interface RateLimit {
  /** The most uses in the window. */
  max: number
  windowMs: number
  /** Tells people what they did too often. */
  detail?: string
}

/** Applies rate limits by person or organisation, counted over all replicas. */
export interface RateLimiter {
  /**
   * Counts a use, in a window that begins with the first one; fails with 429 over the limit. Off
   * while the live store is unavailable: work must not depend on it.
   */
  count(key: string, limit: RateLimit): Promise<void>
}

export function createRateLimiter({
  live,
  clock,
  enabled,
}: {
  live: Pick<LiveStore, 'counters'>
  clock: Clock
  enabled: boolean
}): RateLimiter {
  return {
    count: async (key, { max, windowMs, detail }) => {
      if (!enabled) return
      const now = clock.now()
      const hit = await live.counters.countHit(key, windowMs, now).catch(ignoreUnavailable)
      if (hit && hit.count > max)
        fail('too_many', { retryAfterS: (hit.resetsAt - now) / 1_000, ...(detail !== undefined && { detail }) })
    },
  }
}
