import { flushToDisk } from '../../shared/documents.ts'
import { createMeter } from '../../shared/meter.ts'
import type { BenchOptions } from '../bench-options.ts'
import type { BenchProcess, BenchWorld } from '../bench-world.ts'
import { measureIdleUsage } from '../call-cost.ts'
import { comparePolls, type PollFigures, pollTables } from '../polls/compare-polls.ts'
import { type QueryPlan, queryPlanTable } from '../query-plans.ts'
import { type KillFigures, killTables, measureKills } from './replica-kills.ts'
import {
  adminRoomCount,
  longRoomSize,
  measureRoomSizes,
  type RoomSizeFigures,
  readQueryPlans,
  roomSizeTable,
  shortRoomSize,
} from './room-sizes.ts'
import { addPair, insertAdminRooms, insertRoom } from './rooms.ts'
import { measureSustainedLoad, ratePerS, type SustainedFigures, sustainedTable } from './sustained-load.ts'

const roomCount = 500

export interface ChatFigures {
  /** Undefined if replicas were killed. */
  sustained?: SustainedFigures
  kills?: KillFigures
  /** Undefined after `only: 'load'`, and if replicas were killed. */
  operations?: RoomSizeFigures & { plans: QueryPlan[]; polls: PollFigures }
}

interface ChatOptions extends BenchOptions {
  rounds: number
  seconds: number
  /** `load` measures the steady load alone. */
  only?: string | undefined
  /** If positive, only the steady load runs, and this number of replicas is killed during it. */
  killCount: number
}

/**
 * Measures chat on two replicas: a steady load, long rooms against short ones, query plans, polls.
 */
export async function measureChat(world: BenchWorld, options: ChatOptions): Promise<ChatFigures> {
  const { rounds, seconds, only, killCount, log } = options
  const database = world.client.db(`${world.prefix}-chat`)
  const pairs = Array.from({ length: roomCount }, () => addPair(world))
  const [short, long] = [addPair(world), addPair(world)]
  const admin = world.addPerson('admin')
  const adminRecipients = Array.from({ length: adminRoomCount }, () => world.addPerson('user'))
  const replicas: [BenchProcess, BenchProcess] = [
    await world.startService('chat', {}, 'chat-1'),
    await world.startService('chat', {}, 'chat-2'),
  ]
  const loadText = `${roomCount} rooms, ${ratePerS} messages a second over two replicas, ${seconds} s`

  if (killCount > 0) {
    log(`— ${loadText}, ${killCount} × kill -9`)
    return { kills: await measureKills(world, { ...options, database, replicas, pairs }) }
  }

  const meter = createMeter(world.client.db('admin').admin(), {
    'chat-1': replicas[0].pid,
    'chat-2': replicas[1].pid,
    ...world.serverPids,
  })
  log(`— ${loadText}`)
  const { commandsPerS: idleCommandsPerS } = await measureIdleUsage(meter)
  const sustained = await measureSustainedLoad({ database, meter, replicas, pairs, seconds, idleCommandsPerS })

  if (only === 'load') return { sustained }

  log(`— rooms of ${shortRoomSize} and of ${longRoomSize} messages`)
  await insertRoom(database, short, { messageCount: shortRoomSize, archived: false })
  await insertRoom(database, long, { messageCount: longRoomSize, archived: true })
  await insertAdminRooms(database, admin, adminRecipients)
  await flushToDisk(world.client)
  const [replica] = replicas
  const sizes = await measureRoomSizes(world, { ...options, meter, replica, short, long, idleCommandsPerS })

  log('— query plans')
  const adminToken = world.signToken(admin)
  const plans = await readQueryPlans(database, replica.url, { long, adminToken })

  log('— polls')
  const service = { ...replica, name: 'chat' }
  const tokens = [long.tokens[0]]
  const polls = await comparePolls(
    world,
    [
      { name: '/chat/rooms, 100 of 10,000', service, path: '/api/chat/rooms', tokens: [adminToken] },
      { name: '/chat/messages, 50 of a million', service, path: `/api/chat/messages/${long.roomId}`, tokens },
      { name: '/chat/unread-count', service, path: '/api/chat/unread-count', tokens },
    ],
    { ...options, rounds },
  )
  return { sustained, operations: { ...sizes, plans, polls } }
}

/** Markdown. */
export function chatTables({ sustained, kills, operations }: ChatFigures): string {
  return [
    ...(sustained ? [sustainedTable(sustained)] : []),
    ...(kills ? [killTables(kills)] : []),
    ...(operations ? [roomSizeTable(operations), queryPlanTable(operations.plans), pollTables(operations.polls)] : []),
  ].join('\n\n')
}
