import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import type mongoose from 'mongoose'

/**
 * The smallest value that at least `share` (0 to 1) of all values do not exceed. NaN without
 * values. `sorted` is ascending.
 */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  if (sorted.length === 0) return Number.NaN
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!
}

/** The values of several rounds. All are NaN without values. */
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

/** The spread of each field over all rounds. */
export function spreadsOf<K extends string>(
  rounds: readonly Record<K, number>[],
  fields: readonly K[],
): Record<K, Spread> {
  return Object.fromEntries(fields.map(field => [field, spreadOf(rounds.map(round => round[field]))])) as Record<
    K,
    Spread
  >
}

/** /proc counts CPU time in ticks of 10 ms, independent of the kernel's own tick. */
const ticksPerS = 100

/**
 * CPU time of all threads of a process in seconds, from the text of /proc/<pid>/stat. The process
 * name in it may contain spaces and brackets.
 */
export function cpuSecondsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / ticksPerS
}

/** CPU time of a process of this machine so far, in seconds. */
export function readCpuSeconds(pid: number): number {
  return cpuSecondsIn(readFileSync(`/proc/${pid}/stat`, 'utf8'))
}

/** CPU time of this process so far, in seconds. */
export function readOwnCpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

/** The number of commands that mongod has received so far. One reading is itself one command. */
export async function readCommandCount(admin: mongoose.mongo.Admin): Promise<number> {
  const { metrics } = await admin.command({ serverStatus: 1, metrics: 1, repl: 0, locks: 0, wiredTiger: 0 })
  return commandsIn(metrics.commands)
}

/** The number of commands of all kinds, from serverStatus().metrics.commands. */
export function commandsIn(commands: Record<string, unknown>): number {
  let sum = 0
  for (const counter of Object.values(commands)) {
    const { total } = Object(counter) as { total?: unknown }
    sum += Number(typeof counter === 'number' ? counter : (total ?? 0))
  }
  return sum
}

export interface Reading {
  atMs: number
  commands: number
  /** Seconds, by process. */
  cpu: Record<string, number>
}

export interface Usage {
  seconds: number
  commands: number
  /** Seconds, by process. */
  cpu: Record<string, number>
}

export function usageBetween(before: Reading, after: Reading): Usage {
  return {
    seconds: (after.atMs - before.atMs) / 1_000,
    commands: after.commands - before.commands,
    cpu: Object.fromEntries(Object.keys(after.cpu).map(name => [name, after.cpu[name]! - (before.cpu[name] ?? 0)])),
  }
}

export interface Meter {
  read(): Promise<Reading>
}

/** Reads the CPU time of processes (by name; this process is `load`) and MongoDB's commands. */
export function createMeter(admin: mongoose.mongo.Admin, pids: Record<string, number>): Meter {
  return {
    read: async () => {
      const commands = await readCommandCount(admin)
      const cpu: Record<string, number> = { load: readOwnCpuSeconds() }
      for (const [name, pid] of Object.entries(pids)) cpu[name] = readCpuSeconds(pid)
      return { atMs: performance.now(), commands, cpu }
    },
  }
}

/** The machine of a run, and its load average before the run. */
export const describeMachine = () => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model,
  memoryGB: Math.round(totalmem() / 2 ** 30),
  loadBefore: loadavg().map(value => Math.round(value * 100) / 100),
  node: process.version,
})
