import mongoose from 'mongoose'
import type { Log } from '../../../tools/src/provision/types.ts'
import { type Distributed, type ProcessName, startDistributed } from '../../../tools/src/up/system.ts'

/** The system that an experiment runs on. */
export interface World {
  /** `stop` runs the steps in reverse order. */
  onStop(step: () => unknown): void
  stop(): Promise<void>
}

/** Builds a world. If a step of `setUp` fails, what was started before it stops again. */
export async function createWorld<T extends object>(setUp: (world: World) => Promise<T>): Promise<T & World> {
  const steps: (() => unknown)[] = []
  const world: World = {
    onStop: step => void steps.push(step),
    stop: async () => {
      for (const step of steps.splice(0).reverse()) await step()
    },
  }
  try {
    return { ...(await setUp(world)), ...world }
  } catch (error) {
    await world.stop()
    throw error
  }
}

export interface Databases {
  client: mongoose.mongo.MongoClient
  of(service: string): mongoose.mongo.Db
}

/** The databases `<prefix>-<service>`. With `dropAtStop` they are dropped when the world stops. */
export async function openDatabases(
  world: World,
  { url, prefix, dropAtStop = false }: { url: string; prefix: string; dropAtStop?: boolean },
): Promise<Databases> {
  const client = await new mongoose.mongo.MongoClient(url).connect()
  world.onStop(() => client.close())
  if (dropAtStop)
    world.onStop(async () => {
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
      for (const { name } of databases) if (name.startsWith(`${prefix}-`)) await client.db(name).dropDatabase()
    })
  return { client, of: service => client.db(`${prefix}-${service}`) }
}

export interface DistributedOptions {
  /** For the secrets and the logs. */
  folder: string
  stores: { mongoUrl: string; amqpUrl: string; redisUrl: string }
  /** The prefix of databases, of the exchange and of keys in Redis. */
  prefix: string
  replicas?: Partial<Record<ProcessName, number>> | undefined
  env: NodeJS.ProcessEnv
  drainMs?: number
  log: Log
}

/** Starts gateway and services as processes. They stop with the world. */
export async function startSystem(world: World, options: DistributedOptions): Promise<Distributed> {
  const { folder, stores, prefix, replicas, env, drainMs, log } = options
  const system = await startDistributed({
    dataDir: folder,
    port: 0,
    stores,
    ...(replicas && { replicas }),
    ...(drainMs !== undefined && { drainMs }),
    env: {
      DATABASE_PREFIX: prefix,
      AMQP_EXCHANGE: prefix,
      REDIS_PREFIX: `${prefix}:`,
      // All clients of an experiment come from one address.
      RATE_LIMITS: 'false',
      PATH: process.env.PATH,
      ...env,
    },
    log,
  })
  world.onStop(() => system.stop())
  return system
}
