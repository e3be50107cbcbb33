import { readFileSync } from 'node:fs'
import type mongoose from 'mongoose'
import { cpuSecondsIn } from '../bench/meter.ts'
import { type Distributed, type ProcessName, processNames } from '../src/up/system.ts'

/** Whose CPU is told apart: the processes of each service together, MongoDB, the load itself, the balancers between all. */
export type Used = ProcessName | 'mongod' | 'load' | 'balancers'

export interface Reading {
  atMs: number
  /** Seconds so far. */
  cpu: Record<Used, number>
}

export interface Spent {
  seconds: number
  cpu: Record<Used, number>
}

export async function mongodPid(client: mongoose.mongo.MongoClient): Promise<number> {
  const { pid } = await client.db('admin').command({ serverStatus: 1 })
  return Number(pid)
}

/** Between two readings no process may come or go. */
export function createReadings(system: Distributed, pids: { mongod: number; load: readonly number[] }) {
  const cpuOf = (pid: number) => cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  const together = (all: readonly number[]) => all.reduce((sum, pid) => sum + cpuOf(pid), 0)

  const read = (): Reading => {
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
    }
  }
  return {
    read,
    since: ({ atMs, cpu }: Reading): Spent => {
      const now = read()
      const names = Object.keys(now.cpu) as Used[]
      return {
        seconds: (now.atMs - atMs) / 1_000,
        cpu: Object.fromEntries(names.map(name => [name, now.cpu[name] - cpu[name]])) as Record<Used, number>,
      }
    },
  }
}

export type Readings = ReturnType<typeof createReadings>
