import { createRedisLiveStore } from '@watchline/kit/live/redis-live-store'
import type mongoose from 'mongoose'
import { runClosedLoop } from '../../shared/load-generator.ts'
import { type Meter, type Spread, spreadOf, spreadsOf, usageBetween } from '../../shared/meter.ts'
import { formatSpread, markdownTable } from '../../shared/tables.ts'
import { type BenchOptions, throwIfInterrupted } from '../bench-options.ts'
import { type BenchProcess, type BenchWorld, callService } from '../bench-world.ts'
import { type CallCost, computeCallCost, costFields } from '../call-cost.ts'
import { profileCall, type QueryPlan } from '../query-plans.ts'
import { makeSendCall, type Pair, rotateSendCalls } from './rooms.ts'

export const longRoomSize = 1_000_000
export const shortRoomSize = 10
export const adminRoomCount = 10_000
const connections = 8
const seconds = 3
/** Far more often than the window of the message rate limit fills. */
const clearRateLimitMs = 20

export interface RoomSizeFigures {
  sizes: { name: string; spread: Record<keyof CallCost, Spread>; errors: number }[]
  /**
   * CPU of service and MongoDB in the long room divided by that in the short one, round by round.
   */
  sizeRatio: Spread
}

interface RoomSizeOptions extends BenchOptions {
  meter: Meter
  replica: BenchProcess
  short: Pair
  long: Pair
  rounds: number
  idleCommandsPerS: number
}

/** Measures messages in a short room and in a long one. */
export async function measureRoomSizes(world: BenchWorld, options: RoomSizeOptions): Promise<RoomSizeFigures> {
  const { meter, replica, short, long, rounds, idleCommandsPerS, log } = options
  const stopClearing = clearMessageRateLimit(world, [...short.people, ...long.people])
  const results = [
    { name: `a room of ${shortRoomSize}`, pair: short, costs: [] as CallCost[], errors: 0 },
    { name: `a room of ${longRoomSize.toLocaleString('en')}`, pair: long, costs: [] as CallCost[], errors: 0 },
  ]
  try {
    // Round 0 is the warm-up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const result of round % 2 ? results : results.toReversed()) {
        throwIfInterrupted(options)
        const nextCall = rotateSendCalls([result.pair])
        const before = await meter.read()
        const outcome = await runClosedLoop(replica.url, nextCall, { connections, seconds })
        const usage = usageBetween(before, await meter.read())
        const cost = computeCallCost(outcome, usage, 'chat-1', idleCommandsPerS)
        if (round > 0) result.costs.push(cost)
        result.errors += outcome.errors
        log(`  ${round || 'warming up'}: ${result.name}: ${cost.serverUs.toFixed(0)} + ${cost.mongodUs.toFixed(0)} µs`)
      }
    }
  } finally {
    await stopClearing()
  }
  const cpuUs = ({ serverUs, mongodUs }: CallCost) => serverUs + mongodUs
  const [shortResult, longResult] = results
  return {
    sizes: results.map(({ name, costs, errors }) => ({ name, errors, spread: spreadsOf(costs, costFields) })),
    sizeRatio: spreadOf(longResult!.costs.map((cost, round) => cpuUs(cost) / cpuUs(shortResult!.costs[round]!))),
  }
}

/**
 * Lets these people send more than the message rate limit allows, until the returned function is
 * called.
 */
function clearMessageRateLimit(world: BenchWorld, people: readonly { id: string }[]): () => Promise<void> {
  const live = createRedisLiveStore({ url: world.redisUrl, prefix: `${world.prefix}:`, owner: 'chat' })
  const clearing = setInterval(() => {
    for (const { id } of people) live.counters.clear(`chat-messages:${id}`).catch(() => {})
  }, clearRateLimitMs)
  return async () => {
    clearInterval(clearing)
    await live.close()
  }
}

/** The query plans of each operation, with a long room and many rooms. */
export async function readQueryPlans(
  database: mongoose.mongo.Db,
  url: string,
  { long, adminToken }: { long: Pair; adminToken: string },
): Promise<QueryPlan[]> {
  const get = (path: string, token: string) => () =>
    callService(url, { method: 'GET', path: `/api/chat${path}`, token })
  const post = (path: string, token: string) => () =>
    callService(url, { method: 'POST', path: `/api/chat${path}`, token, body: '{}' })
  const encodeCursor = (position: object) => Buffer.from(JSON.stringify(position)).toString('base64url')
  const newest = `/messages/${long.roomId}`
  const middle = longRoomSize / 2
  const fromMiddle = `${newest}?cursor=${encodeCursor({ before: middle })}`
  const laterRooms = `/rooms?cursor=${encodeCursor({ at: Date.now() - (adminRoomCount / 2) * 1_000, id: 'x' })}`
  const calls: [string, () => Promise<unknown>][] = [
    ['send, a room of a million', () => callService(url, makeSendCall(long, 0))],
    ['messages, the newest of a million', get(newest, long.tokens[0])],
    ['messages, from the middle', get(fromMiddle, long.tokens[0])],
    ['mark-read, up to the middle', post(`/mark-read?room_id=${long.roomId}&up_to=${middle}`, long.tokens[1])],
    ['unread count, 10,000 rooms', get('/unread-count', adminToken)],
    ['rooms, the first of 10,000', get('/rooms', adminToken)],
    ['rooms, from the middle', get(laterRooms, adminToken)],
  ]
  const plans: QueryPlan[] = []
  for (const [name, makeCall] of calls)
    plans.push(...(await profileCall(database, name, makeCall, ['query', 'command', 'update'])))
  return plans
}

const columns: [string, keyof CallCost, number][] = [
  ['messages/s', 'callsPerS', 0],
  ['p50 ms', 'p50Ms', 1],
  ['p99 ms', 'p99Ms', 1],
  ['chat µs', 'serverUs', 0],
  ['mongod µs', 'mongodUs', 0],
  ['commands', 'commandsPerCall', 3],
]

/** Markdown. */
export function roomSizeTable({ sizes, sizeRatio }: RoomSizeFigures): string {
  return markdownTable(
    ['sending in', ...columns.map(([title]) => title), 'errors'],
    [
      ...sizes.map(({ name, spread, errors }) => [
        name,
        ...columns.map(([, field, digits]) => formatSpread(spread[field], digits)),
        errors,
      ]),
      ['CPU of chat and MongoDB, long ÷ short', '', '', '', formatSpread(sizeRatio, 2), '', '', ''],
    ],
  )
}
