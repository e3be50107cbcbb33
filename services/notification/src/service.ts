import { createCallerIdentification } from '@watchline/identity/caller'
import { createErasureJobs } from '@watchline/identity/erasure-jobs'
import { createPeople } from '@watchline/identity/people'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import { eraseNotifications } from './actions/erase-notifications.ts'
import type { NotificationConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { NotificationContext } from './context.ts'
import { createActivityGrouping } from './jobs/group-activities.ts'
import type { StreamBounds } from './jobs/live-stream/browser-stream.ts'
import { createEventHints } from './jobs/live-stream/event-hints.ts'
import { createLiveStreams } from './jobs/live-stream/live-streams.ts'
import { createOrgPositions } from './jobs/live-stream/org-positions.ts'
import { createOldReviewPublisher } from './jobs/publish-old-reviews.ts'
import { routes } from './routes/index.ts'
import { createActivityStore } from './store/activities.ts'
import { createNotificationErasure } from './store/notification-erasure.ts'
import { createNotificationStore } from './store/notifications.ts'

export interface NotificationOptions {
  /** Bounds of the live streams that differ from the product's limits; for tests. */
  bounds?: Partial<StreamBounds>
}

export function createNotificationService(
  config: NotificationConfig,
  ports: Ports,
  { bounds = {} }: NotificationOptions = {},
): Service {
  const host = createServiceHost('notification', config, ports)
  const { bus, clock, connection, live, log, metrics, outbox } = host
  const people = createPeople(host)
  const notifications = createNotificationStore(connection, config.retentionNotificationsS)
  const activities = createActivityStore(connection)
  const grouping = createActivityGrouping({ clock, log, outbox, notifications, activities })
  const oldReviews = createOldReviewPublisher({ clock, log, outbox, notifications })
  const positions = createOrgPositions(people)
  const streams = createLiveStreams({ positions, live, clock, log, metrics, bounds })
  const eventHints = createEventHints({ bus, streams, positions, log })
  const erasure = createNotificationErasure(connection)
  const erasureJobs = createErasureJobs(host, person => eraseNotifications({ erasure, outbox }, person))
  const ctx: NotificationContext = {
    clock,
    log,
    outbox,
    live,
    rateLimiter: host.rateLimiter,
    people,
    notifications,
    activities,
    grouping,
    streams,
    erasure,
    erasureJobs,
  }
  return buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    lifecycles: [people, grouping, oldReviews, streams, eventHints, erasureJobs],
  })
}
