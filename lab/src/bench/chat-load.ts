import type mongoose from 'mongoose'
import { type Outcome, openLoop } from '../shared/load-generator.ts'
import { type Meter, quantile, usedBetween } from '../shared/meter.ts'
import type { Running } from './bench-world.ts'
import { inTurn, type Pair } from './chat-rooms.ts'

export const ratePerS = 2_000
/** A replica that has just started has one slow second about ten after its first message, when V8 first collects its whole heap. */
const warmUpS = 15
/** A second in which the slowest hundredth waited longer is told by itself. */
export const slowMs = 100

export interface Sustained {
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
  stored: Stored
}

/** What lies in the rooms. */
export interface Stored {
  messages: number
  gaps: number
  repeated: number
  inTails: number
}

/** Messages at random moments, over both replicas. */
export async function measureSustained({
  database,
  meter,
  replicas,
  pairs,
  seconds,
  idle,
}: {
  database: mongoose.mongo.Db
  meter: Meter
  replicas: readonly Running[]
  pairs: readonly Pair[]
  seconds: number
  idle: number
}): Promise<Sustained> {
  // Each replica is given every message of one sender of a room and then of the other: nobody has a replica of their own.
  const nexts = replicas.map((_, index) => inTurn(index === 0 ? pairs : [...pairs].reverse()))
  const load = (lasting: number) =>
    Promise.all(
      replicas.map(({ url }, index) =>
        openLoop(url, nexts[index]!, { ratePerS: ratePerS / replicas.length, seconds: lasting, connections: 128 }),
      ),
    )
  const warm = await load(warmUpS)
  const before = await meter.read()
  const outcomes = await load(seconds)
  const used = usedBetween(before, await meter.read())
  const sent = total(outcomes, each => each.calls)
  const latencies = Float64Array.from(outcomes.flatMap(each => [...each.latenciesMs])).sort()
  const answers: Record<string, number> = {}
  for (const each of outcomes)
    for (const [answer, times] of Object.entries(each.answers)) answers[answer] = (answers[answer] ?? 0) + times
  const us = (name: string) => (used.cpu[name]! / sent) * 1e6
  const stored = await storedIn(database)
  const acknowledged = sent + total(warm, each => each.calls)
  if (stored.messages < acknowledged)
    throw new Error(`${acknowledged} were acknowledged, ${stored.messages} are stored`)
  return {
    seconds,
    sent,
    errors: total(outcomes, each => each.errors),
    answers,
    callsPerS: sent / used.seconds,
    p50Ms: quantile(latencies, 0.5),
    p99Ms: quantile(latencies, 0.99),
    maxMs: latencies.at(-1)!,
    p99BySecond: p99BySecond(outcomes),
    cpu: { chat: us('chat-1') + us('chat-2'), mongod: us('mongod'), redis: us('redis'), load: us('load') },
    commandsPerCall: Math.max(0, used.commands - idle * used.seconds) / sent,
    stored,
  }
}

/**
 * Every room's places are 1, 2, 3, … and every message is there once. The rooms are read first: what is moved out of them meanwhile
 * is then found in both, and never in neither.
 */
export async function storedIn(database: mongoose.mongo.Db): Promise<Stored> {
  const stored = { messages: 0, gaps: 0, repeated: 0, inTails: 0 }
  const keys = new Set<string>()
  const movedSeqs = new Map<string, number>()
  for await (const room of database.collection('rooms').find({})) {
    const id = String(room._id)
    const tail: { seq: number; key: string }[] = room.tail
    movedSeqs.set(id, room.moved_seq)
    stored.messages += room.last_seq
    stored.inTails += tail.length
    for (const each of tail) keys.add(`${id}:${each.key}`)
    const inOrder = tail.every((each, index) => each.seq === room.moved_seq + 1 + index)
    if (!inOrder || room.moved_seq + tail.length !== room.last_seq) stored.gaps += 1
  }
  const olderOf = new Map<string, number>()
  const older = database.collection<{ _id: string; seq: number; key: string }>('messages')
  for await (const { _id, seq, key } of older.find({}, { projection: { seq: 1, key: 1 } })) {
    const roomId = _id.slice(0, _id.indexOf(':'))
    if (seq > (movedSeqs.get(roomId) ?? 0)) continue
    olderOf.set(roomId, (olderOf.get(roomId) ?? 0) + 1)
    keys.add(key)
  }
  for (const [id, moved] of movedSeqs) if ((olderOf.get(id) ?? 0) !== moved) stored.gaps += 1
  stored.repeated = stored.messages - keys.size
  return stored
}

function p99BySecond(outcomes: readonly Outcome[]): number[] {
  const seconds = Math.max(...outcomes.map(each => each.bySecond.length))
  return Array.from({ length: seconds }, (_, second) =>
    quantile(Float64Array.from(outcomes.flatMap(each => each.bySecond[second] ?? [])).sort(), 0.99),
  )
}

function total(outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number {
  return outcomes.reduce((sum, each) => sum + of(each), 0)
}

/** Markdown. */
export function sustainedTable(sustained: Sustained): string {
  const { cpu, stored } = sustained
  return [
    '| seconds | messages/s | p50 ms | p99 ms | longest ms | seconds with p99 over 100 ms | chat µs | mongod µs | redis µs | commands | errors | stored | gaps | twice |',
    `|${' ---: |'.repeat(14)}`,
    `| ${[
      sustained.seconds,
      sustained.callsPerS.toFixed(0),
      sustained.p50Ms.toFixed(1),
      sustained.p99Ms.toFixed(1),
      sustained.maxMs.toFixed(0),
      sustained.p99BySecond.filter(ms => ms > slowMs).length,
      cpu.chat.toFixed(0),
      cpu.mongod.toFixed(0),
      cpu.redis.toFixed(0),
      sustained.commandsPerCall.toFixed(3),
      sustained.errors,
      stored.messages,
      stored.gaps,
      stored.repeated,
    ].join(' | ')} |`,
  ].join('\n')
}
