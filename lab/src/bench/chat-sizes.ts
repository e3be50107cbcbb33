import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import type mongoose from 'mongoose'
import { closedLoop, type Outcome } from '../shared/load-generator.ts'
import { type Meter, quantile, type Spread, spreadOf, type Used, usedBetween } from '../shared/meter.ts'
import { type BenchWorld, call, type Running } from './bench-world.ts'
import { inTurn, type Pair, sendIn } from './chat-rooms.ts'
import { type Plan, plansOf } from './dashboard.ts'
import { type Asked, shown } from './writes.ts'

export const million = 1_000_000
export const few = 10
export const manyRooms = 10_000
const connections = 8
const compareS = 3
/** Far more often than a window of the flood's bound fills. */
const clearFloodMs = 20

type Row = Record<'callsPerS' | 'p50Ms' | 'p99Ms' | 'chatUs' | 'mongodUs' | 'commandsPerCall', number>

export interface SizeFigures {
  sizes: { name: string; spread: Record<keyof Row, Spread>; errors: number }[]
  /** CPU of service and MongoDB in the long room ÷ in the short one, round by round. */
  sizeRatio: Spread
}

/** What a message costs in a short room and in a long one. */
export async function measureSizes(
  world: BenchWorld,
  {
    meter,
    replicas,
    short,
    long,
    rounds,
    idle,
    say,
    isInterrupted,
  }: Asked & {
    meter: Meter
    replicas: readonly [Running, Running]
    short: Pair
    long: Pair
    rounds: number
    idle: number
  },
): Promise<SizeFigures> {
  const live = createRedisLiveStore({ url: world.redisUrl, prefix: `${world.prefix}:` })
  const everybody = [...short.people, ...long.people]
  // Nobody may send as much as this; here the bound is in the way.
  const clearing = setInterval(() => {
    for (const { id } of everybody) live.counters.clear(`chat-messages:${id}`).catch(() => {})
  }, clearFloodMs)
  const measured: { name: string; pair: Pair; rows: Row[]; errors: number }[] = [
    { name: `a room of ${few}`, pair: short, rows: [], errors: 0 },
    { name: `a room of ${million.toLocaleString('en')}`, pair: long, rows: [], errors: 0 },
  ]
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const own of round % 2 ? measured : [...measured].reverse()) {
        if (isInterrupted()) throw new Error('interrupted')
        const { url } = replicas[0]
        const next = inTurn([own.pair])
        const before = await meter.read()
        const outcome = await closedLoop(url, next, { connections, seconds: compareS })
        const row = rowOf(outcome, usedBetween(before, await meter.read()), idle)
        // The first round is for warming up.
        if (round > 0) own.rows.push(row)
        own.errors += outcome.errors
        say(`  ${round || 'warming up'}: ${own.name}: ${row.chatUs.toFixed(0)} + ${row.mongodUs.toFixed(0)} µs`)
      }
    }
  } finally {
    clearInterval(clearing)
    await live.close()
  }
  const fields = Object.keys(measured[0]!.rows[0]!) as (keyof Row)[]
  const sizes = measured.map(({ name, rows, errors }) => ({
    name,
    errors,
    spread: Object.fromEntries(fields.map(field => [field, spreadOf(rows.map(row => row[field]))])) as Record<
      keyof Row,
      Spread
    >,
  }))
  const cost = ({ chatUs, mongodUs }: Row) => chatUs + mongodUs
  const sizeRatio = spreadOf(measured[1]!.rows.map((row, round) => cost(row) / cost(measured[0]!.rows[round]!)))
  return { sizes, sizeRatio }
}

function rowOf(outcome: Outcome, used: Used, idle: number): Row {
  const us = (name: string) => (used.cpu[name]! / outcome.calls) * 1e6
  return {
    callsPerS: outcome.calls / outcome.seconds,
    p50Ms: quantile(outcome.latenciesMs, 0.5),
    p99Ms: quantile(outcome.latenciesMs, 0.99),
    chatUs: us('chat-1'),
    mongodUs: us('mongod'),
    commandsPerCall: Math.max(0, used.commands - idle * used.seconds) / outcome.calls,
  }
}

/** How MongoDB finds what each operation asks it for. */
export async function measurePlans(
  database: mongoose.mongo.Db,
  url: string,
  { long, admin }: { long: Pair; admin: string },
): Promise<Plan[]> {
  const get = (path: string, token: string) => () => call(url, { method: 'GET', path: `/api/chat${path}`, token })
  const post = (path: string, token: string) => () =>
    call(url, { method: 'POST', path: `/api/chat${path}`, token, body: '{}' })
  const cursor = (place: unknown) => Buffer.from(JSON.stringify(place)).toString('base64url')
  const messages = `/messages/${long.roomId}`
  const middle = `${messages}?cursor=${cursor({ before: million / 2 })}`
  const laterRooms = `/rooms?cursor=${cursor({ at: Date.now() - (manyRooms / 2) * 1_000, id: 'x' })}`
  const calls: [string, () => Promise<unknown>][] = [
    ['send, a room of a million', () => call(url, sendIn(long, 0))],
    ['messages, the newest of a million', get(messages, long.tokens[0])],
    ['messages, from the middle', get(middle, long.tokens[0])],
    ['mark-read, up to the middle', post(`/mark-read?room_id=${long.roomId}&up_to=${million / 2}`, long.tokens[1])],
    ['unread count, 10,000 rooms', get('/unread-count', admin)],
    ['rooms, the first of 10,000', get('/rooms', admin)],
    ['rooms, from the middle', get(laterRooms, admin)],
  ]
  const plans: Plan[] = []
  for (const [name, make] of calls) plans.push(...(await plansOf(database, name, make, ['query', 'command', 'update'])))
  return plans
}

const columns: [string, keyof Row, number][] = [
  ['messages/s', 'callsPerS', 0],
  ['p50 ms', 'p50Ms', 1],
  ['p99 ms', 'p99Ms', 1],
  ['chat µs', 'chatUs', 0],
  ['mongod µs', 'mongodUs', 0],
  ['commands', 'commandsPerCall', 3],
]

/** Markdown. */
export function sizeTable({ sizes, sizeRatio }: SizeFigures): string {
  return [
    `| sending in | ${columns.map(([title]) => title).join(' | ')} | errors |`,
    `| --- |${' ---: |'.repeat(columns.length + 1)}`,
    ...sizes.map(
      ({ name, spread, errors }) =>
        `| ${name} | ${columns.map(([, field, digits]) => shown(spread[field], digits)).join(' | ')} | ${errors} |`,
    ),
    `| CPU of chat and MongoDB, long ÷ short | | | | ${shown(sizeRatio, 2)} | | | |`,
  ].join('\n')
}
