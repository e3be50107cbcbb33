import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import mongoose from 'mongoose'
import type { Log } from '../../../tools/src/provision/types.ts'
import { type Distributed, type ProcessName, startDistributed } from '../../../tools/src/up/system.ts'
import { type Remote, startRemote } from './child-process.ts'
import type { Flood } from './clients/overload-process.ts'
import type { Crew, CrewSize } from './clients/people.ts'
import { createReadings, mongodPid, type Readings } from './readings.ts'

/** A broker that can be away. */
export interface Broker {
  url: string
  goAway(): Promise<void>
  comeBack(): Promise<void>
}

export interface WorldOptions {
  /** Of the secrets and the logs. */
  folder: string
  stores: { mongoUrl: string; redisUrl: string; broker: Broker }
  /** Begins the names of databases, of the exchange and of the keys in Redis. */
  prefix: string
  size: CrewSize
  replicas?: Partial<Record<ProcessName, number>>
  log: Log
}

/** The distributed system with people who use it. */
export interface World {
  system: Distributed
  broker: Broker
  databases: { of(service: string): mongoose.mongo.Db }
  crew: Remote<Crew>
  flood: Remote<Flood>
  readings: Readings
  /** How many keep a page open. */
  people: number
  log: Log
  stop(): Promise<void>
}

export async function createWorld({ folder, stores, prefix, size, replicas, log }: WorldOptions): Promise<World> {
  const undo: (() => unknown)[] = []
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) await step()
  }
  try {
    const client = await new mongoose.mongo.MongoClient(stores.mongoUrl).connect()
    undo.push(() => client.close())
    undo.push(async () => {
      const { databases } = await client.db('admin').admin().listDatabases({ nameOnly: true })
      for (const { name } of databases) if (name.startsWith(`${prefix}-`)) await client.db(name).dropDatabase()
    })
    log('— gateway and services')
    const system = await startDistributed({
      dataDir: folder,
      port: 0,
      stores: { mongoUrl: stores.mongoUrl, amqpUrl: stores.broker.url, redisUrl: stores.redisUrl },
      ...(replicas && { replicas }),
      env: {
        LOG_LEVEL: 'warn',
        DATABASE_PREFIX: prefix,
        AMQP_EXCHANGE: prefix,
        REDIS_PREFIX: `${prefix}:`,
        // All clients come from one address.
        RATE_LIMITS: 'false',
        PATH: process.env.PATH,
      },
      log: line => log(`  ${line}`),
    })
    undo.push(() => system.stop())

    const people = size.teams * size.trainees
    log(`— ${people} people sign in and open their players`)
    const clients = (name: string) => new URL(`clients/${name}-process.ts`, import.meta.url)
    const crew = await startRemote<Crew>(clients('people'), [system.url, String(size.teams), String(size.trainees)])
    undo.push(() => crew.stop())
    const flood = await startRemote<Flood>(clients('overload'), [system.url])
    undo.push(() => flood.stop())
    const pids = { mongod: await mongodPid(client), load: [crew.pid, flood.pid] }
    return {
      system,
      broker: stores.broker,
      databases: { of: service => client.db(`${prefix}-${service}`) },
      crew,
      flood,
      readings: createReadings(system, client.db('admin').admin(), pids),
      people,
      log,
      stop,
    }
  } catch (error) {
    for (const line of lastLines(join(folder, 'up', 'logs'))) log(`  ${line}`)
    await stop()
    throw error
  }
}

/** What the processes said last, when something did not work. */
function lastLines(logs: string): string[] {
  try {
    return readdirSync(logs).flatMap(file =>
      readFileSync(join(logs, file), 'utf8')
        .trimEnd()
        .split('\n')
        .slice(-3)
        .map(line => `${file}: ${line.slice(0, 300)}`),
    )
  } catch {
    return []
  }
}

export const wait = (seconds: number) => sleep(seconds * 1_000)
