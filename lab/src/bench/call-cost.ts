import type { Outcome } from '../shared/load-generator.ts'
import { type Meter, quantile, type Usage, usageBetween } from '../shared/meter.ts'

/** The cost of one build's calls in one round. CPU in µs a call. */
export type CallCost = Record<
  'callsPerS' | 'p50Ms' | 'p99Ms' | 'serverUs' | 'mongodUs' | 'redisUs' | 'loadUs' | 'commandsPerCall' | 'errors',
  number
>

export const costFields: readonly (keyof CallCost)[] = [
  'callsPerS',
  'p50Ms',
  'p99Ms',
  'serverUs',
  'mongodUs',
  'redisUs',
  'loadUs',
  'commandsPerCall',
  'errors',
]

/** `server` is the measured service's name in `usage`. The servers' idle commands do not count. */
export function computeCallCost(outcome: Outcome, usage: Usage, server: string, idleCommandsPerS: number): CallCost {
  const microseconds = (process: string) => ((usage.cpu[process] ?? Number.NaN) / outcome.calls) * 1e6
  return {
    callsPerS: outcome.calls / outcome.seconds,
    p50Ms: quantile(outcome.latenciesMs, 0.5),
    p99Ms: quantile(outcome.latenciesMs, 0.99),
    serverUs: microseconds(server),
    mongodUs: microseconds('mongod'),
    redisUs: microseconds('redis'),
    loadUs: microseconds('load'),
    commandsPerCall: Math.max(0, usage.commands - idleCommandsPerS * usage.seconds) / outcome.calls,
    errors: outcome.errors,
  }
}

const settleMs = 1_000
const idleMs = 3_000

/** The usage of the servers without calls: MongoDB commands a second, and cores by process. */
export async function measureIdleUsage(meter: Meter) {
  await new Promise(resolve => setTimeout(resolve, settleMs))
  const before = await meter.read()
  await new Promise(resolve => setTimeout(resolve, idleMs))
  const { commands, seconds, cpu } = usageBetween(before, await meter.read())
  const serversCpu = Object.fromEntries(Object.entries(cpu).map(([name, cpuSeconds]) => [name, cpuSeconds / seconds]))
  return { commandsPerS: commands / seconds, serversCpu }
}
