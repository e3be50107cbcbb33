import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { consumersOf } from '@watchline/contracts/events'
import type { LiveStore } from '@watchline/kit/live/live-store'
import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import type mongoose from 'mongoose'
import { Agent, type Dispatcher } from 'undici'
import type { Log } from '../../../tools/src/provision/types.ts'
import { type Replica, startReplica } from '../../../tools/src/up/replica.ts'
import type { Distributed, ProcessName } from '../../../tools/src/up/system.ts'
import { type Stores, startStores } from '../shared/stores.ts'
import { type World as BaseWorld, createWorld as createBaseWorld, openDatabases, startSystem } from '../shared/world.ts'
import { openPausableProxy, type PausableProxy } from './pausable-proxy.ts'

/** The distributed system on its own stores. Every connection passes a network that can fail. */
export interface FaultWorld extends BaseWorld {
  stores: Stores
  system: Distributed
  /**
   * An extra replica of playback-session, called without the gateway, with its own proxy to
   * MongoDB.
   */
  straggler: { replica: Replica; proxy: PausableProxy }
  /** Connected directly, without the networks that fail. */
  databases: { of(service: string): mongoose.mongo.Db }
  live: LiveStore
  bus: EventBus
  /** For the clients. */
  dispatcher: Dispatcher
}

export interface FaultWorldOptions {
  folder: string
  replicas: Partial<Record<ProcessName, number>>
  /** A module that every process of the product preloads. */
  preload?: string | undefined
  log: Log
}

const prefix = 'faults'

export function createFaultWorld({ folder, replicas, preload, log }: FaultWorldOptions): Promise<FaultWorld> {
  return createBaseWorld(async base => {
    const stores = await startStores(folder, log)
    base.onStop(() => Promise.all(Object.values(stores).map(store => store.stop())))
    const system = await startSystem(base, {
      folder,
      stores: { mongoUrl: stores.mongodb.url, amqpUrl: stores.rabbitmq.url, redisUrl: stores.redis.url },
      prefix,
      replicas,
      env: {
        LOG_LEVEL: 'info',
        NODE_OPTIONS: preload === undefined ? '' : `--import ${preload}`,
      },
      drainMs: 0,
      log,
    })
    const straggler = await startStraggler(base, { folder, system, stores, log })
    const databases = await openDatabases(base, { url: stores.mongodb.directUrl, prefix })
    const live = createRedisLiveStore({ url: stores.redis.directUrl, prefix: `${prefix}:` })
    base.onStop(() => live.close())
    const bus = await createRabbitBus({ url: stores.rabbitmq.directUrl, exchange: prefix, consumersOf })
    base.onStop(() => bus.close())
    const dispatcher = new Agent({ connections: 256, pipelining: 1, connect: { timeout: 2_000 } })
    base.onStop(() => dispatcher.destroy())
    return { stores, system, straggler, databases, live, bus, dispatcher }
  })
}

async function startStraggler(
  base: BaseWorld,
  { folder, system, stores, log }: { folder: string; system: Distributed; stores: Stores; log: Log },
): Promise<FaultWorld['straggler']> {
  const mongo = new URL(stores.mongodb.directUrl)
  const proxy = await openPausableProxy(mongo.host)
  base.onStop(() => proxy.close())
  mongo.host = proxy.address
  const logs = join(folder, 'up', 'logs')
  mkdirSync(logs, { recursive: true })
  const replica = startReplica({
    name: 'straggler',
    main: 'services/playback-session/src/main.ts',
    scheme: 'http',
    readEnv: () => ({ ...system.env, MONGO_URL: mongo.href }),
    logFile: join(logs, 'straggler.log'),
    onChange: () => {},
    log,
  })
  base.onStop(() => replica.stop())
  return { replica, proxy }
}
