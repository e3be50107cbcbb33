import type mongoose from 'mongoose'
import { type Distributed, type ProcessName, processNames } from '../../../tools/src/up/system.ts'
import { readCommandCount, readCpuSeconds, readOwnCpuSeconds } from '../shared/meter.ts'

/** CPU consumers: each service's processes together, MongoDB, the load and the balancers. */
export type CpuConsumer = ProcessName | 'mongod' | 'load' | 'balancers'

export interface SystemReading {
  atMs: number
  /** Seconds since each process started. */
  cpu: Record<CpuConsumer, number>
  /** The number of commands that MongoDB received. */
  commands: number
}

/** The difference of two readings. */
export interface SystemUsage {
  seconds: number
  /** Seconds. */
  cpu: Record<CpuConsumer, number>
  commands: number
}

export interface SystemMeter {
  /** Costs MongoDB one command. */
  read(): Promise<SystemReading>
  /** No process may start or end since `before`. */
  usageSince(before: SystemReading): Promise<SystemUsage>
}

export function createSystemMeter(
  system: Distributed,
  admin: mongoose.mongo.Admin,
  pids: { mongod: number; load: readonly number[] },
): SystemMeter {
  const totalOf = (all: readonly number[]) => all.reduce((sum, pid) => sum + readCpuSeconds(pid), 0)

  const read = async (): Promise<SystemReading> => {
    const commands = await readCommandCount(admin)
    const services = processNames.map(name => [name, totalOf(system.groups[name].replicas.map(({ pid }) => pid))])
    return {
      atMs: performance.now(),
      cpu: {
        ...(Object.fromEntries(services) as Record<ProcessName, number>),
        mongod: readCpuSeconds(pids.mongod),
        load: totalOf(pids.load),
        balancers: readOwnCpuSeconds(),
      },
      commands,
    }
  }
  return {
    read,
    usageSince: async before => {
      const now = await read()
      const names = Object.keys(now.cpu) as CpuConsumer[]
      return {
        seconds: (now.atMs - before.atMs) / 1_000,
        cpu: Object.fromEntries(names.map(name => [name, now.cpu[name] - before.cpu[name]])) as SystemUsage['cpu'],
        commands: now.commands - before.commands,
      }
    },
  }
}
