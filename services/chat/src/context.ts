import type { ErasureJobs } from '@watchline/identity/erasure-jobs'
import type { People, Person } from '@watchline/identity/people'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { RateLimiter } from '@watchline/kit/live/rate-limit'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { ReadMarker } from './actions/mark-messages-read.ts'
import type { MessageSender } from './actions/send-messages.ts'
import type { HintPublisher } from './rules/hints.ts'
import type { MessageArchive } from './store/message-archive.ts'
import type { MessageErasure } from './store/message-erasure.ts'
import type { MessageRateLimit } from './store/message-rate-limit.ts'
import type { RoomListStore } from './store/room-list.ts'
import type { RoomStore } from './store/rooms.ts'

/** The dependencies of this service's routes and consumers. */
export interface ChatContext {
  clock: Clock
  outbox: Outbox
  live: LiveStore
  rateLimiter: RateLimiter
  people: People
  /** Teams and staff by key, cached until any person changes. */
  teams: DocumentCache<Person[]>
  rooms: RoomStore
  roomLists: RoomListStore
  archive: MessageArchive
  rateLimit: MessageRateLimit
  messageSender: MessageSender
  readMarker: ReadMarker
  hints: HintPublisher
  messageErasure: MessageErasure
  erasureJobs: ErasureJobs
}
