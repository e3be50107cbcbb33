import { createMeter, type Meter, usedBetween } from '../shared/meter.ts'
import type { BenchWorld, Running } from './bench-world.ts'
import { type KillFigures, killTable, measureKills } from './chat-kill.ts'
import { measureSustained, ratePerS, type Sustained, sustainedTable } from './chat-load.ts'
import { aPair, fillRoom, fillRooms } from './chat-rooms.ts'
import { few, manyRooms, measurePlans, measureSizes, million, type SizeFigures, sizeTable } from './chat-sizes.ts'
import { type Plan, planTable } from './dashboard.ts'
import { comparePolls, type PollFigures, pollTables } from './polls.ts'
import type { Asked } from './writes.ts'

const rooms = 500

export interface ChatFigures {
  sustained?: Sustained
  kills?: KillFigures
  /** Absent when only the load was asked for. */
  rest?: SizeFigures & { plans: Plan[]; polls: PollFigures }
}

interface Options extends Asked {
  rounds: number
  seconds: number
  only?: string | undefined
  /** Replicas are killed so often under the load, instead of all else. */
  kills: number
}

/** Chat on two replicas: a steady load, long rooms against short ones, the plan of every query, and what polls cost. */
export async function measureChat(
  world: BenchWorld,
  { rounds, seconds, only, kills, say, isInterrupted }: Options,
): Promise<ChatFigures> {
  const database = world.client.db(`${world.prefix}-chat`)
  const pairs = Array.from({ length: rooms }, () => aPair(world))
  const [short, long] = [aPair(world), aPair(world)]
  const admin = world.person('admin')
  const others = Array.from({ length: manyRooms }, () => world.person('user'))
  const replicas: [Running, Running] = [
    await world.startService('chat', {}, 'chat-1'),
    await world.startService('chat', {}, 'chat-2'),
  ]
  const asked = { say, isInterrupted }
  const what = `${rooms} rooms, ${ratePerS} messages a second over two replicas, ${seconds} s`

  if (kills > 0) {
    say(`— ${what}, ${kills} × kill -9`)
    return { kills: await measureKills(world, { ...asked, database, replicas, pairs, seconds, kills }) }
  }

  const meter = createMeter(world.client.db('admin').admin(), {
    'chat-1': replicas[0].pid,
    'chat-2': replicas[1].pid,
    ...world.serverPids,
  })
  say(`— ${what}`)
  const idle = await idleCommands(meter)
  const sustained = await measureSustained({ database, meter, replicas, pairs, seconds, idle })

  if (only === 'load') return { sustained }

  say(`— rooms of ${few} and of ${million} messages`)
  await fillRoom(database, short, few, false)
  await fillRoom(database, long, million, true)
  await fillRooms(database, admin, others)
  await world.client.db('admin').command({ fsync: 1 })
  const sizes = await measureSizes(world, { ...asked, meter, replicas, short, long, rounds, idle })

  say('— plans')
  const plans = await measurePlans(database, replicas[0].url, { long, admin: world.token(admin) })

  say('— polls')
  const service = { ...replicas[0], name: 'chat' }
  const tokens = [long.tokens[0]]
  const polls = await comparePolls(
    world,
    [
      { name: '/chat/rooms, 100 of 10,000', service, path: '/api/chat/rooms', tokens: [world.token(admin)] },
      { name: '/chat/messages, 50 of a million', service, path: `/api/chat/messages/${long.roomId}`, tokens },
      { name: '/chat/unread-count', service, path: '/api/chat/unread-count', tokens },
    ],
    { ...asked, rounds },
  )
  return { sustained, rest: { ...sizes, plans, polls } }
}

async function idleCommands(meter: Meter): Promise<number> {
  await new Promise(resolve => setTimeout(resolve, 1_000))
  const before = await meter.read()
  await new Promise(resolve => setTimeout(resolve, 3_000))
  const { commands, seconds } = usedBetween(before, await meter.read())
  return commands / seconds
}

/** Markdown. */
export function chatTables({ sustained, kills, rest }: ChatFigures): string {
  return [
    ...(sustained ? [sustainedTable(sustained)] : []),
    ...(kills ? [killTable(kills)] : []),
    ...(rest ? [sizeTable(rest), planTable(rest.plans), pollTables(rest.polls)] : []),
  ].join('\n\n')
}
