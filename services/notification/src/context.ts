import type { ErasureJobs } from '@watchline/identity/erasure-jobs'
import type { People } from '@watchline/identity/people'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore } from '@watchline/kit/live/live-store'
import type { RateLimiter } from '@watchline/kit/live/rate-limit'
import type { Outbox } from '@watchline/kit/messaging/outbox'
import type { Logger } from '@watchline/kit/observability/log'
import type { ActivityGrouping } from './jobs/group-activities.ts'
import type { LiveStreams } from './jobs/live-stream/live-streams.ts'
import type { ActivityStore } from './store/activities.ts'
import type { NotificationErasure } from './store/notification-erasure.ts'
import type { NotificationStore } from './store/notifications.ts'

/** The dependencies of this service's routes and consumers. */
export interface NotificationContext {
  clock: Clock
  log: Logger
  outbox: Outbox
  live: LiveStore
  rateLimiter: RateLimiter
  people: People
  notifications: NotificationStore
  activities: ActivityStore
  grouping: ActivityGrouping
  streams: LiveStreams
  erasure: NotificationErasure
  erasureJobs: ErasureJobs
}
