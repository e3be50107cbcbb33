import { randomUUID } from 'node:crypto'
import { type Call, runOpenLoop } from '../../shared/load-generator.ts'
import { type Spread, spreadOf } from '../../shared/meter.ts'
import { type CallSummary, resultsIn, summarizeCalls } from '../call-summary.ts'
import type { MessageCounts } from '../clients/conversation.ts'
import type { Credit, WarmUpCall } from '../clients/load-people.ts'
import { type Rates, scaleRates } from '../clients/operations.ts'
import { type LoadWorld, wait } from '../load-world.ts'
import type { CpuConsumer, SystemUsage } from '../system-meter.ts'

const usualCounts = [1, 2, 4] as const
const idleS = 2
const settleS = 1.5
const warmUpRatePerS = 500

interface Subject {
  name: 'track' | 'chat'
  service: 'engagement' | 'chat'
  rates: Rates
}

const createSubjects = (scale: number): Subject[] => [
  { name: 'track', service: 'engagement', rates: { track: 800 * scale } },
  // Supervisors send a part of it, because of the message rate limit of six a second.
  { name: 'chat', service: 'chat', rates: { 'chat send': 300 * scale, 'chat answer': 40 * scale } },
]

/** CPU in µs a request. */
export type Cost = Record<'service' | 'gateway' | 'mongod', number>

interface ReplicasRound {
  cost: Cost
  /** MongoDB commands a request. */
  commands: number
  calls: CallSummary
  /** Seconds played and credited in this round. */
  credit?: Pick<Credit, 'watched' | 'credited' | 'largestDifference'>
}

/** The same load on all replicas together, or the same load on each replica. */
type Basis = 'together' | 'each'
const bases: readonly Basis[] = ['together', 'each']

export interface ReplicasCase {
  replicas: number
  basis: Basis
  requestsPerS: number
  cost: Record<keyof Cost, Spread>
  commands: Spread
  /** CPU divided by that of one replica, round by round: of the service, and of all three. */
  serviceRatio: Spread
  totalRatio: Spread
  rounds: ReplicasRound[]
  messages?: MessageCounts | undefined
}

export interface ReplicasFigures {
  seconds: number
  rounds: number
  subjects: { name: Subject['name']; cases: ReplicasCase[] }[]
}

interface ReplicasOptions {
  seconds: number
  rounds: number
  scale?: number
  warmUpS?: number
  counts?: readonly number[]
}

/**
 * Measures the scaled services on one, two and four replicas, under a constant load and under a
 * load that grows with the replicas. With most replicas both loads are the same, so that case is
 * measured once.
 */
export async function measureReplicas(
  world: LoadWorld,
  { seconds, rounds: roundCount, scale = 1, warmUpS = 4, counts = usualCounts }: ReplicasOptions,
): Promise<ReplicasFigures> {
  const { system, loadPeople, meter, log } = world
  const subjects = createSubjects(scale)
  const maxCount = Math.max(...counts)
  const roundsByCase = new Map<string, ReplicasRound[]>()
  const warmPids = new Set<number>()
  for (let number = 1; number <= roundCount; number += 1) {
    for (const count of number % 2 ? counts : counts.toReversed()) {
      for (const { service } of subjects) await system.groups[service].scale(count)
      await loadPeople.remote.refreshTokens()
      await warmUpReplicas(world, { subjects, warmPids, seconds: warmUpS, scale })
      // The gateways' open connections lead to the earlier replicas.
      for (const { service } of subjects) system.groups[service].balancer.fault('reset')
      await wait(Math.min(1, seconds))
      const beforeIdle = await meter.read()
      await wait(Math.min(idleS, seconds))
      const idle = await meter.usageSince(beforeIdle)
      for (const subject of subjects)
        for (const basis of measuredBases(count, maxCount)) {
          const name = caseName(subject, basis, count)
          const share = basis === 'each' ? count / maxCount : 1
          const round = await measureCase(world, { subject, share, name, seconds, idle })
          roundsByCase.set(name, [...(roundsByCase.get(name) ?? []), round])
          const { service, gateway, mongod } = round.cost
          log(`  round ${number}: ${name}: ${[service, gateway, mongod].map(us => us.toFixed(0)).join(' + ')} µs`)
        }
    }
  }
  const messagesByCase = await loadPeople.remote.compareMessages()
  const makeCase = (subject: Subject, basis: Basis, count: number): ReplicasCase => {
    const measuredName = (replicas: number) =>
      caseName(subject, measuredBases(replicas, maxCount).includes(basis) ? basis : 'each', replicas)
    const fullRate = Object.values(subject.rates).reduce((sum, perS) => sum + perS, 0)
    return {
      replicas: count,
      basis,
      requestsPerS: basis === 'each' ? (fullRate * count) / maxCount : fullRate,
      messages: messagesByCase[measuredName(count)],
      ...summarizeRounds(roundsByCase.get(measuredName(count))!, roundsByCase.get(measuredName(1))!),
    }
  }
  return {
    seconds,
    rounds: roundCount,
    subjects: subjects.map(subject => ({
      name: subject.name,
      cases: bases.flatMap(basis => counts.map(count => makeCase(subject, basis, count))),
    })),
  }
}

const measuredBases = (count: number, maxCount: number): readonly Basis[] => (count === maxCount ? ['each'] : bases)

const caseName = ({ name }: Subject, basis: Basis, count: number) => `${name} on ${count}, ${basis}`

function summarizeRounds(rounds: ReplicasRound[], roundsOnOne: readonly ReplicasRound[]) {
  const spread = (select: (round: ReplicasRound, index: number) => number) => spreadOf(rounds.map(select))
  const totalUs = ({ cost }: ReplicasRound) => cost.service + cost.gateway + cost.mongod
  return {
    cost: {
      service: spread(({ cost }) => cost.service),
      gateway: spread(({ cost }) => cost.gateway),
      mongod: spread(({ cost }) => cost.mongod),
    },
    commands: spread(({ commands }) => commands),
    serviceRatio: spread(({ cost }, index) => cost.service / roundsOnOne[index]!.cost.service),
    totalRatio: spread((round, index) => totalUs(round) / totalUs(roundsOnOne[index]!)),
    rounds,
  }
}

/** Calls new replicas directly, so that all replicas have equally compiled code. */
async function warmUpReplicas(
  { system, loadPeople, log }: LoadWorld,
  {
    subjects,
    warmPids,
    seconds,
    scale,
  }: { subjects: readonly Subject[]; warmPids: Set<number>; seconds: number; scale: number },
) {
  const calls = await loadPeople.remote.warmUpCalls()
  for (const { name, service } of subjects) {
    const newReplicas = system.groups[service].replicas.filter(({ pid }) => !warmPids.has(pid))
    if (newReplicas.length === 0) continue
    log(`— warming up ${newReplicas.length} of ${service}`)
    await Promise.all(
      newReplicas.map(async ({ url, pid }) => {
        const ratePerS = (warmUpRatePerS * scale) / newReplicas.length
        await runOpenLoop(url, rotateCalls(calls[name]), { ratePerS, seconds, connections: 32 })
        warmPids.add(pid)
      }),
    )
  }
}

/** From a random start, so that replicas do not call for the same person at once. */
function rotateCalls(calls: readonly WarmUpCall[]): () => Call {
  let callCount = Math.floor(Math.random() * calls.length)
  return () => {
    const { path, token, body } = calls[callCount++ % calls.length]!
    const uniqueId = 'event_type' in body ? { event_id: randomUUID() } : { client_id: randomUUID() }
    return { method: 'POST', path, token, body: JSON.stringify({ ...body, ...uniqueId }) }
  }
}

interface CaseOptions {
  subject: Subject
  /** The factor of the subject's rates. */
  share: number
  name: string
  seconds: number
  /** The usage without calls. */
  idle: SystemUsage
}

async function measureCase(
  { loadPeople, meter }: LoadWorld,
  { subject, share, name, seconds, idle }: CaseOptions,
): Promise<ReplicasRound> {
  const creditBefore = subject.name === 'track' ? await loadPeople.remote.compareCredit() : undefined
  await loadPeople.remote.begin({ rates: scaleRates(subject.rates, share) })
  await loadPeople.remote.enterPhase('settling')
  await wait(Math.min(settleS, seconds))
  await loadPeople.remote.enterPhase(name)
  const before = await meter.read()
  await wait(seconds)
  const usage = await meter.usageSince(before)
  await loadPeople.remote.enterPhase('settling')
  const results = await loadPeople.remote.end()
  const calls = summarizeCalls(resultsIn(results, name))
  const perRequest = (used: number, usedIdle: number) =>
    (used - (usedIdle / idle.seconds) * usage.seconds) / calls.calls
  const microseconds = (consumer: CpuConsumer) => perRequest(usage.cpu[consumer], idle.cpu[consumer]) * 1e6
  const round: ReplicasRound = {
    cost: {
      service: microseconds(subject.service),
      gateway: microseconds('gateway'),
      mongod: microseconds('mongod'),
    },
    commands: perRequest(usage.commands, idle.commands),
    calls,
  }
  if (!creditBefore) return round
  const creditAfter = await loadPeople.remote.compareCredit()
  return {
    ...round,
    credit: {
      watched: creditAfter.watched - creditBefore.watched,
      credited: creditAfter.credited - creditBefore.credited,
      largestDifference: creditAfter.largestDifference,
    },
  }
}
