import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type mongoose from 'mongoose'
import type { Log } from '../../../tools/src/provision/types.ts'
import type { Distributed, ProcessName } from '../../../tools/src/up/system.ts'
import { readMongodPid } from '../shared/processes.ts'
import { type World as BaseWorld, createWorld as createBaseWorld, openDatabases, startSystem } from '../shared/world.ts'
import { type ChildProcessProxy, startChildProcess } from './child-process.ts'
import type { LoadPeople, PeopleSize } from './clients/load-people.ts'
import type { Overload } from './clients/overload-process.ts'
import { createSystemMeter, type SystemMeter } from './system-meter.ts'

/** A broker that can be stopped. */
export interface Broker {
  url: string
  stop(): Promise<void>
  /** Starts it again with the same data. */
  restart(): Promise<void>
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
  loadPeople: ChildProcessProxy<LoadPeople>
  overload: ChildProcessProxy<Overload>
  meter: SystemMeter
  /** The number of people with an open page. */
  peopleCount: number
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
      const peopleCount = size.teams * size.trainees
      log(`— ${peopleCount} people sign in and open their players`)
      const clientModule = (name: string) => new URL(`clients/${name}-process.ts`, import.meta.url)
      const loadPeople = await startChildProcess<LoadPeople>(clientModule('load-people'), [
        system.url,
        String(size.teams),
        String(size.trainees),
      ])
      base.onStop(() => loadPeople.stop())
      const overload = await startChildProcess<Overload>(clientModule('overload'), [system.url])
      base.onStop(() => overload.stop())
      const pids = { mongod: await readMongodPid(databases.client), load: [loadPeople.pid, overload.pid] }
      const meter = createSystemMeter(system, databases.client.db('admin').admin(), pids)
      return { system, broker: stores.broker, databases, loadPeople, overload, meter, peopleCount, log }
    })
  } catch (error) {
    for (const line of readLastLines(join(folder, 'up', 'logs'))) log(`  ${line}`)
    throw error
  }
}

/** The last log lines of each process, for a failed start. */
function readLastLines(logFolder: string): string[] {
  try {
    return readdirSync(logFolder).flatMap(file =>
      readFileSync(join(logFolder, file), 'utf8')
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
