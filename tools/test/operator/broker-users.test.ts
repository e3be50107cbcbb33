import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { consumersOf, type DomainEvent, type EventDeclaration, events, producersOf } from '@watchline/contracts/events'
import { serviceNames } from '@watchline/contracts/operation'
import { type Delivery, type EventBus, EventBusUnavailable } from '@watchline/kit/messaging/event-bus'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { newId } from '@watchline/kit/mongo/database'
import { eventually } from '@watchline/testing/harness'
import { type Channel, type ChannelModel, connect } from 'amqplib'
import { deploymentSecrets } from '../../src/deployment/secret-files.ts'
import { writeStoreUsers } from '../../src/operator/store-users/main.ts'
import { type BrokerUser, brokerUsers } from '../../src/operator/store-users/names.ts'
import { provisionRabbit } from '../../src/provision/rabbit.ts'
import type { Provisioned } from '../../src/provision/types.ts'

const exchange = 'watchline'
const folder = mkdtempSync(join(tmpdir(), 'watchline-broker-users-'))
const secrets = await deploymentSecrets()
const catalogue = Object.entries<EventDeclaration>(events)
const groups = [...new Set(catalogue.flatMap(([, { consumers }]) => consumers))]
let rabbit: Provisioned
const connections: ChannelModel[] = []
const buses: EventBus[] = []

beforeAll(async () => {
  const setting = (name: BrokerUser) => `AMQP_URL_${name.toUpperCase().replaceAll('-', '_')}`
  const env = Object.fromEntries(brokerUsers.map(name => [setting(name), secrets[`amqp_url_${name}`]]))
  writeStoreUsers(env, folder, ['rabbitmq'])
  rabbit = await provisionRabbit({
    dataDir: join(folder, 'rabbitmq'),
    alwaysStart: true,
    definitions: JSON.parse(readFileSync(join(folder, 'definitions.json'), 'utf8')),
    log: () => {},
  })
})
afterEach(async () => {
  for (const bus of buses.splice(0)) await bus.close()
  for (const connection of connections.splice(0)) await connection.close().catch(() => {})
})
afterAll(async () => {
  await rabbit?.stop()
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
})

function urlOf(user: BrokerUser): string {
  const url = new URL(rabbit.url)
  url.username = user
  url.password = new URL(secrets[`amqp_url_${user}`]!).password
  return url.href
}

async function openBus(user: BrokerUser, options: { exchange?: string } = {}): Promise<EventBus> {
  const bus = await createRabbitBus({
    url: urlOf(user),
    exchange,
    hasServiceUsers: true,
    consumersOf,
    retryDelaysMs: [20, 20],
    ...options,
  })
  buses.push(bus)
  return bus
}

/** A client that does not follow the rules of the bus: somebody took the service over. */
async function openChannel(user: BrokerUser): Promise<Channel> {
  const connection = await connect(urlOf(user))
  connection.on('error', () => {})
  connections.push(connection)
  const channel = await connection.createConfirmChannel()
  channel.on('error', () => {})
  return channel
}

/** The reason why the broker closed the channel. */
async function refusalOf(user: BrokerUser, attempt: (channel: Channel) => unknown): Promise<string> {
  const channel = await openChannel(user)
  const closed = new Promise<string>(resolve => channel.once('error', error => resolve(error.message)))
  const outcome = Promise.resolve(attempt(channel)).then(
    () => 'accepted',
    error => (error as Error).message,
  )
  return Promise.race([closed, outcome.then(result => (result === 'accepted' ? confirmOf(channel, closed) : result))])
}

/** Publishing is refused later than the call returns; the confirmation tells which. */
async function confirmOf(channel: Channel, closed: Promise<string>): Promise<string> {
  const confirmed = (channel as unknown as { waitForConfirms(): Promise<void> }).waitForConfirms()
  return Promise.race([closed, confirmed.then(() => channel.checkExchange(exchange)).then(() => 'accepted')]).catch(
    error => (error as Error).message,
  )
}

function makeEvent(type: string, source: string): DomainEvent {
  const time = new Date().toISOString()
  return { specversion: '1.0', id: newId(), source, type, subject: 'p1', time, data: {} }
}
const bodyOf = (event: DomainEvent) => Buffer.from(JSON.stringify(event))

describe('a broker with a user for each service', () => {
  test('delivers every type from its producer to every consumer and live subscriber', async () => {
    const received = new Map<string, Set<string>>()
    const record = (who: string) => (event: unknown, delivery?: Delivery) => {
      const { type, source } = event as DomainEvent
      if (delivery) expect(delivery.publisher).toBe(source)
      received.set(type, (received.get(type) ?? new Set()).add(who))
    }
    const openedBuses = new Map<BrokerUser, EventBus>()
    for (const user of ['gateway', ...serviceNames] as const) {
      const bus = await openBus(user)
      openedBuses.set(user, bus)
      const consumed = catalogue
        .filter(([, event]) => (event.consumers as string[]).includes(user))
        .map(([type]) => type)
      const live = catalogue.filter(([, event]) => event.liveSubscribers?.includes(user)).map(([type]) => type)
      const handle = record(user)
      if (consumed.length > 0)
        await bus.consume({ consumerGroup: user, types: consumed }, async (event, delivery) => handle(event, delivery))
      if (live.length > 0) await bus.subscribeLive({ types: live }, event => record(`${user}, live`)(event))
    }
    for (const [type, event] of catalogue)
      for (const producer of producersOf(event)) await openedBuses.get(producer)!.publish(makeEvent(type, producer))
    await eventually(() => {
      for (const [type, { consumers, liveSubscribers = [] }] of catalogue)
        expect([type, [...(received.get(type) ?? [])].sort()]).toEqual([
          type,
          [...consumers, ...liveSubscribers.map(name => `${name}, live`)].sort(),
        ])
    })
  })

  test('retries and dead-letters an event; the operator can redrive it, and its publisher stays known', async () => {
    const [auth, chat, operator] = [await openBus('auth'), await openBus('chat'), await openBus('operator')]
    let isFixed = false
    const deliveries: Delivery[] = []
    await chat.consume({ consumerGroup: 'chat', types: ['user.created'] }, async (_event, delivery) => {
      deliveries.push(delivery)
      if (!isFixed) throw new Error('not yet')
    })
    for (const group of groups) await operator.drop(group, 'all', async () => {})
    const event = makeEvent('user.created', 'auth')
    await auth.publish(event)
    await eventually(async () => expect(await operator.deadLetters('chat')).toMatchObject([{ id: event.id }]))
    // The service replaces its own dead letters when it erases a person.
    expect(await chat.replaceDeadLetters('chat', [event.id], letter => letter.event as DomainEvent)).toBe(1)
    isFixed = true
    await eventually(async () => expect(await operator.redrive('chat')).toBe(1))
    await eventually(() => expect(deliveries).toHaveLength(4))
    expect(deliveries.map(({ publisher }) => publisher)).toEqual(['auth', 'auth', 'auth', 'auth'])
    expect(await operator.depth('chat')).toEqual({ waiting: 0, dead: 0 })
  })

  test('refuses what a service may not do', async () => {
    const event = makeEvent('user.role_changed', 'auth')
    const refused = /ACCESS_REFUSED/
    const publish = (exchangeName: string, key: string) => (channel: Channel) =>
      void channel.publish(exchangeName, key, bodyOf(event))
    expect(await refusalOf('chat', publish(exchange, 'user.role_changed'))).toMatch(refused)
    expect(await refusalOf('gateway', publish(exchange, 'session.revoked'))).toMatch(refused)
    // Not past the exchange either: neither directly into a queue nor by another group's retries.
    expect(await refusalOf('chat', publish('', `${exchange}.engagement`))).toMatch(refused)
    expect(await refusalOf('chat', publish(`${exchange}.engagement.retry.1.entry`, ''))).toMatch(refused)
    expect(await refusalOf('chat', publish(`${exchange}.engagement.dead.entry`, ''))).toMatch(refused)
    for (const queue of [`${exchange}.notification`, `${exchange}.playback-session.dead`]) {
      expect(await refusalOf('chat', channel => channel.get(queue))).toMatch(refused)
      expect(await refusalOf('chat', channel => channel.consume(queue, () => {}))).toMatch(refused)
      expect(await refusalOf('chat', channel => channel.deleteQueue(queue))).toMatch(refused)
      expect(await refusalOf('chat', channel => channel.bindQueue(queue, exchange, 'chat.changed'))).toMatch(refused)
    }
    // Its own entry may not feed the topic exchange.
    const forward = (channel: Channel) => channel.bindExchange(exchange, `${exchange}.chat.dead.entry`, '')
    expect(await refusalOf('chat', forward)).toMatch(refused)
    expect(await refusalOf('chat', channel => channel.assertQueue(`${exchange}.chat.new`))).toMatch(refused)
    const bindLive = async (channel: Channel) => {
      const { queue } = await channel.assertQueue('', { exclusive: true })
      await channel.bindQueue(queue, exchange, 'comment.added')
    }
    expect(await refusalOf('chat', bindLive)).toMatch(refused)
    expect(await refusalOf('monitoring', channel => channel.get(`${exchange}.chat`))).toMatch(refused)
    expect(await refusalOf('monitoring', publish(exchange, 'chat.changed'))).toMatch(refused)
    // KEDA makes this call.
    expect(await refusalOf('monitoring', channel => channel.checkQueue(`${exchange}.chat`))).toBe('accepted')
    // The user of a message is that of its connection.
    const claimAuth = (channel: Channel) =>
      void channel.publish(exchange, 'chat.changed', bodyOf(event), { userId: 'auth' })
    expect(await refusalOf('chat', claimAuth)).toMatch(/PRECONDITION_FAILED/)
  })

  test('tells consumers the true publisher of an event with another source or header', async () => {
    const notification = await openBus('notification')
    const publishers: (string | undefined)[] = []
    await notification.consume(
      { consumerGroup: 'notification', types: ['task.reminded'] },
      async (_event, delivery) => {
        publishers.push(delivery.publisher)
      },
    )
    const channel = await openChannel('playback-session')
    const content = bodyOf(makeEvent('task.reminded', 'engagement'))
    channel.publish(exchange, 'task.reminded', content, {
      userId: 'playback-session',
      headers: { 'x-publisher': 'engagement' },
    })
    channel.publish(exchange, 'task.reminded', content, { headers: { 'x-publisher': 'engagement' } })
    await eventually(() => expect(publishers.sort()).toEqual(['', 'playback-session']))
  })

  test('an address of another user, or without a password, stops the preparation', () => {
    expect(() => writeStoreUsers({ AMQP_URL_GATEWAY: 'amqp://chat:secret@rabbitmq' }, folder, ['rabbitmq'])).toThrow(
      'AMQP_URL_GATEWAY: "amqp://chat:(hidden)@rabbitmq" was given, accepted is an address of the user gateway with its password',
    )
  })

  test('counts as unavailable until it is prepared for this version', async () => {
    const bus = await openBus('auth', { exchange: 'elsewhere' })
    expect(bus.health()).toMatch(/NOT_FOUND.*elsewhere\.prepared/)
    await expect(bus.publish(makeEvent('user.created', 'auth'))).rejects.toThrow(EventBusUnavailable)
  })
})
