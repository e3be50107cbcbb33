import { createCallerIdentification } from '@watchline/identity/caller'
import { createPeople, type People, peopleConsumers } from '@watchline/identity/people'
import type { Route } from '@watchline/kit/http/route'
import type { Consumer } from '@watchline/kit/messaging/consumer'
import { assemble, createShell, type Ports, type Service, type Shell } from '@watchline/kit/process/service-host'
import type { TestWorld } from '@watchline/testing/harness'

export interface TestContext {
  people: People
  shell: Shell
}

/** The smallest service: the routes and consumers of a test, on the kit and nothing else. */
export async function startTestService(
  world: TestWorld,
  parts: {
    routes?: Route<TestContext>[]
    consumers?: Consumer<TestContext>[]
    authUrl?: string
    ports?: Partial<Ports>
    prepare?(shell: Shell): void
  } = {},
): Promise<{ service: Service; shell: Shell; people: People; url: string }> {
  const config = { ...world.config, authUrl: parts.authUrl ?? world.config.authUrl }
  const shell = createShell('playback-session', config, { ...world.ports, ...parts.ports })
  const people = createPeople(shell)
  parts.prepare?.(shell)
  const service = assemble<TestContext>(shell, {
    ctx: { people, shell },
    routes: parts.routes ?? [],
    consumers: [...peopleConsumers, ...(parts.consumers ?? [])],
    identify: createCallerIdentification(shell, people),
    lifecycles: [{ start: signal => (parts.authUrl ? people.start(signal) : undefined), stop: () => people.stop() }],
  })
  const { url } = await service.start()
  return { service, shell, people, url }
}
