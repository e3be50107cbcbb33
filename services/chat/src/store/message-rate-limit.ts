import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import { fail } from '@watchline/kit/core/errors'
import { type LiveStore, LiveStoreUnavailable } from '@watchline/kit/live/live-store'

/** Bounds on what one person says, all replicas together. While the live store is away there are none. */
export interface Flood {
  /** Counts a message; rejects with 429 when there were too many. */
  message(personId: string): Promise<void>
  typing(personId: string): Promise<void>
}

export function createFlood({ live, clock }: { live: LiveStore; clock: Clock }): Flood {
  async function bound(key: string, most: number, windowMs: number): Promise<void> {
    const now = clock.now()
    const hit = await live.counters.hit(key, windowMs, now).catch(unlessAway)
    if (hit && hit.count > most) fail('too_many', { retryAfterS: (hit.resetsAt - now) / 1_000 })
  }

  return {
    message: id => bound(`chat-messages:${id}`, limits.chatFloodMessages, limits.chatFloodWindowMs),
    typing: id => bound(`chat-typing:${id}`, limits.chatTypingTells, limits.typingSayMs),
  }
}

function unlessAway(error: unknown): undefined {
  if (!(error instanceof LiveStoreUnavailable)) throw error
}
