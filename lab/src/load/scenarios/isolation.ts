import { type Spread, spreadOf } from '../../shared/meter.ts'
import { formatSpread, markdownTable } from '../../shared/tables.ts'
import {
  type CallSummary,
  countFailures,
  formatFailures,
  formatMs,
  mergeFailures,
  summarizeCalls,
} from '../call-summary.ts'
import { type Rates, scaleRates } from '../clients/operations.ts'
import { type LoadWorld, wait } from '../load-world.ts'
import type { CpuConsumer, SystemUsage } from '../system-meter.ts'
import { type ChatCondition, chatConditions, chatReplicas, isLimitAllowed, limitChat } from './chat-conditions.ts'

const settleS = 2
const rates: Rates = { 'save-progress': 200, 'chat poll': 20, 'chat send': 10 }
const shownConsumers: CpuConsumer[] = ['playback-session', 'gateway', 'chat', 'mongod', 'load', 'balancers']

type Cores = Record<CpuConsumer, number>

interface IsolationRound {
  saves: CallSummary
  chat: CallSummary
  /** Cores in use. */
  cores: Cores
  /**
   * The number of tenths of a second in which chat reached its limit. Undefined without a limit.
   */
  throttledPeriods: number | undefined
}

interface ConditionFigures {
  name: string
  text: string
  p50Ms: Spread
  p99Ms: Spread
  /** p99 divided by that of the same round with a healthy chat. */
  p99Ratio: Spread
  /** Medians of cores in use. */
  cores: Cores
  rounds: IsolationRound[]
  saves: { calls: number; failed: number }
}

export interface IsolationFigures {
  seconds: number
  byCondition: ConditionFigures[]
}

interface LoadSize {
  scale?: number
  /** A phase lasts until it has so many results of each measured operation. */
  minResults?: number
}

/** Measures the effect of a dead, hanging or overloaded chat on save-progress. */
export async function measureIsolation(
  world: LoadWorld,
  { seconds, rounds: roundCount, ...load }: { seconds: number; rounds: number } & LoadSize,
): Promise<IsolationFigures> {
  const { system, loadPeople, log } = world
  await system.groups.chat.scale(chatReplicas)
  const measurements = chatConditions
    .filter(condition => !condition.isLimited || isLimitAllowed())
    .map(condition => ({ condition, rounds: [] as IsolationRound[] }))
  for (let number = 1; number <= roundCount; number += 1) {
    await loadPeople.remote.refreshTokens()
    for (const { condition, rounds } of measurements) {
      const round = await measureCondition(world, condition, seconds, load)
      rounds.push(round)
      log(`  round ${number}: ${condition.name}: p99 ${formatMs(round.saves.p99Ms)} ms`)
    }
  }
  const healthy = measurements.find(({ condition }) => condition.name === 'healthy')!
  return {
    seconds,
    byCondition: measurements.map(({ condition, rounds }) => ({
      name: condition.name,
      text: condition.text,
      ...summarizeRounds(rounds, healthy.rounds),
    })),
  }
}

function summarizeRounds(
  rounds: IsolationRound[],
  healthyRounds: readonly IsolationRound[],
): Omit<ConditionFigures, 'name' | 'text'> {
  return {
    p50Ms: spreadOf(rounds.map(({ saves }) => saves.p50Ms)),
    p99Ms: spreadOf(rounds.map(({ saves }) => saves.p99Ms)),
    p99Ratio: spreadOf(rounds.map(({ saves }, index) => saves.p99Ms / healthyRounds[index]!.saves.p99Ms)),
    cores: Object.fromEntries(
      shownConsumers.map(consumer => [consumer, spreadOf(rounds.map(({ cores }) => cores[consumer])).median]),
    ) as Cores,
    rounds,
    saves: {
      calls: rounds.reduce((sum, { saves }) => sum + saves.calls, 0),
      failed: rounds.reduce((sum, { saves }) => sum + countFailures(saves), 0),
    },
  }
}

async function measureCondition(
  world: LoadWorld,
  condition: ChatCondition,
  seconds: number,
  { scale = 1, minResults = 1 }: LoadSize,
): Promise<IsolationRound> {
  const { loadPeople, meter } = world
  await loadPeople.remote.begin({ rates: scaleRates(rates, scale), measured: ['save-progress'], minResults })
  await loadPeople.remote.enterPhase('settling')
  await wait(Math.min(settleS, seconds))
  const conditionSettleS = Math.min(condition.settleS ?? 0, seconds)
  const limit = condition.isLimited && limitChat(world)
  let usage: SystemUsage
  let throttledPeriods: number | undefined
  try {
    await condition.begin(world, conditionSettleS * 1_000)
    await wait(conditionSettleS)
    await loadPeople.remote.enterPhase(condition.name)
    const before = await meter.read()
    await wait(seconds)
    usage = await meter.usageSince(before)
    throttledPeriods = limit?.throttledPeriods()
    await loadPeople.remote.enterPhase('settling', condition.awaited)
  } finally {
    // The condition ends before the load, so that hanging calls are answered.
    await condition.end(world).finally(() => limit?.lift())
  }
  const results = await loadPeople.remote.end()
  const { 'save-progress': saves, ...chat } = results[condition.name] ?? {}
  return {
    saves: summarizeCalls([saves]),
    chat: summarizeCalls(Object.values(chat)),
    throttledPeriods,
    cores: Object.fromEntries(
      Object.entries(usage.cpu).map(([consumer, cpuSeconds]) => [consumer, cpuSeconds / usage.seconds]),
    ) as Cores,
  }
}

/** Markdown. */
export function isolationTables({ byCondition, seconds }: IsolationFigures): string {
  const formatChatCalls = (rounds: readonly IsolationRound[]) => {
    const summaries = rounds.map(({ chat }) => chat)
    const calls = summaries.reduce((sum, summary) => sum + summary.calls, 0)
    return `${calls}: ${formatFailures({ failures: mergeFailures(summaries) })}`
  }
  return [
    markdownTable(
      ['save-progress while', 'requests', 'failed', 'p50 ms', 'p99 ms', 'p99 ÷ healthy chat', 'chat calls, failed'],
      byCondition.map(({ text, saves, p50Ms, p99Ms, p99Ratio, rounds }) => [
        text,
        saves.calls,
        saves.failed,
        formatSpread(p50Ms, 1),
        formatSpread(p99Ms, 1),
        formatSpread(p99Ratio, 2),
        formatChatCalls(rounds),
      ]),
    ),
    `Cores in use (medians; rounds of ${seconds} s):`,
    markdownTable(
      ['', ...shownConsumers],
      byCondition.map(({ name, cores }) => [name, ...shownConsumers.map(consumer => cores[consumer].toFixed(2))]),
    ),
  ].join('\n\n')
}
