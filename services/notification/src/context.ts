import type { Clock } from '@watchline/kit/clock'
import type { Logger } from '@watchline/kit/log'
import type { Outbox } from '@watchline/kit/outbox'
import type { People } from '@watchline/kit/people'
import type { Folding } from './folding.ts'
import type { HappeningStore } from './store/happenings.ts'
import type { NotificationStore } from './store/notifications.ts'
import type { Streams } from './streams/streams.ts'

/** What routes and consumers of this service work with; wired in service.ts. */
export interface NotificationContext {
  clock: Clock
  log: Logger
  outbox: Outbox
  people: People
  notifications: NotificationStore
  happenings: HappeningStore
  folding: Folding
  streams: Streams
}
