import { limits } from '@watchline/contracts/limits'
import type { UseLimits } from '@watchline/kit/live/rate-limit'

/** Limits a person's messages and transcripts over all replicas. Off while the live store is unavailable. */
export interface MessageRateLimit {
  /** Counts a message; rejects with 429 over the limit. */
  countMessage(personId: string): Promise<void>
  /** Counts a typing hint; rejects with 429 over the limit. */
  countTyping(personId: string): Promise<void>
  /** Counts a transcript, which reads a whole room; rejects with 429 over the limit. */
  countExport(personId: string): Promise<void>
}

export function createMessageRateLimit(useLimits: UseLimits): MessageRateLimit {
  const message = { max: limits.messageRateLimit, windowMs: limits.messageRateWindowMs }
  const typing = { max: limits.typingReportLimit, windowMs: limits.typingReportMs }
  const transcript = { max: limits.exportRateLimit, windowMs: limits.exportRateWindowMs }
  return {
    countMessage: id => useLimits.count(`chat-messages:${id}`, message),
    countExport: id => useLimits.count(`chat-exports:${id}`, transcript),
    countTyping: id => useLimits.count(`chat-typing:${id}`, typing),
  }
}
