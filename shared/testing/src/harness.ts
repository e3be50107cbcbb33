import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { consumersOf } from '@watchline/contracts/events'
import { type ServiceName, serviceNames } from '@watchline/contracts/operation'
import type { PersonSnapshot, Role } from '@watchline/contracts/people'
import { createTokenSigner, type TokenSigner } from '@watchline/identity/tokens'
import { type Clock, systemClock } from '@watchline/kit/core/clock'
import { createInternalCredentials, type InternalCredentials } from '@watchline/kit/http/internal-credentials'
import type { LiveStoreAdapter } from '@watchline/kit/live/live-store-adapter'
import { createMemoryLiveStore } from '@watchline/kit/live/memory-live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createInProcessBus } from '@watchline/kit/messaging/in-process/in-process-bus'
import { newId } from '@watchline/kit/mongo/database'
import { createLogger } from '@watchline/kit/observability/log'
import type { BaseConfig } from '@watchline/kit/process/config'
import type { Ports } from '@watchline/kit/process/service-host'
import mongoose from 'mongoose'
import { readScans, recordScans, releaseDatabases, takeEmptiedPrefix } from './test-databases.ts'

/** The address of a server for the tests. Without one the tests fail; they are never skipped. */
export function serverUrl(name: 'MONGO_URL' | 'AMQP_URL' | 'REDIS_URL'): string {
  const url = process.env[name]
  if (!url) throw new Error(`${name} is not set: run the tests with \`make test\`, which starts the servers`)
  return url
}

/** The limit of a command to Redis in tests. A slow machine may stop a process for seconds. */
export const slowCommandMs = 30_000

export interface TestWorldOptions {
  /** Default: in-process. */
  bus?: 'in-process' | 'rabbitmq'
  /** Default: memory. */
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
  /**
   * The ports of another process on the same broker and live store; in-process adapters are shared.
   */
  otherPorts(): Promise<Ports>
  /** An access token, as the gateway would pass it on. */
  token(person: { id: string; version?: number }, sid?: string): string
  /** How a service identifies itself when it calls another one. */
  credentialsOf(service: ServiceName): InternalCredentials
  /** The database of a service, for direct reads and writes. */
  database(service: string): mongoose.mongo.Db
  close(): Promise<void>
}

const dayS = 24 * 3600
/** The defaults of the settings. */
const testRetention = {
  retentionMessagesS: 730 * dayS,
  retentionCommentsS: 730 * dayS,
  retentionNotificationsS: 90 * dayS,
  retentionReportsS: 30 * dayS,
  retentionSessionsS: 90 * dayS,
  retentionSignInsS: 30 * dayS,
  retentionViewsS: 365 * dayS,
  retentionAuditS: 2 ** 31 - 1,
}

let keys: { privateKey: string; publicKey: string } | undefined

function testKeys() {
  keys ??= generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  return keys
}

let recordKey: string | undefined

/** The private key with which engagement signs records in tests. */
export function testRecordKey(): string {
  recordKey ??= generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return recordKey
}

let internalKeyPair: { privateKey: string; publicKeys: string } | undefined

/** One key for every service, as in a development instance. */
function internalKeys() {
  if (!internalKeyPair) {
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const publicKey = pair.publicKey.export({ type: 'spki', format: 'der' }).toString('base64')
    internalKeyPair = {
      privateKey: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
      publicKeys: serviceNames.map(service => `${service} ${publicKey}`).join('\n'),
    }
  }
  return internalKeyPair
}

export async function createTestWorld(options: TestWorldOptions = {}): Promise<TestWorld> {
  const name = `t${randomBytes(5).toString('hex')}`
  // Only tests have Jest's functions; programs that start test servers import this file, too.
  const { expect } = await import('@jest/globals')
  const testPackage = expect.getState().testPath!.split('/test/')[0]!
  const databasePrefix = takeEmptiedPrefix(testPackage) ?? name
  const { privateKey, publicKey } = testKeys()
  const clock = options.clock ?? systemClock
  const logLevel = options.logLevel ?? (process.env.TEST_LOG as BaseConfig['logLevel']) ?? 'silent'
  const log = createLogger(name, logLevel)
  const adapters: { close(): Promise<void> }[] = []

  // Drivers are loaded by the tests that need them.
  async function openBus(): Promise<EventBus> {
    let bus: EventBus
    if (options.bus === 'rabbitmq') {
      const { createRabbitBus } = await import('@watchline/kit/messaging/rabbitmq/rabbitmq-bus')
      bus = await createRabbitBus({ url: serverUrl('AMQP_URL'), exchange: name, consumersOf: consumingGroups, log })
    } else bus = createInProcessBus({ consumersOf: consumingGroups, log })
    adapters.push(bus)
    return bus
  }
  async function openLive(): Promise<LiveStoreAdapter> {
    let live: LiveStoreAdapter
    if (options.live === 'redis') {
      const { createRedisLiveStore } = await import('@watchline/kit/live/redis-live-store')
      const commandTimeoutMs = slowCommandMs
      live = createRedisLiveStore({ url: serverUrl('REDIS_URL'), prefix: `${name}:`, log, commandTimeoutMs })
    } else live = createMemoryLiveStore()
    adapters.push(live)
    return live
  }
  // A test runs one or two services, so the bus must not wait for the groups of others.
  const groups = new Set<string>()
  const consumingGroups = (type: string) => consumersOf(type).filter(group => groups.has(group))

  const bus = recordGroups(await openBus(), groups)
  const live = await openLive()
  const mongoUrl = serverUrl('MONGO_URL')
  const client = new mongoose.mongo.MongoClient(mongoUrl)
  const signer = createTokenSigner(privateKey)
  /** Signed tokens by claims, because a signature takes a millisecond of CPU. */
  const tokens = new Map<string, string>()
  const startedAt = new Date()
  await recordScans(client, databasePrefix)

  const config: BaseConfig = {
    nodeEnv: 'test',
    rateLimits: true,
    checkResponses: true,
    logLevel,
    host: '127.0.0.1',
    port: 0,
    metricsPort: undefined,
    drainMs: 0,
    mongoUrl,
    databasePrefix,
    amqpUrl: undefined,
    amqpExchange: name,
    amqpServiceUsers: false,
    redisUrl: undefined,
    redisPrefix: `${name}:`,
    tokenPublicKey: publicKey,
    internalPrivateKey: internalKeys().privateKey,
    internalPublicKeys: internalKeys().publicKeys,
    internalSecrets: undefined,
    authUrl: 'http://127.0.0.1:9',
    tlsCaFile: undefined,
    tlsCertFile: undefined,
    tlsKeyFile: undefined,
    allowPlainConnections: false,
    otlpEndpoint: undefined,
    tracesSampler: 'parentbased_always_on',
    tracesSamplerArg: 1,
    ...testRetention,
  }

  return {
    name,
    config,
    ports: { bus, live, clock, log },
    privateKey,
    signer,
    otherPorts: async () =>
      options.bus === 'rabbitmq'
        ? { bus: recordGroups(await openBus(), groups), live: await openLive(), clock, log }
        : { bus, live, clock, log },
    token: (person, sid = `sid-${person.id}`) => {
      const claims = { sub: person.id, sid, ver: person.version ?? 1, authTimeMs: clock.now() }
      const key = JSON.stringify(claims)
      if (!tokens.has(key)) tokens.set(key, signer.sign(claims, clock.now(), 600))
      return tokens.get(key)!
    },
    credentialsOf: service => createInternalCredentials(service, config, clock),
    database: service => client.db(`${databasePrefix}-${service}`),
    close: async () => {
      for (const adapter of adapters.reverse()) await adapter.close()
      if (options.bus === 'rabbitmq') await removeFromBroker(name, [...groups])
      const scans = await readScans(client, databasePrefix, startedAt)
      await releaseDatabases(client, databasePrefix, testPackage)
      await client.close()
      if (scans.length > 0) throw new Error(`a query without an index read a whole collection:\n${scans.join('\n')}`)
    },
  }
}

async function removeFromBroker(exchange: string, groups: string[]) {
  const { connect } = await import('amqplib')
  const { defaultRetryDelaysMs } = await import('@watchline/kit/messaging/rabbitmq/rabbitmq-bus')
  const { removeTopology, topologyOf } = await import('@watchline/kit/messaging/rabbitmq/topology')
  const connection = await connect(serverUrl('AMQP_URL'))
  await removeTopology(await connection.createChannel(), topologyOf(exchange), groups, defaultRetryDelaysMs.length)
  await connection.close()
}

function recordGroups(bus: EventBus, groups: Set<string>): EventBus {
  const consume: EventBus['consume'] = (options, handler) => {
    groups.add(options.consumerGroup)
    return bus.consume(options, handler)
  }
  return { ...bus, consume }
}

/** A person for a test; missing fields get defaults. */
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

/** Waits until `check` neither throws nor returns false. */
export async function eventually<T>(check: () => Promise<T> | T, timeoutMs = 240_000): Promise<T> {
  const startedAt = Date.now()
  for (;;) {
    try {
      const value = await check()
      if (value !== false) return value
      throw new Error('the condition did not come true')
    } catch (error) {
      const elapsedMs = Date.now() - startedAt
      if (elapsedMs > timeoutMs) throw error
      // Long waits poll less often, because a poll takes processor time from what it waits for.
      await new Promise(resolve => setTimeout(resolve, Math.min(100, 25 + elapsedMs / 20)))
    }
  }
}
