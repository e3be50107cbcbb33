import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import { countUse } from '@watchline/kit/live/rate-limit'

/** Limits a person's messages and transcripts over all replicas. Off while the live store is unavailable. */
export interface MessageRateLimit {
  /** Counts a message; rejects with 429 over the limit. */
  countMessage(personId: string): Promise<void>
  /** Counts a typing hint; rejects with 429 over the limit. */
  countTyping(personId: string): Promise<void>
  /** Counts a transcript, which reads a whole room; rejects with 429 over the limit. */
  countExport(personId: string): Promise<void>
}

export function createMessageRateLimit(deps: { live: LiveStore; clock: Clock }): MessageRateLimit {
  const message = { max: limits.messageRateLimit, windowMs: limits.messageRateWindowMs }
  const typing = { max: limits.typingReportLimit, windowMs: limits.typingReportMs }
  const transcript = { max: limits.exportRateLimit, windowMs: limits.exportRateWindowMs }
  return {
    countMessage: id => countUse(deps, `chat-messages:${id}`, message),
    countExport: id => countUse(deps, `chat-exports:${id}`, transcript),
    countTyping: id => countUse(deps, `chat-typing:${id}`, typing),
  }
}
