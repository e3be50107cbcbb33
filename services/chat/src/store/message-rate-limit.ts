import { limits } from '@watchline/contracts/limits'
import type { RateLimiter } from '@watchline/kit/live/rate-limit'

/**
 * Limits a person's messages and transcripts over all replicas. Off while the live store is
 * unavailable.
 */
export interface MessageRateLimit {
  /** Counts a message; rejects with 429 over the limit. */
  countMessage(personId: string): Promise<void>
  /** Counts a typing hint; rejects with 429 over the limit. */
  countTyping(personId: string): Promise<void>
  /** Counts a transcript, which reads a whole room; rejects with 429 over the limit. */
  countExport(personId: string): Promise<void>
}

export function createMessageRateLimit(rateLimiter: RateLimiter): MessageRateLimit {
  const message = { max: limits.messageRateLimit, windowMs: limits.messageRateWindowMs }
  const typing = { max: limits.typingReportLimit, windowMs: limits.typingReportMs }
  const transcript = { max: limits.exportRateLimit, windowMs: limits.exportRateWindowMs }
  return {
    countMessage: id => rateLimiter.count(`chat-messages:${id}`, message),
    countExport: id => rateLimiter.count(`chat-exports:${id}`, transcript),
    countTyping: id => rateLimiter.count(`chat-typing:${id}`, typing),
  }
}
