import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type mongoose from 'mongoose'
import type { Log } from '../../../tools/src/provision/types.ts'
import type { Distributed, ProcessName } from '../../../tools/src/up/system.ts'
import { type World as BaseWorld, createWorld as createBaseWorld, openDatabases, startSystem } from '../shared/world.ts'
import { type ChildProcessProxy, startChildProcess } from './child-process.ts'
import type { Overload } from './clients/overload-process.ts'
import type { LoadPeople, PeopleSize } from './clients/people.ts'
import { createReadings, mongodPid, type Readings } from './readings.ts'

/** A broker that can be stopped. */
export interface Broker {
  url: string
  goAway(): Promise<void>
  comeBack(): Promise<void>
}

export interface LoadWorldOptions {
  /** The folder of the secrets and the logs. */
  folder: string
  stores: { mongoUrl: string; redisUrl: string; broker: Broker }
  /** The prefix of databases, exchange and Redis keys. */
  prefix: string
  size: PeopleSize
  replicas?: Partial<Record<ProcessName, number>>
  log: Log
}

/** The distributed system with people who use it. */
export interface LoadWorld extends BaseWorld {
  system: Distributed
  broker: Broker
  databases: { of(service: string): mongoose.mongo.Db }
  crew: ChildProcessProxy<LoadPeople>
  overload: ChildProcessProxy<Overload>
  readings: Readings
  /** The number of people with an open page. */
  people: number
  log: Log
}

export async function createLoadWorld({
  folder,
  stores,
  prefix,
  size,
  replicas,
  log,
}: LoadWorldOptions): Promise<LoadWorld> {
  try {
    return await createBaseWorld(async base => {
      const databases = await openDatabases(base, { url: stores.mongoUrl, prefix, dropAtStop: true })
      log('— gateway and services')
      const system = await startSystem(base, {
        folder,
        stores: { mongoUrl: stores.mongoUrl, amqpUrl: stores.broker.url, redisUrl: stores.redisUrl },
        prefix,
        replicas,
        env: { LOG_LEVEL: 'warn' },
        log: line => log(`  ${line}`),
      })
      const people = size.teams * size.trainees
      log(`— ${people} people sign in and open their players`)
      const clients = (name: string) => new URL(`clients/${name}-process.ts`, import.meta.url)
      const crew = await startChildProcess<LoadPeople>(clients('people'), [
        system.url,
        String(size.teams),
        String(size.trainees),
      ])
      base.onStop(() => crew.stop())
      const overload = await startChildProcess<Overload>(clients('overload'), [system.url])
      base.onStop(() => overload.stop())
      const pids = { mongod: await mongodPid(databases.client), load: [crew.pid, overload.pid] }
      const readings = createReadings(system, databases.client.db('admin').admin(), pids)
      return { system, broker: stores.broker, databases, crew, overload, readings, people, log }
    })
  } catch (error) {
    for (const line of lastLines(join(folder, 'up', 'logs'))) log(`  ${line}`)
    throw error
  }
}

/** The last log lines of each process, for a failed start. */
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
