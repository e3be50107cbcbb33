import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { consumersOf, type DomainEvent } from '@watchline/contracts/events'
import { defineConsumer } from '@watchline/kit/messaging/consumer'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { newId } from '@watchline/kit/mongo/database'
import type { Service, ServiceHost } from '@watchline/kit/process/service-host'
import { createTestWorld, eventually, makePersonSnapshot, serverUrl, type TestWorld } from '@watchline/testing/harness'
import { startTestService, type TestContext } from './_service.ts'
import { connectionBlocked, connectionUnblocked, openWire, removeFromRabbit, type Wire } from './servers.ts'

const group = 'playback-session'
let world: TestWorld
let wire: Wire
let bus: EventBus
let host: ServiceHost
let service: Service
let url: string
let failing = 0

beforeEach(async () => {
  world = await createTestWorld()
  wire = await openWire(serverUrl('AMQP_URL'))
  const own = (type: string) => consumersOf(type).filter(each => each === group)
  bus = await createRabbitBus({ url: wire.url, exchange: world.name, consumersOf: own, retryDelaysMs: [20, 20] })
  failing = 0
  const consumer = defineConsumer<'session.revoked', TestContext>('session.revoked', async () => {
    if (failing-- > 0) throw new Error('not yet')
  })
  ;({ service, host, url } = await startTestService(world, { consumers: [consumer], ports: { bus } }))
})
afterEach(async () => {
  await service.stop()
  await bus.close()
  await wire.close()
  await removeFromRabbit(world.name, [group], 2)
  await world.close()
})

const tell = () =>
  host.outbox.transaction(async tx =>
    tx.publish('session.revoked', 's1', { sid: 's1', person_id: 'p1', reason: 'signed_out' }),
  )

/** The samples of a metric, by their labels; none when there is none. */
async function samples(name: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
  return Object.fromEntries(
    lines.map(line => {
      const labels = [...line.matchAll(/(\w+)="([^"]*)"/g)].filter(([, key]) => key !== 'service')
      return [labels.map(([, , value]) => value).join(' '), Number(line.split(' ').at(-1))]
    }),
  )
}

const late = async () => (await (await fetch(`${url}/readyz`)).json()) as { ready: boolean; late: string[] }

test('what is published, consumed, tried again, refused and given up is counted', async () => {
  failing = 1
  await tell()
  await eventually(async () =>
    expect(await samples('watchline_events_total')).toMatchObject({
      'session.revoked failed': 1,
      'session.revoked consumed': 1,
    }),
  )
  expect(await samples('watchline_event_retries_total')).toEqual({ 'session.revoked': 1 })
  expect(await samples('watchline_events_published_total')).toEqual({ 'session.revoked confirmed': 1 })

  const poison = { specversion: '1.0', id: newId(), source: 'auth', type: 'user.created', subject: 'p1' } as const
  const person = { ...makePersonSnapshot(), role: 'captain', version: 0 }
  await bus.publish({ ...poison, time: new Date().toISOString(), data: { person, by: null } } as unknown as DomainEvent)
  await eventually(async () =>
    expect(await samples('watchline_events_total')).toMatchObject({ 'user.created refused': 1 }),
  )
  // The reason names the fields, and nothing of what they hold.
  await eventually(async () => {
    const [letter] = await bus.deadLetters(group)
    expect(letter?.reason).toMatch(
      /^PoisonError: the data of user.created fits no schema: person.role .*person.version/,
    )
    expect(letter?.reason).not.toContain('captain')
  })
  await eventually(async () => expect(await samples('watchline_dead_letters')).toEqual({ '': 1 }))
  expect(await samples('watchline_event_queue_waiting')).toEqual({ '': 0 })
})

test('a broker that takes nothing: the event waits, readiness and metrics say so, and it goes out by itself', async () => {
  await tell()
  await eventually(async () => expect((await host.outbox.backlog()).count).toBe(0))
  wire.say(connectionBlocked('low on disk'))
  await eventually(async () =>
    expect(await late()).toMatchObject({
      ready: true,
      late: ['event bus: RabbitMQ takes no more messages: low on disk'],
    }),
  )
  await tell()
  await eventually(async () =>
    expect(await samples('watchline_events_published_total')).toMatchObject({
      'session.revoked failed': expect.any(Number),
    }),
  )
  await eventually(async () => expect(await samples('watchline_outbox_waiting')).toEqual({ '': 1 }))
  wire.say(connectionUnblocked)
  await eventually(async () => expect((await host.outbox.backlog()).count).toBe(0))
  expect(await late()).toMatchObject({ ready: true, late: [] })
})

test('without the broker its gauges have no sample, and the others go on', async () => {
  await eventually(async () => expect(await samples('watchline_dead_letters')).toEqual({ '': 0 }))
  wire.cut()
  await eventually(async () => {
    expect(await samples('watchline_dead_letters')).toEqual({})
    expect(await samples('watchline_event_queue_waiting')).toEqual({})
  })
  expect(await samples('watchline_outbox_waiting')).toEqual({ '': 0 })
})
