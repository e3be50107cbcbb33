import type { People, Person } from '@watchline/identity/people'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { DocumentCache } from '@watchline/kit/mongo/document-cache'
import type { Logger } from '@watchline/kit/observability/log'
import type { Flood } from './flood.ts'
import type { Reading } from './reading.ts'
import type { Sending } from './sending.ts'
import type { MessageStore } from './store/messages.ts'
import type { RoomStore } from './store/rooms.ts'
import type { Telling } from './telling.ts'

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
