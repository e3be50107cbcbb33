import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { consumersOf } from '@watchline/contracts/events'
import type { LiveStore } from '@watchline/kit/live/live-store'
import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import type { EventBus } from '@watchline/kit/messaging/event-bus'
import { createRabbitBus } from '@watchline/kit/messaging/rabbitmq/rabbitmq-bus'
import mongoose from 'mongoose'
import { Agent, type Dispatcher } from 'undici'
import { cacheFolder } from '../../../tools/src/provision/paths.ts'
import type { Log } from '../../../tools/src/provision/types.ts'
import { type Replica, startReplica } from '../../../tools/src/up/replica.ts'
import { type Distributed, type ProcessName, startDistributed } from '../../../tools/src/up/system.ts'
import { type Stores, startStores } from '../shared/stores.ts'
import { type Gate, openGate } from './pausable-proxy.ts'

/** The distributed system on stores of its own, every connection through a network that can fail. */
export interface World {
  stores: Stores
  system: Distributed
  /** One more replica of playback-session, reached past the gateway, with a way of its own to MongoDB. */
  straggler: { replica: Replica; gate: Gate }
  /** Looks past the networks that fail. */
  databases: { of(service: string): mongoose.mongo.Db }
  live: LiveStore
  bus: EventBus
  /** For the clients. */
  dispatcher: Dispatcher
  stop(): Promise<void>
}

export interface WorldOptions {
  folder: string
  replicas: Partial<Record<ProcessName, number>>
  /** A module that every process of the product loads first. */
  preload?: string | undefined
  log: Log
}

const prefix = 'faults'

export async function createWorld({ folder, replicas, preload, log }: WorldOptions): Promise<World> {
  const undo: (() => unknown)[] = []
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const stores = await startStores(folder, log)
    undo.push(() => Promise.all(Object.values(stores).map(store => store.stop())))

    const env = {
      LOG_LEVEL: 'info',
      DATABASE_PREFIX: prefix,
      AMQP_EXCHANGE: prefix,
      REDIS_PREFIX: `${prefix}:`,
      // All clients come from one address.
      RATE_LIMITS: 'false',
      NODE_OPTIONS: preload === undefined ? '' : `--import ${preload}`,
      PATH: process.env.PATH,
      // Processes start again all the time: what is measured is the system, not the compiler.
      NODE_COMPILE_CACHE: join(cacheFolder(), 'compile'),
    }
    const system = await startDistributed({
      dataDir: folder,
      port: 0,
      stores: { mongoUrl: stores.mongodb.url, amqpUrl: stores.rabbitmq.url, redisUrl: stores.redis.url },
      replicas,
      env,
      drainMs: 0,
      log,
    })
    undo.push(() => system.stop())

    const mongo = new URL(stores.mongodb.directUrl)
    const gate = await openGate(mongo.host)
    undo.push(() => gate.close())
    mongo.host = gate.address
    const logs = join(folder, 'up', 'logs')
    mkdirSync(logs, { recursive: true })
    const replica = startReplica({
      name: 'straggler',
      main: 'services/playback-session/src/main.ts',
      env: { ...system.env, MONGO_URL: mongo.href },
      logFile: join(logs, 'straggler.log'),
      changed: () => {},
      log,
    })
    undo.push(() => replica.stop())

    const client = await new mongoose.mongo.MongoClient(stores.mongodb.directUrl).connect()
    undo.push(() => client.close())
    const live = createRedisLiveStore({ url: stores.redis.directUrl, prefix: env.REDIS_PREFIX })
    undo.push(() => live.close())
    const bus = await createRabbitBus({ url: stores.rabbitmq.directUrl, exchange: prefix, consumersOf })
    undo.push(() => bus.close())
    const dispatcher = new Agent({ connections: 256, pipelining: 1, connect: { timeout: 2_000 } })
    undo.push(() => dispatcher.destroy())
    return {
      stores,
      system,
      straggler: { replica, gate },
      databases: { of: service => client.db(`${prefix}-${service}`) },
      live,
      bus,
      dispatcher,
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
