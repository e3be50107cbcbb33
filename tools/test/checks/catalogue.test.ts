import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type EventType, events } from '@watchline/contracts/events'
import type { ServiceName } from '@watchline/contracts/operation'
import { operations } from '@watchline/contracts/operations'
import { peopleConsumers } from '@watchline/identity/people-consumers'
import { consumers as authConsumers } from '../../../services/auth/src/consumers/index.ts'
import { routes as authRoutes } from '../../../services/auth/src/routes/index.ts'
import { consumers as chatConsumers } from '../../../services/chat/src/consumers/index.ts'
import { routes as chatRoutes } from '../../../services/chat/src/routes/index.ts'
import { consumers as engagementConsumers } from '../../../services/engagement/src/consumers/index.ts'
import { routes as engagementRoutes } from '../../../services/engagement/src/routes/index.ts'
import { consumers as notificationConsumers } from '../../../services/notification/src/consumers/index.ts'
import { routes as notificationRoutes } from '../../../services/notification/src/routes/index.ts'
import { consumers as playbackConsumers } from '../../../services/playback-session/src/consumers/index.ts'
import { routes as playbackRoutes } from '../../../services/playback-session/src/routes/index.ts'
import { pages } from '../../src/checks/reference.ts'
import { projectRoot } from '../../src/provision/paths.ts'

const routesOf: Record<ServiceName, readonly { operation: { name: string; service: ServiceName } }[]> = {
  auth: authRoutes,
  'playback-session': playbackRoutes,
  engagement: engagementRoutes,
  notification: notificationRoutes,
  chat: chatRoutes,
}
const consumersOf: Record<ServiceName, readonly { type: EventType }[]> = {
  auth: authConsumers,
  'playback-session': playbackConsumers,
  engagement: engagementConsumers,
  notification: notificationConsumers,
  chat: chatConsumers,
}
const services = Object.keys(routesOf) as ServiceName[]
const sorted = (names: Iterable<string>) => [...names].sort()

describe('the catalogue of operations', () => {
  test('names and calls are declared once', () => {
    const names = operations.map(operation => operation.name)
    const calls = operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`)
    expect(sorted(new Set(names))).toEqual(sorted(names))
    expect(sorted(new Set(calls))).toEqual(sorted(calls))
  })

  test.each(services)('%s serves all its operations and no other', service => {
    const declared = operations.filter(operation => operation.service === service)
    expect(sorted(routesOf[service].map(route => route.operation.name))).toEqual(
      sorted(declared.map(operation => operation.name)),
    )
  })

  test('every operation declares its callers and its path parameters', () => {
    for (const operation of operations) {
      expect([operation.name, operation.callers.length > 0]).toEqual([operation.name, true])
      const inPath = sorted([...operation.path.matchAll(/\{(\w+)\}/g)].map(match => match[1]!))
      expect([operation.name, inPath]).toEqual([operation.name, sorted(Object.keys(operation.params?.shape ?? {}))])
    }
  })
})

describe('the catalogue of events', () => {
  test.each(services)('%s consumes the events of the catalogue', service => {
    const declared = Object.entries(events).filter(([, event]) =>
      (event.consumers as readonly ServiceName[]).includes(service),
    )
    expect(sorted(new Set(consumersOf[service].map(consumer => consumer.type)))).toEqual(
      sorted(declared.map(([type]) => type)),
    )
  })

  test.each(services)('%s has one consumer file for each event, named after it', service => {
    const sharedConsumers = new Set<unknown>(peopleConsumers)
    const consumers = consumersOf[service].filter(consumer => !sharedConsumers.has(consumer))
    const files = readdirSync(join(projectRoot, 'services', service, 'src/consumers'))
    expect(sorted(files)).toEqual(
      sorted(['index.ts', ...consumers.map(({ type }) => `on-${type.replace(/[._]/g, '-')}.ts`)]),
    )
  })
})

describe('the reference', () => {
  test.each(Object.entries(pages))('%s matches the contracts (npm run reference)', (path, page) => {
    expect(readFileSync(join(projectRoot, path), 'utf8')).toBe(page())
  })
})
