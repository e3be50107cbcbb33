import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import type mongoose from 'mongoose'

/** The smallest value that at least `share` (0 to 1) of all values do not exceed; `sorted` ascending. NaN of nothing. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

export interface Spread {
  median: number
  min: number
  max: number
}

export function spreadOf(values: readonly number[]): Spread {
  const sorted = values.filter(value => !Number.isNaN(value)).sort((a, b) => a - b)
  const middle = (sorted.length - 1) / 2
  const median = (sorted[Math.floor(middle)]! + sorted[Math.ceil(middle)]!) / 2
  return { median: sorted.length ? median : Number.NaN, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN }
}

/** Linux tells CPU time in ticks of 10 ms, whatever the kernel's own. */
const ticksPerS = 100

/** Seconds of CPU that all threads of a process have used, of /proc/<pid>/stat. The name in it may hold spaces and brackets. */
export function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerS
}

/** The commands of all kinds that mongod was ever given, of serverStatus().metrics.commands. */
export function commandsIn(commands: Record<string, unknown>): number {
  let sum = 0
  for (const counted of Object.values(commands)) {
    const { total } = Object(counted) as { total?: unknown }
    sum += Number(typeof counted === 'number' ? counted : (total ?? 0))
  }
  return sum
}

export interface Reading {
  atMs: number
  commands: number
  /** Seconds, by process. */
  cpu: Record<string, number>
}

export interface Used {
  seconds: number
  commands: number
  cpu: Record<string, number>
}

export function usedBetween(before: Reading, after: Reading): Used {
  return {
    seconds: (after.atMs - before.atMs) / 1_000,
    commands: after.commands - before.commands,
    cpu: Object.fromEntries(Object.keys(after.cpu).map(name => [name, after.cpu[name]! - (before.cpu[name] ?? 0)])),
  }
}

export interface Meter {
  read(): Promise<Reading>
}

/** Reads what processes (by name) and MongoDB have used so far. One reading costs MongoDB one command. */
export function createMeter(admin: mongoose.mongo.Admin, pids: Record<string, number>): Meter {
  return {
    read: async () => {
      const { metrics } = await admin.command({ serverStatus: 1, metrics: 1, repl: 0, locks: 0, wiredTiger: 0 })
      const { user, system } = process.cpuUsage()
      const cpu: Record<string, number> = { load: (user + system) / 1e6 }
      for (const [name, pid] of Object.entries(pids))
        cpu[name] = cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))
      return { atMs: performance.now(), commands: commandsIn(metrics.commands), cpu }
    },
  }
}

/** What figures were taken on, and how busy it was before. */
export const machineNow = () => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model,
  memoryGB: Math.round(totalmem() / 2 ** 30),
  loadBefore: loadavg().map(value => Math.round(value * 100) / 100),
  node: process.version,
})
