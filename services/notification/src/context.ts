import type { People } from '@watchline/identity/people'
import type { Clock } from '@watchline/kit/core/clock'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { Logger } from '@watchline/kit/observability/log'
import type { Folding } from './jobs/group-activities.ts'
import type { Streams } from './jobs/live-stream/live-streams.ts'
import type { HappeningStore } from './store/activities.ts'
import type { NotificationStore } from './store/notifications.ts'

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
