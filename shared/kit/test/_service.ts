import type { ServiceName } from '@watchline/contracts/operation'
import { createCallerIdentification } from '@watchline/identity/caller'
import { createErasureJobs, type ErasureJobs } from '@watchline/identity/erasure-jobs'
import { createPeople, type People } from '@watchline/identity/people'
import { peopleConsumers } from '@watchline/identity/people-consumers'
import type { InternalRoute } from '@watchline/kit/http/internal-route'
import type { Route } from '@watchline/kit/http/route'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import {
  buildService,
  createServiceHost,
  type Ports,
  type Service,
  type ServiceHost,
} from '@watchline/kit/process/service-host'
import type { TestWorld } from '@watchline/testing/harness'

export interface TestContext {
  people: People
  erasureJobs: ErasureJobs
  host: ServiceHost
}

/** The smallest service: the kit with the routes and consumers of a test. */
export async function startTestService(
  world: TestWorld,
  parts: {
    /** Default: playback-session. Events have one producer, and consumers refuse all others. */
    name?: ServiceName
    routes?: Route<TestContext>[]
    internalRoutes?: InternalRoute<TestContext>[]
    consumers?: Consumer<TestContext>[]
    authUrl?: string
    ports?: Partial<Ports>
    prepare?(host: ServiceHost): void
  } = {},
): Promise<{ service: Service; host: ServiceHost; people: People; url: string }> {
  const config = { ...world.config, authUrl: parts.authUrl ?? world.config.authUrl }
  const host = createServiceHost(parts.name ?? 'playback-session', config, { ...world.ports, ...parts.ports })
  const people = createPeople(host)
  const erasureJobs = createErasureJobs(host, async () => {})
  parts.prepare?.(host)
  const service = buildService<TestContext>(host, {
    ctx: { people, erasureJobs, host },
    routes: parts.routes ?? [],
    internalRoutes: parts.internalRoutes ?? [],
    consumers: [...peopleConsumers, ...(parts.consumers ?? [])],
    identify: createCallerIdentification(host, people),
    lifecycles: [{ start: signal => (parts.authUrl ? people.start(signal) : undefined), stop: () => people.stop() }],
  })
  const { url } = await service.start()
  return { service, host, people, url }
}
