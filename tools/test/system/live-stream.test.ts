import { afterEach, describe, expect, test } from '@jest/globals'
import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import { createLogger } from '@watchline/kit/observability/log'
import { eventually, serverUrl } from '@watchline/testing/harness'
import type { GatewayConfig } from '../../../gateway/src/config.ts'
import { createGateway } from '../../../gateway/src/gateway.ts'
import { createNotificationService } from '../../../services/notification/src/service.ts'
import { makeComment, type NotificationWorld, startNotifications } from '../../../services/notification/test/_util.ts'
import { openTestBrowser } from '../../../services/notification/test/live-stream/_browser.ts'
import { openFaultyProxy } from '../../../shared/kit/test/servers.ts'
import { afterTest } from '../_processes.ts'

const heartbeatMs = 50
let world: NotificationWorld
afterEach(() => world.stop())

/** Two replicas on RabbitMQ and Redis, and a gateway that distributes connections over them. */
async function startAll(): Promise<string> {
  world = await startNotifications({ replicas: 2, bus: 'rabbitmq', live: 'redis', bounds: { heartbeatMs } })
  return startGateway(world.urls)
}

async function startGateway(notification: readonly string[]): Promise<string> {
  const unreachable = ['http://127.0.0.1:9']
  const config: GatewayConfig = {
    ...world.config,
    publicUrl: 'http://watchline.test',
    allowedHosts: [],
    csrfSecrets: ['a secret for anti-forgery tokens in tests'],
    mediaSecrets: ['a secret for addresses of files in the tests'],
    connectionsPerAddress: 5_000,
    mediaHosts: [],
    upstreams: {
      auth: unreachable,
      'playback-session': unreachable,
      engagement: unreachable,
      notification,
      chat: unreachable,
    },
    devProvider: false,
    devProviderForAll: false,
    webRoot: undefined,
    offlinePage: true,
    hstsIncludeSubdomains: true,
    apiDocs: true,
    mediaRoot: undefined,
    trustedProxies: 0,
    rateLimits: false,
    answerTimeoutMs: 10_000,
    connectTimeoutMs: 60_000,
    connections: 16,
    maxInFlight: 1_000,
  }
  const gateway = createGateway(config, await world.otherPorts())
  const { url } = await gateway.start()
  afterTest(() => gateway.stop())
  return url
}

const cookieOf = (person: { id: string }, sid = `sid-${person.id}`) => ({
  cookie: `watchline_access=${world.token(person, sid)}`,
})

describe('through the gateway, from two replicas', () => {
  test('both replicas send hints for an event that one of them consumes', async () => {
    const gateway = await startAll()
    const supervisor = world.addPerson('supervisor')
    const trainee = world.addPerson('user', { supervisor_id: supervisor.id })
    const browsers = await Promise.all(
      Array.from({ length: 4 }, () =>
        openTestBrowser(gateway, { ...cookieOf(supervisor), 'accept-encoding': 'gzip, br' }),
      ),
    )
    for (const browser of browsers) await browser.nextHint('hello')
    // Both replicas have streams: ids begin with the name of the replica.
    expect(new Set(browsers.map(browser => browser.lastId().split('-')[0])).size).toBe(2)
    await world.publish('comment.added', makeComment(trainee))
    for (const browser of browsers) await browser.nextHint('notifications')
    await eventually(() => browsers.every(browser => browser.heartbeats > 1))
    for (const { response } of browsers) {
      expect(response.headers['content-encoding']).toBeUndefined()
      expect(response.headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      })
    }
    for (const browser of browsers) browser.disconnect()
  })

  test('a browser that reconnects after a replica stopped learns that it may have missed hints', async () => {
    const gateway = await startAll()
    const person = world.addPerson()
    const first = await openTestBrowser(gateway, cookieOf(person))
    expect(await first.nextHint('hello')).toEqual({ type: 'hello', missed: false })
    await world.running.shift()!.stop()
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const again = await openTestBrowser(gateway, { ...cookieOf(person), 'last-event-id': first.lastId() })
      expect(await again.nextHint('hello')).toEqual({ type: 'hello', missed: true })
      again.disconnect()
    }
    first.disconnect()
  })

  test('signing out ends the streams of that session with the reason, and that session opens no other stream', async () => {
    const gateway = await startAll()
    const person = world.addPerson()
    const ended = await Promise.all([1, 2].map(() => openTestBrowser(gateway, cookieOf(person, 'one'))))
    const active = await openTestBrowser(gateway, cookieOf(person, 'two'))
    for (const browser of [...ended, active]) await browser.nextHint('hello')
    await world.publish('session.revoked', { sid: 'one', person_id: person.id, reason: 'signed_out' })
    for (const browser of ended) {
      expect(await browser.nextHint('session')).toEqual({ type: 'session', what: 'signed_out' })
      await eventually(() => browser.ending !== undefined)
    }
    expect((await openTestBrowser(gateway, cookieOf(person, 'one'))).response.statusCode).toBe(401)
    await world.publish('notifications.changed', { recipient_ids: [person.id] })
    await active.nextHint('notifications')
    active.disconnect()
  })

  test('a change of a team takes effect in open streams at once', async () => {
    const gateway = await startAll()
    const [before, next] = [world.addPerson('supervisor'), world.addPerson('supervisor')]
    const trainee = world.addPerson('user', { supervisor_id: before.id })
    const browsers = await Promise.all([1, 2].map(() => openTestBrowser(gateway, cookieOf(next))))
    for (const browser of browsers) await browser.nextHint('hello')
    await world.changeSupervisor(trainee, next.id)
    await world.publish('presence.changed', { people: [{ person_id: trainee.id, online: true }] })
    for (const browser of browsers) {
      await browser.nextHint('tasks')
      await browser.nextHint('presence')
      browser.disconnect()
    }
  })

  test('a stream needs a cookie of a signed-in person', async () => {
    const gateway = await startAll()
    expect((await openTestBrowser(gateway, {})).response.statusCode).toBe(401)
    expect(
      (await openTestBrowser(gateway, { authorization: `Bearer ${world.token(world.addPerson())}` })).response
        .statusCode,
    ).toBe(401)
  })
})

test('after a broker outage open streams report possibly missed hints, and ended sessions lose their streams', async () => {
  world = await startNotifications({ bus: 'rabbitmq', live: 'redis' })
  const proxy = await openFaultyProxy(serverUrl('AMQP_URL'))
  afterTest(() => proxy.close())
  const log = createLogger('test', 'silent')
  const bus = await createRabbitBus({ url: proxy.url, exchange: world.name, consumersOf: () => [], log })
  const live = createRedisLiveStore({ url: serverUrl('REDIS_URL'), prefix: `${world.name}:`, log })
  const mailSettings = { publicUrl: proxy.url, playbackUrl: proxy.url, engagementUrl: proxy.url, mail: undefined }
  const config = { ...world.config, ...mailSettings }
  const service = createNotificationService(config, { bus, live, clock: world.clock, log })
  const { url } = await service.start()
  afterTest(async () => {
    await service.stop()
    await bus.close()
    await live.close()
  })
  const person = world.addPerson()
  const bearer = (sid: string) => ({ authorization: `Bearer ${world.token(person, sid)}` })
  const [active, revoked] = [
    await openTestBrowser(url, bearer('active')),
    await openTestBrowser(url, bearer('revoked')),
  ]
  await Promise.all([active.nextHint('hello'), revoked.nextHint('hello')])
  proxy.cut()
  await eventually(() => bus.health() !== undefined)
  await live.revocations.add('revoked', world.clock.now() + 60_000)
  proxy.restore()
  expect(await active.nextHint('hello')).toEqual({ type: 'hello', missed: true })
  expect(await revoked.nextHint('session')).toEqual({ type: 'session', what: 'signed_out' })
  await eventually(() => revoked.ending !== undefined)
  await world.publish('notifications.changed', { recipient_ids: [person.id] })
  await active.nextHint('notifications')
  active.disconnect()
})
