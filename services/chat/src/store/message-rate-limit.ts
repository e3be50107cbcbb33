import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import { fail } from '@watchline/kit/core/errors'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'

/** Limits a person's messages over all replicas. Off while the live store is unavailable. */
export interface MessageRateLimit {
  /** Counts a message; rejects with 429 over the limit. */
  countMessage(personId: string): Promise<void>
  /** Counts a typing hint; rejects with 429 over the limit. */
  countTyping(personId: string): Promise<void>
}

export function createMessageRateLimit({ live, clock }: { live: LiveStore; clock: Clock }): MessageRateLimit {
  async function count(key: string, max: number, windowMs: number): Promise<void> {
    const now = clock.now()
    const hit = await live.counters.hit(key, windowMs, now).catch(ignoreUnavailable)
    if (hit && hit.count > max) fail('too_many', { retryAfterS: (hit.resetsAt - now) / 1_000 })
  }

  return {
    countMessage: id => count(`chat-messages:${id}`, limits.messageRateLimit, limits.messageRateWindowMs),
    countTyping: id => count(`chat-typing:${id}`, limits.typingReportLimit, limits.typingReportMs),
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (!(error instanceof LiveStoreUnavailable)) throw error
}
