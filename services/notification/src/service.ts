import { createCallerIdentification } from '@watchline/identity/caller'
import { createPeople } from '@watchline/identity/people'
import { buildService, createServiceHost, type Ports, type Service } from '@watchline/kit/process/service-host'
import type { NotificationConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { NotificationContext } from './context.ts'
import { createFolding } from './jobs/group-activities.ts'
import type { StreamBounds } from './jobs/live-stream/browser-stream.ts'
import { createHints } from './jobs/live-stream/event-hints.ts'
import { createStreams } from './jobs/live-stream/live-streams.ts'
import { createPlaces } from './jobs/live-stream/org-positions.ts'
import { routes } from './routes/index.ts'
import { createHappeningStore } from './store/activities.ts'
import { createNotificationStore } from './store/notifications.ts'

export interface NotificationOptions {
  /** Of the live streams, where they are not the product's limits; for tests. */
  bounds?: Partial<StreamBounds>
}

/** The notification service, wired. */
export function createNotificationService(
  config: NotificationConfig,
  ports: Ports,
  { bounds = {} }: NotificationOptions = {},
): Service {
  const host = createServiceHost('notification', config, ports)
  const { bus, clock, connection, live, log, metrics, outbox } = host
  const people = createPeople(host)
  const parts = {
    clock,
    log,
    outbox,
    people,
    notifications: createNotificationStore(connection),
    happenings: createHappeningStore(connection),
  }
  const folding = createFolding(parts)
  const places = createPlaces(people)
  const streams = createStreams({ places, live, clock, log, metrics, bounds })
  const hints = createHints({ bus, streams, places, log })
  const ctx: NotificationContext = { ...parts, folding, streams }
  return buildService(host, {
    ctx,
    routes,
    consumers,
    identify: createCallerIdentification(host, people),
    lifecycles: [people, folding, streams, hints],
  })
}
