import { createPeople, type People } from '@watchline/kit/people'
import { assemble, createShell, type Ports, type Service } from '@watchline/kit/service'
import type { EngagementConfig } from './config.ts'
import { routes } from './routes/index.ts'

export interface EngagementContext {
  people: People
}

/** The engagement service, wired: so far the shell that lives, is watched and stops as every service does. */
export function createEngagementService(config: EngagementConfig, ports: Ports): Service {
  const shell = createShell('engagement', config, ports)
  const people = createPeople({ ...shell, authUrl: config.authUrl, internalSecret: config.internalSecret })
  return assemble(shell, { ctx: { people }, routes, people })
}
