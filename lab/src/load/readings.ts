import { readFileSync } from 'node:fs'
import type mongoose from 'mongoose'
import { type Distributed, type ProcessName, processNames } from '../../../tools/src/up/system.ts'
import { commandsIn, cpuSecondsIn } from '../shared/meter.ts'

/** CPU consumers: each service's processes together, MongoDB, the load and the balancers. */
export type Used = ProcessName | 'mongod' | 'load' | 'balancers'

export interface Reading {
  atMs: number
  /** Seconds so far. */
  cpu: Record<Used, number>
  /** That MongoDB was given. */
  commands: number
}

export interface UsedBetween {
  seconds: number
  cpu: Record<Used, number>
  commands: number
}

export async function mongodPid(client: mongoose.mongo.MongoClient): Promise<number> {
  const { pid } = await client.db('admin').command({ serverStatus: 1 })
  return Number(pid)
}

/** Between two readings no process may come or go. One costs MongoDB one command. */
export function createReadings(
  system: Distributed,
  admin: mongoose.mongo.Admin,
  pids: { mongod: number; load: readonly number[] },
) {
  const cpuOf = (pid: number) => cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const together = (all: readonly number[]) => all.reduce((sum, pid) => sum + cpuOf(pid), 0)

  const read = async (): Promise<Reading> => {
    const { metrics } = await admin.command({ serverStatus: 1, metrics: 1, repl: 0, locks: 0, wiredTiger: 0 })
    const { user, system: inSystem } = process.cpuUsage()
    const services = processNames.map(name => [name, together(system.groups[name].replicas.map(each => each.pid))])
    return {
      atMs: performance.now(),
      cpu: {
        ...(Object.fromEntries(services) as Record<ProcessName, number>),
        mongod: cpuOf(pids.mongod),
        load: together(pids.load),
        balancers: (user + inSystem) / 1e6,
      },
      commands: commandsIn(metrics.commands),
    }
  }
  return {
    read,
    since: async ({ atMs, cpu, commands }: Reading): Promise<UsedBetween> => {
      const now = await read()
      const names = Object.keys(now.cpu) as Used[]
      return {
        seconds: (now.atMs - atMs) / 1_000,
        cpu: Object.fromEntries(names.map(name => [name, now.cpu[name] - cpu[name]])) as Record<Used, number>,
        commands: now.commands - commands,
      }
    },
  }
}

export type Readings = ReturnType<typeof createReadings>
