import { createPeople } from '@watchline/kit/people'
import { assemble, createShell, type Ports, type Service } from '@watchline/kit/service'
import type { NotificationConfig } from './config.ts'
import { consumers } from './consumers/index.ts'
import type { NotificationContext } from './context.ts'
import { createFolding } from './folding.ts'
import { routes } from './routes/index.ts'
import { createHappeningStore } from './store/happenings.ts'
import { createNotificationStore } from './store/notifications.ts'

/** The notification service, wired. */
export function createNotificationService(config: NotificationConfig, ports: Ports): Service {
  const shell = createShell('notification', config, ports)
  const { clock, connection, log, outbox } = shell
  const people = createPeople({
    name: shell.name,
    connection,
    log,
    authUrl: config.authUrl,
    internalSecret: config.internalSecret,
  })
  const parts = {
    clock,
    log,
    outbox,
    people,
    notifications: createNotificationStore(connection),
    happenings: createHappeningStore(connection),
  }
  const folding = createFolding(parts)
  const ctx: NotificationContext = { ...parts, folding }
  return assemble(shell, { ctx, routes, consumers, people, parts: [people, folding] })
}
