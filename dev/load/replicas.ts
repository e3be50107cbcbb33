import { randomUUID } from 'node:crypto'
import { openLoop } from '../bench/load.ts'
import { type Spread, spreadOf } from '../bench/meter.ts'
import { ms, type Summary, shownFailures, summaryOf, table } from './calls.ts'
import type { Told } from './clients/conversation.ts'
import type { Credit, WarmUpCall } from './clients/crew.ts'
import type { Rates } from './clients/operations.ts'
import type { Used } from './readings.ts'
import { type World, wait } from './world.ts'

const usualCounts = [1, 2, 4] as const
const idleS = 3
const settleS = 2

interface Subject {
  name: 'track' | 'chat'
  service: 'engagement' | 'chat'
  rates: Rates
}

const subjects = (scale: number): Subject[] => [
  { name: 'track', service: 'engagement', rates: { track: 800 * scale } },
  // A quarter of it by the supervisors: nobody may send more than six a second.
  { name: 'chat', service: 'chat', rates: { 'chat send': 300 * scale, 'chat answer': 40 * scale } },
]

/** µs a request. */
export type Cost = Record<'service' | 'gateway' | 'mongod', number>

interface Round {
  cost: Cost
  calls: Summary
  /** Seconds played and credited in this round. */
  credit?: Pick<Credit, 'watched' | 'credited' | 'largestDifference'>
}

export interface SubjectFigures {
  name: Subject['name']
  perS: number
  byCount: {
    replicas: number
    cost: Record<keyof Cost, Spread>
    /** Against one replica, round by round. */
    serviceRatio: Spread
    totalRatio: Spread
    rounds: Round[]
    told?: Told | undefined
  }[]
}

export interface ReplicasFigures {
  seconds: number
  rounds: number
  subjects: SubjectFigures[]
}

/** The same load on one, two and four replicas of the services that are scaled by themselves. */
export async function measureReplicas(
  world: World,
  {
    seconds,
    rounds,
    scale = 1,
    warmUpS = 4,
    counts = usualCounts,
  }: { seconds: number; rounds: number; scale?: number; warmUpS?: number; counts?: readonly number[] },
): Promise<ReplicasFigures> {
  const { system, crew, log } = world
  const all = subjects(scale)
  const measured = new Map<string, Round[]>()
  const warm = new Set<number>()
  for (let round = 1; round <= rounds; round += 1) {
    for (const count of round % 2 ? counts : [...counts].reverse()) {
      for (const { service } of all) await system.groups[service].scale(count)
      await crew.its.refresh()
      await warmUp(world, all, warm, warmUpS, scale)
      for (const subject of all) {
        const key = `${subject.name} ${count}`
        const done = await measureOne(world, subject, `${subject.name} on ${count}`, seconds)
        measured.set(key, [...(measured.get(key) ?? []), done])
        const { service, gateway, mongod } = done.cost
        log(`  round ${round}: ${key}: ${[service, gateway, mongod].map(us => us.toFixed(0)).join(' + ')} µs`)
      }
    }
  }
  const told = await crew.its.messages()
  return {
    seconds,
    rounds,
    subjects: all.map(({ name, rates }) => {
      const roundsOf = (count: number) => measured.get(`${name} ${count}`)!
      return {
        name,
        perS: Object.values(rates).reduce((sum, perS) => sum + perS, 0),
        byCount: counts.map(count => byCount(count, roundsOf(count), roundsOf(1), told[`${name} on ${count}`])),
      }
    }),
  }
}

function byCount(replicas: number, rounds: Round[], one: Round[], told: Told | undefined) {
  const spread = (of: (round: Round, index: number) => number) => spreadOf(rounds.map(of))
  const total = ({ cost }: Round) => cost.service + cost.gateway + cost.mongod
  return {
    replicas,
    cost: {
      service: spread(each => each.cost.service),
      gateway: spread(each => each.cost.gateway),
      mongod: spread(each => each.cost.mongod),
    },
    serviceRatio: spread((each, index) => each.cost.service / one[index]!.cost.service),
    totalRatio: spread((each, index) => total(each) / total(one[index]!)),
    rounds,
    told,
  }
}

/** A process that has just started runs code that nobody has compiled yet: straight to each, so that all have run as much. */
async function warmUp({ system, crew, log }: World, all: Subject[], warm: Set<number>, seconds: number, scale: number) {
  const calls = await crew.its.warmUp()
  for (const { name, service } of all) {
    const fresh = system.groups[service].replicas.filter(each => !warm.has(each.pid))
    if (fresh.length === 0) continue
    log(`— ${fresh.length} of ${service} run themselves warm`)
    await Promise.all(
      fresh.map(async ({ url, pid }) => {
        const next = inTurn(calls[name])
        await openLoop(url, next, { ratePerS: (500 * scale) / fresh.length, seconds, connections: 32 })
        warm.add(pid)
      }),
    )
  }
}

function inTurn(calls: readonly WarmUpCall[]) {
  let turn = Math.floor(Math.random() * calls.length)
  return () => {
    const { path, token, body } = calls[turn++ % calls.length]!
    const unique = 'event_type' in body ? { event_id: randomUUID() } : { client_id: randomUUID() }
    return { method: 'POST' as const, path, token, body: JSON.stringify({ ...body, ...unique }) }
  }
}

async function measureOne(world: World, subject: Subject, phase: string, seconds: number): Promise<Round> {
  const { system, crew, readings } = world
  const { name, service, rates } = subject
  // Connections that the gateways have kept lead to the replicas of before.
  system.groups[service].balancer.fault('reset')
  const creditBefore = name === 'track' ? await crew.its.credit() : undefined
  await wait(Math.min(1, seconds))
  const quiet = readings.read()
  await wait(Math.min(idleS, seconds))
  const idle = readings.since(quiet)

  await crew.its.begin({ rates })
  await crew.its.enter('settling')
  await wait(Math.min(settleS, seconds))
  await crew.its.enter(phase)
  const before = readings.read()
  await wait(seconds)
  const spent = readings.since(before)
  await crew.its.enter('settling')
  const outcome = await crew.its.end()
  const calls = summaryOf(Object.values(outcome[phase] ?? {}))
  const us = (used: Used) => ((spent.cpu[used] - (idle.cpu[used] / idle.seconds) * spent.seconds) / calls.calls) * 1e6
  const round: Round = { cost: { service: us(service), gateway: us('gateway'), mongod: us('mongod') }, calls }
  if (!creditBefore) return round
  const after = await crew.its.credit()
  return {
    ...round,
    credit: {
      watched: after.watched - creditBefore.watched,
      credited: after.credited - creditBefore.credited,
      largestDifference: after.largestDifference,
    },
  }
}

export function replicasTables({ subjects: all, seconds, rounds }: ReplicasFigures): string {
  const shown = ({ median, min, max }: Spread, digits = 0) =>
    `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`
  return all
    .flatMap(({ name, perS, byCount }) => [
      `${name}, ${perS} requests a second, ${rounds} rounds of ${seconds} s:`,
      table(
        [
          'replicas',
          'requests',
          'failed',
          'p50 ms',
          'p99 ms',
          'service µs',
          'gateway µs',
          'mongod µs',
          'service ÷ one replica',
          'all three ÷ one replica',
        ],
        byCount.map(({ replicas, cost, serviceRatio, totalRatio, rounds: each }) => {
          const failures = each.map(({ calls }) => shownFailures(calls)).filter(text => text !== 'none')
          return [
            String(replicas),
            String(each.reduce((sum, { calls }) => sum + calls.calls, 0)),
            failures.join('; ') || 'none',
            ms(spreadOf(each.map(({ calls }) => calls.p50Ms)).median),
            ms(spreadOf(each.map(({ calls }) => calls.p99Ms)).median),
            shown(cost.service),
            shown(cost.gateway),
            shown(cost.mongod),
            shown(serviceRatio, 2),
            shown(totalRatio, 2),
          ]
        }),
      ),
      name === 'track'
        ? table(
            ['replicas', 'seconds played', 'seconds credited', 'largest difference of one person, s'],
            byCount.map(({ replicas, rounds: each }) => [
              String(replicas),
              each.reduce((sum, { credit }) => sum + credit!.watched, 0).toFixed(1),
              each.reduce((sum, { credit }) => sum + credit!.credited, 0).toFixed(1),
              Math.max(...each.map(({ credit }) => credit!.largestDifference)).toFixed(2),
            ]),
          )
        : table(
            ['replicas', 'acknowledged', 'lost', 'twice', 'out of order', 'rooms not the same for both'],
            byCount.map(({ replicas, told }) => [
              String(replicas),
              ...[told?.acknowledged, told?.lost, told?.doubled, told?.outOfOrder, told?.broken].map(count =>
                String(count ?? 0),
              ),
            ]),
          ),
    ])
    .join('\n\n')
}
