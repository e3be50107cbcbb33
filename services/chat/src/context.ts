import type { People, Person } from '@watchline/identity/people'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { Logger } from '@watchline/kit/observability/log'
import type { Reading } from './actions/mark-messages-read.ts'
import type { Sending } from './actions/send-messages.ts'
import type { Telling } from './jobs/publish-hints.ts'
import type { MessageStore } from './store/message-archive.ts'
import type { Flood } from './store/message-rate-limit.ts'
import type { RoomStore } from './store/rooms.ts'

/** What routes of this service work with; wired in service.ts. */
export interface ChatContext {
  clock: Clock
  live: LiveStore
  flood: Flood
  log: Logger
  people: People
  groups: DocumentCache<Person[]>
  rooms: RoomStore
  messages: MessageStore
  sending: Sending
  reading: Reading
  telling: Telling
}
