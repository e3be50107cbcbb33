import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { consumersOf } from '@watchline/contracts/events'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import { createTokenSigner, type TokenSigner } from '@watchline/identity/tokens'
import { type Clock, systemClock } from '@watchline/kit/core/clock'
import type { LiveStoreAdapter } from '@watchline/kit/live/live-store-adapter'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { fullScan, newId } from '@watchline/kit/mongo/database'
import { createLogger } from '@watchline/kit/observability/log'
import type { BaseConfig } from '@watchline/kit/process/config'
import type { Ports } from '@watchline/kit/process/service-host'
import mongoose from 'mongoose'

/** The address of a real server the tests run on. Its absence is a failure, never a reason to skip. */
export function serverUrl(name: 'MONGO_URL' | 'AMQP_URL' | 'REDIS_URL'): string {
  const url = process.env[name]
  if (!url) throw new Error(`${name} is not set: run the tests with \`make test\`, which starts the servers`)
  return url
}

export interface TestWorldOptions {
  /** Default in-process. */
  bus?: 'in-process' | 'rabbitmq'
  /** Default in memory. */
  live?: 'memory' | 'redis'
  clock?: Clock
  logLevel?: BaseConfig['logLevel']
}

/** Everything a service needs, isolated by name from every other test, on real servers. */
export interface TestWorld {
  name: string
  config: BaseConfig
  ports: Ports & { bus: EventBus; live: LiveStoreAdapter; clock: Clock }
  privateKey: string
  signer: TokenSigner
  /** Ports of another process on the same broker and live store; in-process adapters are shared. */
  otherPorts(): Promise<Ports>
  /** An access token, as the gateway would pass it on. */
  token(person: { id: string; version?: number }, sid?: string): string
  /** Reads and writes a service's database behind its back. */
  database(service: string): mongoose.mongo.Db
  close(): Promise<void>
}

let keys: { privateKey: string; publicKey: string } | undefined

function testKeys() {
  keys ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return keys
}

export async function createTestWorld(options: TestWorldOptions = {}): Promise<TestWorld> {
  const name = `t${randomBytes(5).toString('hex')}`
  const { privateKey, publicKey } = testKeys()
  const clock = options.clock ?? systemClock
  const logLevel = options.logLevel ?? (process.env.TEST_LOG as BaseConfig['logLevel']) ?? 'silent'
  const log = createLogger(name, logLevel)
  const opened: { close(): Promise<void> }[] = []

  // Drivers are loaded by the tests that need them.
  async function openBus(): Promise<EventBus> {
    let bus: EventBus
    if (options.bus === 'rabbitmq') {
      const { createRabbitBus } = await import('@watchline/kit/messaging/rabbitmq/rabbitmq-bus')
      bus = await createRabbitBus({ url: serverUrl('AMQP_URL'), exchange: name, consumersOf: everybody, log })
    } else bus = createInProcessBus({ consumersOf: everybody, log })
    opened.push(bus)
    return bus
  }
  async function openLive(): Promise<LiveStoreAdapter> {
    let live: LiveStoreAdapter
    if (options.live === 'redis') {
      const { createRedisLiveStore } = await import('@watchline/kit/live/redis-live-store')
      live = createRedisLiveStore({ url: serverUrl('REDIS_URL'), prefix: `${name}:`, log })
    } else live = createMemoryLiveStore()
    opened.push(live)
    return live
  }
  // A test runs one or two services: only groups that consume here are waited for.
  const groups = new Set<string>()
  const everybody = (type: string) => consumersOf(type).filter(group => groups.has(group))

  const bus = watchGroups(await openBus(), groups)
  const live = await openLive()
  const mongoUrl = serverUrl('MONGO_URL')
  const client = new mongoose.mongo.MongoClient(mongoUrl)
  const signer = createTokenSigner(privateKey)
  const databases = new Set<string>()
  await noteScans(client, name)

  return {
    name,
    config: {
      nodeEnv: 'test',
      logLevel,
      host: '127.0.0.1',
      port: 0,
      drainMs: 0,
      mongoUrl,
      databasePrefix: name,
      amqpUrl: undefined,
      amqpExchange: name,
      redisUrl: undefined,
      redisPrefix: `${name}:`,
      tokenPublicKey: publicKey,
      internalSecret: 'a secret that only tests know, 32+ letters',
      authUrl: 'http://127.0.0.1:9',
      otlpEndpoint: undefined,
      tracesSampler: 'parentbased_always_on',
      tracesSamplerArg: 1,
    },
    ports: { bus, live, clock, log },
    privateKey,
    signer,
    otherPorts: async () =>
      options.bus === 'rabbitmq'
        ? { bus: watchGroups(await openBus(), groups), live: await openLive(), clock, log }
        : { bus, live, clock, log },
    token: (person, sid = `sid-${person.id}`) =>
      signer.sign({ sub: person.id, sid, ver: person.version ?? 1, authTimeMs: clock.now() }, clock.now(), 600),
    database: service => {
      databases.add(service)
      return client.db(`${name}-${service}`)
    },
    close: async () => {
      for (const each of opened.reverse()) await each.close()
      if (options.bus === 'rabbitmq') await removeFromBroker(name, [...groups])
      const scans = await scansOf(client, name)
      await dropDatabases(client, name)
      await client.close()
      if (scans.length > 0) throw new Error(`read a whole collection, for want of an index:\n${scans.join('\n')}`)
    },
  }
}

const profiled = ['auth', 'playback-session', 'engagement', 'notification', 'chat']

/** MongoDB notes what reads a whole collection: a handful of documents in a test, everything there is in production. */
async function noteScans(client: mongoose.mongo.MongoClient, prefix: string): Promise<void> {
  const filter = {
    planSummary: /COLLSCAN/,
    op: { $ne: 'getmore' },
    // Change streams read the oplog.
    'command.pipeline.0.$changeStream': { $exists: false },
    'command.comment': { $ne: fullScan.comment },
  }
  await Promise.all(
    profiled.map(service => client.db(`${prefix}-${service}`).command({ profile: 1, slowms: 0, filter })),
  )
}

/** Scans by the services; tests themselves may read whole collections. */
async function scansOf(client: mongoose.mongo.MongoClient, prefix: string): Promise<string[]> {
  const found = profiled.map(async service => {
    const database = client.db(`${prefix}-${service}`)
    await database.command({ profile: 0 })
    const rows = await database.collection('system.profile').find({ appName: database.databaseName }).toArray()
    return rows.map(({ ns, command }) => `${ns} ${JSON.stringify(command.filter ?? command.pipeline ?? command)}`)
  })
  return [...new Set((await Promise.all(found)).flat())]
}

/** Those of every service, under the prefix. */
export async function dropDatabases(client: mongoose.mongo.MongoClient, prefix: string): Promise<void> {
  const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
  for (const { name } of databases) if (name.startsWith(`${prefix}-`)) await client.db(name).dropDatabase()
}

async function removeFromBroker(exchange: string, groups: string[]) {
  const { connect } = await import('amqplib')
  const { defaultRetryDelaysMs } = await import('@watchline/kit/messaging/rabbitmq/rabbitmq-bus')
  const { removeTopology, topologyOf } = await import('@watchline/kit/messaging/rabbitmq/topology')
  const connection = await connect(serverUrl('AMQP_URL'))
  await removeTopology(await connection.createChannel(), topologyOf(exchange), groups, defaultRetryDelaysMs.length)
  await connection.close()
}

function watchGroups(bus: EventBus, groups: Set<string>): EventBus {
  const consume: EventBus['consume'] = (options, handler) => {
    groups.add(options.group)
    return bus.consume(options, handler)
  }
  return { ...bus, consume }
}

/** A person for a test; what is not said is made up. */
export function makePersonSnapshot(fields: Partial<PersonSnapshot> & { role?: Role } = {}): PersonSnapshot {
  const id = fields.id ?? newId()
  return {
    id,
    name: `Person ${id.slice(-4)}`,
    email: `${id}@example.org`,
    picture: null,
    role: 'user',
    supervisor_id: null,
    manager_id: null,
    created_at: new Date(Date.UTC(2026, 0, 1)).toISOString(),
    version: 1,
    ...fields,
  }
}

export interface ApiResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into answers of every shape
  json: any
  text: string
  headers: Headers
}

/** Calls a service through its door, as the gateway would. */
export function apiClient(url: string, token?: string) {
  async function call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<ApiResponse> {
    const response = await fetch(`${url}/api${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    let json: unknown
    try {
      json = text ? JSON.parse(text) : undefined
    } catch {
      json = undefined
    }
    return { status: response.status, json, text, headers: response.headers }
  }
  return {
    call,
    get: (path: string, headers?: Record<string, string>) => call('GET', path, undefined, headers),
    post: (path: string, body?: unknown, headers?: Record<string, string>) => call('POST', path, body, headers),
    put: (path: string, body?: unknown, headers?: Record<string, string>) => call('PUT', path, body, headers),
    delete: (path: string, body?: unknown, headers?: Record<string, string>) => call('DELETE', path, body, headers),
  }
}

/** Waits until `check` no longer throws (or answers something truthy); the condition, never a while. */
export async function eventually<T>(check: () => Promise<T> | T, timeoutMs = 60_000): Promise<T> {
  const until = Date.now() + timeoutMs
  for (;;) {
    try {
      const value = await check()
      if (value !== false) return value
      throw new Error('the condition did not come true')
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise(resolve => setTimeout(resolve, 25))
    }
  }
}
