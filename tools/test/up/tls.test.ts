import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { consumersOf } from '@watchline/contracts/events'
import { trustAuthority } from '@watchline/kit/core/tls'
import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import type { Logger } from '@watchline/kit/observability/log'
import { createBrowser } from '@watchline/testing/browser'
import { eventually } from '@watchline/testing/harness'
import mongoose from 'mongoose'
import { Agent } from 'undici'
import { openTestBrowser } from '../../../services/notification/test/live-stream/_browser.ts'
import { certificateDays, createAuthority, issueCertificate } from '../../src/deployment/certificates.ts'
import { provisionMongo } from '../../src/provision/mongo.ts'
import { cacheFolder } from '../../src/provision/paths.ts'
import { run } from '../../src/provision/programs.ts'
import { provisionRabbit } from '../../src/provision/rabbit.ts'
import { provisionRedis } from '../../src/provision/redis.ts'
import type { TlsFiles } from '../../src/provision/types.ts'
import { type Distributed, processNames } from '../../src/up/system.ts'
import { useOwnServers } from './_use-own-servers.ts'

const name = `tls${randomBytes(5).toString('hex')}`
const { folder, agent, servers, startSystem } = useOwnServers({ connections: 8 })
let system: Distributed
let tls: TlsFiles
let strangerFile: string
let urls: { mongoUrl: string; amqpUrl: string; redisUrl: string }

beforeAll(async () => {
  const authority = await createAuthority()
  const { cert, key } = await issueCertificate(authority, ['127.0.0.1'])
  const write = (file: string, content: string) => {
    writeFileSync(join(folder, file), content)
    return join(folder, file)
  }
  tls = { caFile: write('ca.pem', authority.cert), certFile: write('cert.pem', cert), keyFile: write('key.pem', key) }
  strangerFile = write('stranger.pem', (await createAuthority()).cert)
  const optionsOf = (server: string) => ({ dataDir: join(folder, server), alwaysStart: true, tls, log: () => {} })
  const [mongo, rabbit, redis] = await Promise.all([
    provisionMongo({ ...optionsOf('mongo'), cacheDir: cacheFolder() }),
    provisionRabbit(optionsOf('rabbitmq')),
    provisionRedis(optionsOf('redis')),
  ])
  servers.push(mongo, rabbit, redis)
  // The processes find the authority by their own setting alone.
  urls = { mongoUrl: mongo.url.replace(/&tlsCAFile=[^&]*/, ''), amqpUrl: rabbit.url, redisUrl: redis.url }
  system = await startSystem({
    stores: urls,
    replicas: Object.fromEntries(processNames.map(process => [process, 1])),
    env: {
      TLS_CA_FILE: tls.caFile,
      TLS_CERT_FILE: tls.certFile,
      TLS_KEY_FILE: tls.keyFile,
      AMQP_EXCHANGE: name,
      REDIS_PREFIX: `${name}:`,
      DATABASE_PREFIX: name,
      RATE_LIMITS: 'false',
    },
    // Browsers would not know the authority.
    envOf: { gateway: { TLS_CERT_FILE: '', TLS_KEY_FILE: '' } },
    drainMs: 0,
  })
})

const connectionProblems: Record<string, (host: string) => Promise<string>> = {
  MongoDB: async host => {
    const url = urls.mongoUrl.replace('127.0.0.1', host).replace('replicaSet=rs0', 'directConnection=true')
    const client = new mongoose.mongo.MongoClient(url, { serverSelectionTimeoutMS: 3_000 })
    return problemOf(client.connect()).finally(() => client.close())
  },
  RabbitMQ: async host => {
    const bus = await createRabbitBus({ url: urls.amqpUrl.replace('127.0.0.1', host), exchange: name, consumersOf })
    const problem = bus.health() ?? 'connected'
    await bus.close()
    return problem
  },
  Redis: async host => {
    const lines: string[] = []
    const log = { info: () => {}, warn: (fields: object) => void lines.push(JSON.stringify(fields)) }
    const live = createRedisLiveStore({
      url: urls.redisUrl.replace('127.0.0.1', host),
      prefix: name,
      owner: 'test',
      log: log as unknown as Logger,
    })
    const problem = await problemOf(live.ping())
    await live.close()
    return lines[0] ?? problem
  },
  'another service': async host => {
    // A new connection for each call.
    const dispatcher = new Agent()
    const { origin } = new URL(system.groups.auth.replicas[0]!.url.replace('127.0.0.1', host))
    return problemOf(dispatcher.request({ origin, path: '/healthz', method: 'GET' })).finally(() =>
      dispatcher.destroy(),
    )
  },
}

function problemOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => 'connected',
    (error: Error) => `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`,
  )
}

describe('the system with TLS to all stores and between services', () => {
  test('signs people in, passes events on, and keeps live streams', async () => {
    for (const process of processNames)
      expect([process, new URL(system.groups[process].replicas[0]!.url).protocol]).toEqual([
        process,
        process === 'gateway' ? 'http:' : 'https:',
      ])
    const watcher = createBrowser(system.url, agent)
    await watcher.signIn('watcher@example.org')
    const page = await openTestBrowser(system.url, watcher.headers())
    expect(await page.nextHint('hello')).toMatchObject({ type: 'hello' })
    for (const path of ['/auth/profile', '/playlists/today', '/notifications', '/chat/rooms'])
      expect([path, (await watcher.call('GET', path)).status]).toEqual([path, 200])

    expect((await watcher.call('POST', '/auth/logout', {})).status).toBe(200)

    // The broker carried the end of the session from auth to notification.
    expect(await page.nextHint('session')).toEqual({ type: 'session', what: 'signed_out' })
    await eventually(async () => {
      const metrics = await (await fetch(`${system.groups.chat.replicas[0]!.url}/metrics`)).text()
      expect(metrics).toMatch(/^watchline_events_total{.*type="user.created",outcome="consumed".*} [1-9]/m)
      const [, expiryS] = /^watchline_certificate_expiry_timestamp_seconds{.*} ([\d.e+]+)$/m.exec(metrics) ?? []
      expect(Number(expiryS) - Date.now() / 1_000).toBeGreaterThan((certificateDays - 1) * 24 * 3600)
    })
  })

  test('its commands find the authority by the same setting', async () => {
    const list = (TLS_CA_FILE: string) =>
      run(process.execPath, ['tools/src/operator/events.ts', 'list'], {
        limitMs: 5 * 60_000,
        env: { ...(system.env as Record<string, string>), TLS_CA_FILE },
      })
    expect(await list(tls.caFile)).toMatchObject({ ok: true })
    expect((await list('')).lastLines).toMatch(/RabbitMQ is away: .*certificate/)
  })
})

describe.each(Object.entries(connectionProblems))('a connection to %s', (_, connect) => {
  test('is refused under another name and with another authority', async () => {
    // A slow machine may need several attempts within the limits of the connections.
    const expectProblem = (host: string, problem: RegExp) =>
      eventually(async () => expect(await connect(host)).toMatch(problem))
    await expectProblem('127.0.0.1', /^connected$/)
    await expectProblem('localhost', /does not match certificate's altnames/)
    trustAuthority(strangerFile)
    try {
      await expectProblem('127.0.0.1', /self-signed certificate|unable to (verify|get)/)
    } finally {
      trustAuthority(tls.caFile)
    }
  })
})

test.each([
  ['chat', 'MONGO_URL', 'mongodb://mongodb.example/?replicaSet=rs0'],
  ['chat', 'AMQP_URL', 'amqp://broker.example'],
  ['gateway', 'REDIS_URL', 'redis://redis.example'],
  ['gateway', 'AUTH_URL', 'http://auth:8080'],
] as const)('in production, %s does not start with a plain %s', async (name, setting, address) => {
  const main = name === 'gateway' ? 'gateway/src/main.ts' : `services/${name}/src/main.ts`
  const env = { ...(system.envOf(name) as Record<string, string>), NODE_ENV: 'production', [setting]: address }
  const { ok, lastLines } = await run(process.execPath, [main], { limitMs: 5 * 60_000, env })
  expect([ok, lastLines]).toEqual([false, expect.stringMatching(`^${setting}: .* accepted in production is`)])
})
