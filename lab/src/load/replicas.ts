import { randomUUID } from 'node:crypto'
import { openLoop } from '../shared/load-generator.ts'
import { type Spread, spreadOf } from '../shared/meter.ts'
import { ms, type Summary, shownFailures, summaryOf, table } from './call-summary.ts'
import type { Told } from './clients/conversation.ts'
import type { Rates } from './clients/operations.ts'
import type { Credit, WarmUpCall } from './clients/people.ts'
import { type LoadWorld, wait } from './load-world.ts'
import type { Used, UsedBetween } from './readings.ts'

const usualCounts = [1, 2, 4] as const
const idleS = 2
const settleS = 1.5

interface Subject {
  name: 'track' | 'chat'
  service: 'engagement' | 'chat'
  rates: Rates
}

const subjects = (scale: number): Subject[] => [
  { name: 'track', service: 'engagement', rates: { track: 800 * scale } },
  // Some of it by the supervisors: nobody may send more than six a second.
  { name: 'chat', service: 'chat', rates: { 'chat send': 300 * scale, 'chat answer': 40 * scale } },
]

/** µs a request. */
export type Cost = Record<'service' | 'gateway' | 'mongod', number>

interface Round {
  cost: Cost
  /** Of MongoDB, a request. */
  commands: number
  calls: Summary
  /** Seconds played and credited in this round. */
  credit?: Pick<Credit, 'watched' | 'credited' | 'largestDifference'>
}

/** All the replicas together are given the same, or each of them is. */
type Basis = 'together' | 'each'

interface Case {
  replicas: number
  basis: Basis
  perS: number
  cost: Record<keyof Cost, Spread>
  commands: Spread
  /** Against one replica, round by round. */
  serviceRatio: Spread
  totalRatio: Spread
  rounds: Round[]
  told?: Told | undefined
}

export interface ReplicasFigures {
  seconds: number
  rounds: number
  subjects: { name: Subject['name']; cases: Case[] }[]
}

interface ReplicasOptions {
  seconds: number
  rounds: number
  scale?: number
  warmUpS?: number
  counts?: readonly number[]
}

/**
 * The services that are scaled by themselves on one, two and four replicas: under the same load, whatever their number, and under one
 * that grows with it. The two meet where there are most replicas.
 */
export async function measureReplicas(
  world: LoadWorld,
  { seconds, rounds, scale = 1, warmUpS = 4, counts = usualCounts }: ReplicasOptions,
): Promise<ReplicasFigures> {
  const { system, crew, readings, log } = world
  const all = subjects(scale)
  const most = Math.max(...counts)
  const measured = new Map<string, Round[]>()
  const warm = new Set<number>()
  for (let round = 1; round <= rounds; round += 1) {
    for (const count of round % 2 ? counts : [...counts].reverse()) {
      for (const { service } of all) await system.groups[service].scale(count)
      await crew.its.refresh()
      await warmUp(world, all, warm, warmUpS, scale)
      // Connections that the gateways have kept lead to the replicas of before.
      for (const { service } of all) system.groups[service].balancer.fault('reset')
      await wait(Math.min(1, seconds))
      const quiet = await readings.read()
      await wait(Math.min(idleS, seconds))
      const idle = await readings.since(quiet)
      for (const subject of all)
        for (const basis of basesOf(count, most)) {
          const name = nameOf(subject, basis, count)
          const share = basis === 'each' ? count / most : 1
          const done = await measureOne(world, { subject, share, name, seconds, idle })
          measured.set(name, [...(measured.get(name) ?? []), done])
          const { service, gateway, mongod } = done.cost
          log(`  round ${round}: ${name}: ${[service, gateway, mongod].map(us => us.toFixed(0)).join(' + ')} µs`)
        }
    }
  }
  const told = await crew.its.messages()
  const casesOf = (subject: Subject) => (basis: Basis) =>
    counts.map((count): Case => {
      const named = (replicas: number) =>
        nameOf(subject, basesOf(replicas, most).includes(basis) ? basis : 'each', replicas)
      const perS = Object.values(subject.rates).reduce((sum, rate) => sum + rate, 0)
      return {
        replicas: count,
        basis,
        perS: basis === 'each' ? (perS * count) / most : perS,
        told: told[named(count)],
        ...compared(measured.get(named(count))!, measured.get(named(1))!),
      }
    })
  return {
    seconds,
    rounds,
    subjects: all.map(subject => ({
      name: subject.name,
      cases: (['together', 'each'] as const).flatMap(casesOf(subject)),
    })),
  }
}

const basesOf = (count: number, most: number): Basis[] => (count === most ? ['each'] : ['together', 'each'])

const nameOf = ({ name }: Subject, basis: Basis, count: number) => `${name} on ${count}, ${basis}`

function compared(rounds: Round[], one: Round[]): Omit<Case, 'replicas' | 'basis' | 'perS' | 'told'> {
  const spread = (of: (round: Round, index: number) => number) => spreadOf(rounds.map(of))
  const total = ({ cost }: Round) => cost.service + cost.gateway + cost.mongod
  return {
    cost: {
      service: spread(each => each.cost.service),
      gateway: spread(each => each.cost.gateway),
      mongod: spread(each => each.cost.mongod),
    },
    commands: spread(each => each.commands),
    serviceRatio: spread((each, index) => each.cost.service / one[index]!.cost.service),
    totalRatio: spread((each, index) => total(each) / total(one[index]!)),
    rounds,
  }
}

/** A process that has just started runs code that nobody has compiled yet: straight to each, so that all have run as much. */
async function warmUp(
  { system, crew, log }: LoadWorld,
  all: Subject[],
  warm: Set<number>,
  seconds: number,
  scale: number,
) {
  const calls = await crew.its.warmUp()
  for (const { name, service } of all) {
    const fresh = system.groups[service].replicas.filter(each => !warm.has(each.pid))
    if (fresh.length === 0) continue
    log(`— ${fresh.length} of ${service} run themselves warm`)
    await Promise.all(
      fresh.map(async ({ url, pid }) => {
        const next = forEachConcurrently(calls[name])
        await openLoop(url, next, { ratePerS: (500 * scale) / fresh.length, seconds, connections: 32 })
        warm.add(pid)
      }),
    )
  }
}

function forEachConcurrently(calls: readonly WarmUpCall[]) {
  let turn = Math.floor(Math.random() * calls.length)
  return () => {
    const { path, token, body } = calls[turn++ % calls.length]!
    const unique = 'event_type' in body ? { event_id: randomUUID() } : { client_id: randomUUID() }
    return { method: 'POST' as const, path, token, body: JSON.stringify({ ...body, ...unique }) }
  }
}

interface Measurement {
  subject: Subject
  /** Of the subject's rates. */
  share: number
  name: string
  seconds: number
  /** What everybody uses when nobody calls. */
  idle: UsedBetween
}

async function measureOne(
  { crew, readings }: LoadWorld,
  { subject, share, name, seconds, idle }: Measurement,
): Promise<Round> {
  const rates = Object.fromEntries(Object.entries(subject.rates).map(([operation, perS]) => [operation, perS * share]))
  const creditBefore = subject.name === 'track' ? await crew.its.credit() : undefined
  await crew.its.begin({ rates })
  await crew.its.enter('settling')
  await wait(Math.min(settleS, seconds))
  await crew.its.enter(name)
  const before = await readings.read()
  await wait(seconds)
  const spent = await readings.since(before)
  await crew.its.enter('settling')
  const outcome = await crew.its.end()
  const calls = summaryOf(Object.values(outcome[name] ?? {}))
  const aCall = (used: number, idly: number) => (used - (idly / idle.seconds) * spent.seconds) / calls.calls
  const us = (used: Used) => aCall(spent.cpu[used], idle.cpu[used]) * 1e6
  const round: Round = {
    cost: { service: us(subject.service), gateway: us('gateway'), mongod: us('mongod') },
    commands: aCall(spent.commands, idle.commands),
    calls,
  }
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
  return all
    .flatMap(({ name, cases }) => [
      `${name}, ${rounds} rounds of ${seconds} s: first the same load on all replicas together, then the same on each`,
      costTable(cases),
      name === 'track' ? creditTable(cases) : messageTable(cases),
    ])
    .join('\n\n')
}

const shown = ({ median, min, max }: Spread, digits = 0) =>
  `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`

function costTable(cases: readonly Case[]): string {
  const head = ['replicas', 'requests/s', 'failed', 'p50 ms', 'p99 ms', 'service µs', 'gateway µs', 'mongod µs']
  return table(
    [...head, 'commands', 'service ÷ one replica', 'all three ÷ one replica'],
    cases.map(({ replicas, perS, cost, commands, serviceRatio, totalRatio, rounds }) => {
      const failures = rounds.map(({ calls }) => shownFailures(calls)).filter(text => text !== 'none')
      return [
        String(replicas),
        perS.toFixed(0),
        failures.join('; ') || 'none',
        ms(spreadOf(rounds.map(({ calls }) => calls.p50Ms)).median),
        ms(spreadOf(rounds.map(({ calls }) => calls.p99Ms)).median),
        shown(cost.service),
        shown(cost.gateway),
        shown(cost.mongod),
        shown(commands, 3),
        shown(serviceRatio, 2),
        shown(totalRatio, 2),
      ]
    }),
  )
}

/** The case with most replicas is in both lists; it was measured once. */
const once = (cases: readonly Case[]) => {
  const most = Math.max(...cases.map(each => each.replicas))
  return cases.filter(each => each.basis === 'each' || each.replicas < most)
}

function creditTable(cases: readonly Case[]): string {
  return table(
    ['replicas', 'requests/s', 'seconds played', 'seconds credited', 'largest difference of one person, s'],
    once(cases).map(({ replicas, perS, rounds }) => [
      String(replicas),
      perS.toFixed(0),
      rounds.reduce((sum, { credit }) => sum + credit!.watched, 0).toFixed(1),
      rounds.reduce((sum, { credit }) => sum + credit!.credited, 0).toFixed(1),
      Math.max(...rounds.map(({ credit }) => credit!.largestDifference)).toFixed(2),
    ]),
  )
}

function messageTable(cases: readonly Case[]): string {
  return table(
    ['replicas', 'requests/s', 'acknowledged', 'lost', 'twice', 'out of order', 'rooms not the same for both'],
    once(cases).map(({ replicas, perS, told }) => [
      String(replicas),
      perS.toFixed(0),
      ...[told?.acknowledged, told?.lost, told?.doubled, told?.outOfOrder, told?.broken].map(count =>
        String(count ?? 0),
      ),
    ]),
  )
}
