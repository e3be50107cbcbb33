import type { Clock } from '@watchline/kit/clock'
import type { DocumentCache } from '@watchline/kit/document-cache'
import type { LiveStore } from '@watchline/kit/live-store'
import type { Logger } from '@watchline/kit/log'
import type { People, Person } from '@watchline/kit/people'
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
