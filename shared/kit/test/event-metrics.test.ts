import { afterEach, beforeEach, expect, test } from '@jest/globals'
import type { DomainEvent } from '@watchline/contracts/events'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { newId } from '@watchline/kit/mongo/database'
import type { Service, ServiceHost } from '@watchline/kit/process/service-host'
import { createTestWorld, eventually, makePersonSnapshot, serverUrl, type TestWorld } from '@watchline/testing/harness'
import { startTestService, type TestContext } from './_service.ts'
import {
  connectionBlocked,
  connectionUnblocked,
  type FaultyProxy,
  openFaultyProxy,
  removeFromRabbit,
} from './servers.ts'

// The producer of the events that these tests publish.
const group = 'auth'
let world: TestWorld
let proxy: FaultyProxy
let bus: EventBus
let host: ServiceHost
let service: Service
let url: string
let failuresLeft = 0

beforeEach(async () => {
  world = await createTestWorld()
  proxy = await openFaultyProxy(serverUrl('AMQP_URL'))
  const options = { exchange: world.name, consumersOf: () => [group], retryDelaysMs: [20, 20] }
  bus = await createRabbitBus({ ...options, url: proxy.url })
  failuresLeft = 0
  const consumer = defineConsumer<'session.revoked', TestContext>('session.revoked', async () => {
    if (failuresLeft-- > 0) throw new Error('not yet')
  })
  ;({ service, host, url } = await startTestService(world, { name: group, consumers: [consumer], ports: { bus } }))
})
afterEach(async () => {
  await service.stop()
  await bus.close()
  await proxy.close()
  await removeFromRabbit(world.name, [group], 2)
  await world.close()
})

const publishEvent = () =>
  host.outbox.transaction(async tx =>
    tx.publish('session.revoked', 's1', { sid: 's1', person_id: 'p1', reason: 'signed_out' }),
  )

/** The samples of a metric by their labels; empty without samples. */
async function readSamples(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return Object.fromEntries(
    lines.map(line => {
      const labels = [...line.matchAll(/(\w+)="([^"]*)"/g)].filter(([, key]) => key !== 'service')
      return [labels.map(([, , value]) => value).join(' '), Number(line.split(' ').at(-1))]
    }),
  )
}

const readReadiness = async () => (await (await fetch(`${url}/readyz`)).json()) as { ready: boolean; late: string[] }

test('metrics count published, consumed, retried and refused events, and dead letters', async () => {
  failuresLeft = 1
  await publishEvent()
  await eventually(async () =>
    expect(await readSamples('watchline_events_total')).toMatchObject({
      'session.revoked failed': 1,
      'session.revoked consumed': 1,
    }),
  )
  expect(await readSamples('watchline_event_retries_total')).toEqual({ 'session.revoked': 1 })
  // The broker may confirm an event after its consumption.
  await eventually(async () =>
    expect(await readSamples('watchline_events_published_total')).toEqual({ 'session.revoked confirmed': 1 }),
  )

  const poison = { specversion: '1.0', id: newId(), source: 'auth', type: 'user.created', subject: 'p1' } as const
  const person = { ...makePersonSnapshot(), role: 'captain', version: 0 }
  await bus.publish({ ...poison, time: new Date().toISOString(), data: { person, by: null } } as unknown as DomainEvent)
  await eventually(async () =>
    expect(await readSamples('watchline_events_total')).toMatchObject({ 'user.created refused': 1 }),
  )
  // The reason names the fields, never their values.
  await eventually(async () => {
    const [letter] = await bus.deadLetters(group)
    expect(letter?.reason).toMatch(
      /^PoisonError: the data of user.created does not match its schema: person.role .*person.version/,
    )
    expect(letter?.reason).not.toContain('captain')
  })
  await eventually(async () => expect(await readSamples('watchline_dead_letters')).toEqual({ '': 1 }))
  expect(await readSamples('watchline_event_queue_waiting')).toEqual({ '': 0 })
})

test('while the broker is blocked, events wait, and readiness and metrics show it', async () => {
  await publishEvent()
  await eventually(async () => expect((await host.outbox.backlog()).count).toBe(0))
  proxy.sendToClients(connectionBlocked('low on disk'))
  await eventually(async () =>
    expect(await readReadiness()).toMatchObject({
      ready: true,
      late: ['event bus: RabbitMQ takes no more messages: low on disk'],
    }),
  )
  await publishEvent()
  await eventually(async () =>
    expect(await readSamples('watchline_events_published_total')).toMatchObject({
      'session.revoked failed': expect.any(Number),
    }),
  )
  await eventually(async () => expect(await readSamples('watchline_outbox_waiting')).toEqual({ '': 1 }))
  proxy.sendToClients(connectionUnblocked)
  await eventually(async () => expect((await host.outbox.backlog()).count).toBe(0))
  await eventually(async () => expect(await readReadiness()).toMatchObject({ ready: true, late: [] }))
})

test('without the broker its gauges have no sample; all other gauges have', async () => {
  await eventually(async () => expect(await readSamples('watchline_dead_letters')).toEqual({ '': 0 }))
  proxy.cut()
  await eventually(async () => {
    expect(await readSamples('watchline_dead_letters')).toEqual({})
    expect(await readSamples('watchline_event_queue_waiting')).toEqual({})
  })
  expect(await readSamples('watchline_outbox_waiting')).toEqual({ '': 0 })
})
