import { randomInt } from 'node:crypto'
import type mongoose from 'mongoose'
import { Agent } from 'undici'
import { randomIntervalMs } from '../../shared/load-generator.ts'
import { quantile } from '../../shared/meter.ts'
import { type BenchOptions, throwIfInterrupted } from '../bench-options.ts'
import type { BenchProcess, BenchWorld } from '../bench-world.ts'
import { checkRooms, type Findings, faultTitles } from './findings.ts'
import type { Pair, Side } from './rooms.ts'
import { createSender, type Replicas, type Sender, type SentMessage } from './senders.ts'
import { countStoredMessages, type StoredMessages } from './stored-messages.ts'
import { ratePerS, singleRowTable, slowMs } from './sustained-load.ts'

/** After every message of this number its sender marks the room as read. */
const markReadEvery = 40
const connectionsPerReplica = 128
/** After the load, senders may retry unacknowledged messages for this long. */
const retryLimitMs = 180_000

export interface KillFigures {
  seconds: number
  /** Seconds from the start of the load to the kill, and until the replica answered again. */
  kills: { atS: number; awayS: number }[]
  sent: number
  acknowledged: number
  /** The number of messages that were sent more than once, and of all retries. */
  resent: number
  resends: number
  /** The number of retries by reason: a status, or an error's code. */
  reasons: Record<string, number>
  p50Ms: number
  p99Ms: number
  maxMs: number
  /** The number of seconds with a p99 over {@link slowMs}. */
  slowSeconds: number
  findings: Findings
  stored: StoredMessages
}

interface KillOptions extends BenchOptions {
  database: mongoose.mongo.Db
  replicas: [BenchProcess, BenchProcess]
  pairs: readonly Pair[]
  seconds: number
  killCount: number
}

/**
 * Kills and restarts replicas under the steady load. Senders retry until every message is
 * acknowledged.
 */
export async function measureKills(world: BenchWorld, options: KillOptions): Promise<KillFigures> {
  const { database, replicas, pairs, seconds, log } = options
  const agent = new Agent({ connections: connectionsPerReplica, pipelining: 1 })
  world.onStop(() => agent.destroy())
  const currentReplicas: Replicas = { agent, urlOf: index => replicas[index % replicas.length]!.url }
  const senderPairs = pairs.map(
    (pair, index) =>
      [createSender(pair, 0, currentReplicas, index), createSender(pair, 1, currentReplicas, index + 1)] as const,
  )
  const startedAt = performance.now()
  const killing = killReplicas(world, options, startedAt)
  await queueMessages(senderPairs, options, startedAt)
  const kills = await killing
  const senders = senderPairs.flat()
  const retryTimeout = setTimeout(() => {
    for (const sender of senders) sender.abandon()
  }, retryLimitMs)
  await Promise.all(senders.map(sender => sender.done()))
  clearTimeout(retryTimeout)
  throwIfInterrupted(options)

  log('  checking every message of every room, in both sides’ view')
  return {
    seconds,
    kills,
    ...summarizeSenders(senders, startedAt),
    findings: await checkRooms(senderPairs, currentReplicas),
    stored: await countStoredMessages(database),
  }
}

/** Queues messages at random moments, at {@link ratePerS}, in rotation over all senders. */
async function queueMessages(
  senderPairs: readonly (readonly [Sender, Sender])[],
  { seconds, isInterrupted }: KillOptions,
  startedAt: number,
): Promise<void> {
  const endAt = startedAt + seconds * 1_000
  let count = 0
  for (let dueAt = startedAt; dueAt < endAt && !isInterrupted(); ) {
    for (; dueAt <= performance.now(); dueAt += randomIntervalMs(ratePerS)) {
      const side = (Math.floor(count / senderPairs.length) % 2) as Side
      const sender = senderPairs[count % senderPairs.length]![side]
      sender.queueMessage(dueAt)
      if (count % markReadEvery === 0) sender.markReadAfterNext()
      count += 1
    }
    await new Promise(resolve => setTimeout(resolve, Math.max(0, dueAt - performance.now())))
  }
}

/** Divides the time into equal parts and kills a random replica at a random moment of each. */
async function killReplicas(
  world: BenchWorld,
  { replicas, seconds, killCount, log, isInterrupted }: KillOptions,
  startedAt: number,
): Promise<KillFigures['kills']> {
  const kills: KillFigures['kills'] = []
  const partMs = (seconds * 1_000) / killCount
  for (let part = 0; part < killCount; part += 1) {
    const killAt = startedAt + partMs * part + randomInt(Math.ceil(partMs * 0.2), Math.ceil(partMs * 0.7))
    await new Promise(resolve => setTimeout(resolve, Math.max(0, killAt - performance.now())))
    if (isInterrupted()) break
    const victim = randomInt(replicas.length)
    const killedAt = performance.now()
    process.kill(replicas[victim]!.pid, 'SIGKILL')
    replicas[victim] = await world.startService('chat', {}, `chat-${victim + 1}-again-${part + 1}`)
    const kill = { atS: (killedAt - startedAt) / 1_000, awayS: (performance.now() - killedAt) / 1_000 }
    log(`  replica ${victim + 1} killed after ${kill.atS.toFixed(1)} s, away for ${kill.awayS.toFixed(1)} s`)
    kills.push(kill)
  }
  return kills
}

/** The latency of an unacknowledged message is infinite. */
const latenciesOf = (messages: readonly SentMessage[]) =>
  Float64Array.from(messages.map(({ ms }) => ms ?? Infinity)).sort()

function summarizeSenders(senders: readonly Sender[], startedAt: number) {
  const messages = senders.flatMap(sender => sender.sent)
  const latencies = latenciesOf(messages)
  const messagesBySecond = Map.groupBy(messages, ({ dueAt }) => Math.floor((dueAt - startedAt) / 1_000))
  const reasons: Record<string, number> = {}
  for (const { retryReasons } of senders)
    for (const [reason, times] of Object.entries(retryReasons)) reasons[reason] = (reasons[reason] ?? 0) + times
  return {
    sent: messages.length,
    acknowledged: messages.filter(message => message.acknowledged).length,
    resent: messages.filter(({ attempts }) => attempts > 1).length,
    resends: messages.reduce((sum, { attempts }) => sum + attempts - 1, 0),
    reasons,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1)!,
    slowSeconds: [...messagesBySecond.values()].filter(group => quantile(latenciesOf(group), 0.99) > slowMs).length,
  }
}

/** Markdown. */
export function killTables({ kills, findings, stored, reasons, ...figures }: KillFigures): string {
  const retries = Object.entries(reasons).map(([reason, times]) => `${reason} ${times}`)
  return [
    singleRowTable([
      ['seconds', figures.seconds],
      ['killed after s', kills.map(({ atS }) => atS.toFixed(1)).join(', ')],
      ['away s', kills.map(({ awayS }) => awayS.toFixed(1)).join(', ')],
      ['sent', figures.sent],
      ['acknowledged', figures.acknowledged],
      ['retried', `${figures.resent}, ${figures.resends} times`],
      ['p50 ms', figures.p50Ms.toFixed(1)],
      ['p99 ms', figures.p99Ms.toFixed(1)],
      ['longest ms', figures.maxMs.toFixed(0)],
      [`seconds with p99 over ${slowMs} ms`, figures.slowSeconds],
    ]),
    `Retries by reason: ${retries.join(', ') || 'none'}.`,
    singleRowTable([
      ['acknowledged and checked', findings.checked],
      ...faultTitles.map(([title, field]) => [title, findings[field]] as const),
      ['stored', stored.messages],
      ['stored twice', stored.repeated],
      ['gaps in MongoDB', stored.gaps],
    ]),
  ].join('\n\n')
}
