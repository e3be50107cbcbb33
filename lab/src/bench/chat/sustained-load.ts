import type mongoose from 'mongoose'
import { type Outcome, runOpenLoop } from '../../shared/load-generator.ts'
import { type Meter, quantile, usageBetween } from '../../shared/meter.ts'
import { markdownTable } from '../../shared/tables.ts'
import type { BenchProcess } from '../bench-world.ts'
import { type Pair, rotateSendCalls } from './rooms.ts'
import { countStoredMessages, type StoredMessages } from './stored-messages.ts'

export const ratePerS = 2_000
/**
 * About ten seconds after its first message a new replica has one slow second, when V8 first
 * collects its whole heap.
 */
const warmUpS = 15
/** The tables count the seconds with a higher p99. */
export const slowMs = 100
const connectionsPerReplica = 128

export interface SustainedFigures {
  seconds: number
  sent: number
  errors: number
  answers: Record<string, number>
  callsPerS: number
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** By the second in which messages were due. */
  p99BySecond: number[]
  /** µs a message: both replicas together, MongoDB, Redis, the load itself. */
  cpu: Record<'chat' | 'mongod' | 'redis' | 'load', number>
  commandsPerCall: number
  stored: StoredMessages
}

interface SustainedOptions {
  database: mongoose.mongo.Db
  meter: Meter
  replicas: readonly BenchProcess[]
  pairs: readonly Pair[]
  seconds: number
  idleCommandsPerS: number
}

/**
 * Measures messages at random moments over both replicas. Fails if an acknowledged message is not
 * stored.
 */
export async function measureSustainedLoad(options: SustainedOptions): Promise<SustainedFigures> {
  const { database, meter, replicas, pairs, seconds, idleCommandsPerS } = options
  // In reverse order at the second replica, so that both replicas serve both sides of every room.
  const nextCalls = replicas.map((_, index) => rotateSendCalls(index === 0 ? pairs : pairs.toReversed()))
  const runLoad = (loadS: number) =>
    Promise.all(
      replicas.map(({ url }, index) =>
        runOpenLoop(url, nextCalls[index]!, {
          ratePerS: ratePerS / replicas.length,
          seconds: loadS,
          connections: connectionsPerReplica,
        }),
      ),
    )
  const warmUpOutcomes = await runLoad(warmUpS)
  const before = await meter.read()
  const outcomes = await runLoad(seconds)
  const usage = usageBetween(before, await meter.read())
  const sent = sumOf(outcomes, 'calls')
  const stored = await countStoredMessages(database)
  const acknowledged = sent + sumOf(warmUpOutcomes, 'calls')
  if (stored.messages < acknowledged)
    throw new Error(`${acknowledged} messages were acknowledged, but ${stored.messages} are stored`)

  const latencies = Float64Array.from(outcomes.flatMap(({ latenciesMs }) => [...latenciesMs])).sort()
  const microseconds = (process: string) => (usage.cpu[process]! / sent) * 1e6
  return {
    seconds,
    sent,
    errors: sumOf(outcomes, 'errors'),
    answers: mergeAnswers(outcomes),
    callsPerS: sent / usage.seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1)!,
    p99BySecond: computeP99BySecond(outcomes),
    cpu: {
      chat: microseconds('chat-1') + microseconds('chat-2'),
      mongod: microseconds('mongod'),
      redis: microseconds('redis'),
      load: microseconds('load'),
    },
    commandsPerCall: Math.max(0, usage.commands - idleCommandsPerS * usage.seconds) / sent,
    stored,
  }
}

function sumOf(outcomes: readonly Outcome[], field: 'calls' | 'errors'): number {
  return outcomes.reduce((sum, outcome) => sum + outcome[field], 0)
}

function mergeAnswers(outcomes: readonly Outcome[]): Record<string, number> {
  const answers: Record<string, number> = {}
  for (const outcome of outcomes)
    for (const [answer, times] of Object.entries(outcome.answers)) answers[answer] = (answers[answer] ?? 0) + times
  return answers
}

function computeP99BySecond(outcomes: readonly Outcome[]): number[] {
  const seconds = Math.max(...outcomes.map(({ bySecond }) => bySecond.length))
  return Array.from({ length: seconds }, (_, second) =>
    quantile(Float64Array.from(outcomes.flatMap(({ bySecond }) => bySecond[second] ?? [])).sort(), 0.99),
  )
}

/** Markdown. */
export function sustainedTable({ cpu, stored, ...figures }: SustainedFigures): string {
  const columns: [string, string | number][] = [
    ['seconds', figures.seconds],
    ['messages/s', figures.callsPerS.toFixed(0)],
    ['p50 ms', figures.p50Ms.toFixed(1)],
    ['p99 ms', figures.p99Ms.toFixed(1)],
    ['longest ms', figures.maxMs.toFixed(0)],
    [`seconds with p99 over ${slowMs} ms`, figures.p99BySecond.filter(ms => ms > slowMs).length],
    ['chat µs', cpu.chat.toFixed(0)],
    ['mongod µs', cpu.mongod.toFixed(0)],
    ['redis µs', cpu.redis.toFixed(0)],
    ['commands', figures.commandsPerCall.toFixed(3)],
    ['errors', figures.errors],
    ['stored', stored.messages],
    ['gaps', stored.gaps],
    ['twice', stored.repeated],
  ]
  return singleRowTable(columns)
}

/** A Markdown table with one row of figures. */
export function singleRowTable(columns: readonly (readonly [string, string | number])[]): string {
  return markdownTable(
    columns.map(([title]) => title),
    [columns.map(([, value]) => value)],
    { textColumns: 0 },
  )
}
