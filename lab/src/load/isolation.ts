import { type Spread, spreadOf } from '../shared/meter.ts'
import { failedOf, ms, type Summary, shownFailures, summaryOf, table } from './call-summary.ts'
import { type CpuLimit, limitCpu } from './cpu-limit.ts'
import { type LoadWorld, wait } from './load-world.ts'
import type { Used, UsedBetween } from './readings.ts'

const chatReplicas = 2
const settleS = 2
const rates = { 'save-progress': 200, 'chat poll': 20, 'chat send': 10 }
const usedShown: Used[] = ['playback-session', 'gateway', 'chat', 'mongod', 'load', 'balancers']

interface Condition {
  name: string
  text: string
  /** Seconds until chat has reached this condition. */
  settleS?: number
  /** The CPU limit of chat and its overload, as in a container. Undefined where limits are not allowed. */
  limited?: true
  /** `withinMs`: until then it must be what it says. */
  begin(world: LoadWorld, withinMs: number): Promise<void>
  end(world: LoadWorld): Promise<void>
}

const overload = async ({ crew, overload: from }: LoadWorld, connections: number, withinMs: number) =>
  from.its.begin(await crew.its.overloadCalls(), connections, withinMs)

const floodEnds = async ({ overload: from }: LoadWorld) => void (await from.its.end())

const signalChat = ({ system }: LoadWorld, signal: NodeJS.Signals) => {
  for (const each of system.groups.chat.replicas) each.signal(signal)
}

const coresOfLimited = { chat: 0.2, overload: 0.2 }

function isLimitAllowed(): boolean {
  const tried = limitCpu('trial', 1, [])
  tried?.lift()
  return tried !== undefined
}

function limitChat({ system, overload: from }: LoadWorld): CpuLimit | undefined {
  const replicas = system.groups.chat.replicas.map(each => each.pid)
  const chat = limitCpu('chat', coresOfLimited.chat, replicas)
  const overload = chat && limitCpu('overload', coresOfLimited.overload, [from.pid])
  return (
    chat && {
      reached: chat.reached,
      lift: () => {
        chat.lift()
        overload?.lift()
      },
    }
  )
}

/** Of the overload that saturates, and of one that only has to fill every queue there is before a chat that never answers. */
const connections = { saturating: 128, filling: 512 }

const conditions: Condition[] = [
  { name: 'alone', text: 'chat is well', begin: async () => {}, end: async () => {} },
  {
    name: 'stopped',
    text: 'chat hangs (SIGSTOP), until it is found not to be ready',
    begin: async world => signalChat(world, 'SIGSTOP'),
    end: async world => {
      signalChat(world, 'SIGCONT')
      await world.system.ready(60_000, 'chat')
    },
  },
  {
    name: 'silent',
    text: `chat takes everything and never answers, and ${connections.filling} connections wait for it`,
    // As long as one waits before it gives up and comes again: from then on as many give up every second as come.
    settleS: 10,
    begin: async (world, withinMs) => {
      world.system.groups.chat.balancer.fault('half-open')
      await overload(world, connections.filling, withinMs)
    },
    end: async world => {
      world.system.groups.chat.balancer.fault('reset')
      await floodEnds(world)
    },
  },
  {
    name: 'saturated',
    text: `chat is flooded by ${connections.saturating} connections`,
    settleS,
    begin: (world, withinMs) => overload(world, connections.saturating, withinMs),
    end: floodEnds,
  },
  {
    name: 'saturated, limited',
    text: `the same, but chat gets ${coresOfLimited.chat} cores and no more, as a container's limit does, and the overload as much`,
    settleS,
    limited: true,
    begin: (world, withinMs) => overload(world, connections.saturating, withinMs),
    end: floodEnds,
  },
  {
    name: 'killed',
    text: 'chat is dead (SIGKILL) and stays so',
    begin: async world => {
      signalChat(world, 'SIGKILL')
      await world.system.groups.chat.scale(0)
    },
    end: world => world.system.groups.chat.scale(chatReplicas),
  },
]

interface Round {
  saves: Summary
  chat: Summary
  /** Cores in use. */
  cores: Record<Used, number>
  /** In how many tenths of a second chat came up against its limit. */
  limitReached: number | undefined
}

export interface IsolationFigures {
  seconds: number
  byCondition: {
    name: string
    text: string
    p50Ms: Spread
    p99Ms: Spread
    /** p99 against that of the same round with chat well. */
    p99Ratio: Spread
    cores: Record<Used, number>
    rounds: Round[]
    saves: { calls: number; failed: number }
  }[]
}

/** Measures the effect of a dead, hanging or overloaded chat on save-progress. */
export async function measureIsolation(
  world: LoadWorld,
  { seconds, rounds, scale = 1 }: { seconds: number; rounds: number; scale?: number },
): Promise<IsolationFigures> {
  const { system, crew, log } = world
  await system.groups.chat.scale(chatReplicas)
  const measured = new Map<string, Round[]>()
  const possible = conditions.filter(each => !each.limited || isLimitAllowed())
  for (let round = 1; round <= rounds; round += 1) {
    await crew.its.refresh()
    for (const condition of possible) {
      const done = await measureOne(world, condition, seconds, scale)
      measured.set(condition.name, [...(measured.get(condition.name) ?? []), done])
      log(`  round ${round}: ${condition.name}: p99 ${ms(done.saves.p99Ms)} ms`)
    }
  }
  const alone = measured.get('alone')!
  return {
    seconds,
    byCondition: possible.map(({ name, text }) => {
      const each = measured.get(name)!
      return {
        name,
        text,
        p50Ms: spreadOf(each.map(({ saves }) => saves.p50Ms)),
        p99Ms: spreadOf(each.map(({ saves }) => saves.p99Ms)),
        p99Ratio: spreadOf(each.map(({ saves }, round) => saves.p99Ms / alone[round]!.saves.p99Ms)),
        cores: Object.fromEntries(
          usedShown.map(used => [used, spreadOf(each.map(({ cores }) => cores[used])).median]),
        ) as Record<Used, number>,
        rounds: each,
        saves: {
          calls: each.reduce((sum, { saves }) => sum + saves.calls, 0),
          failed: each.reduce((sum, { saves }) => sum + failedOf(saves), 0),
        },
      }
    }),
  }
}

async function measureOne(world: LoadWorld, condition: Condition, seconds: number, scale: number): Promise<Round> {
  const { crew, readings } = world
  const phase = condition.name
  await crew.its.begin({ rates: Object.fromEntries(Object.entries(rates).map(([name, perS]) => [name, perS * scale])) })
  await crew.its.enter('settling')
  await wait(Math.min(settleS, seconds))
  const settling = Math.min(condition.settleS ?? 0, seconds)
  const limit = condition.limited && limitChat(world)
  let spent: UsedBetween
  let limitReached: number | undefined
  try {
    await condition.begin(world, settling * 1_000)
    await wait(settling)
    await crew.its.enter(phase)
    const before = await readings.read()
    await wait(seconds)
    spent = await readings.since(before)
    limitReached = limit?.reached()
    await crew.its.enter('settling')
  } finally {
    // Before the load ends: calls that hang are answered then.
    await condition.end(world).finally(() => limit?.lift())
  }
  const { 'save-progress': saves, ...chat } = (await crew.its.end())[phase] ?? {}
  return {
    saves: summaryOf([saves]),
    chat: summaryOf(Object.values(chat)),
    limitReached,
    cores: Object.fromEntries(Object.entries(spent.cpu).map(([used, cpu]) => [used, cpu / spent.seconds])) as Record<
      Used,
      number
    >,
  }
}

export function isolationTables({ byCondition, seconds }: IsolationFigures): string {
  const shown = (spread: Spread) => `${ms(spread.median)} (${ms(spread.min)}–${ms(spread.max)})`
  const times = ({ median, min, max }: Spread) => `${median.toFixed(2)} (${min.toFixed(2)}–${max.toFixed(2)})`
  const chatOf = (rounds: Round[]) => {
    const calls = rounds.reduce((sum, { chat }) => sum + chat.calls, 0)
    const failures = new Map<string, number>()
    for (const { chat } of rounds)
      for (const [kind, count] of Object.entries(chat.failures)) failures.set(kind, (failures.get(kind) ?? 0) + count)
    return `${calls}: ${shownFailures({ failures: Object.fromEntries(failures) } as Summary)}`
  }
  return [
    table(
      ['save-progress while', 'requests', 'failed', 'p50 ms', 'p99 ms', 'p99 ÷ chat well', 'chat calls, failed'],
      byCondition.map(({ text, saves, p50Ms, p99Ms, p99Ratio, rounds }) => [
        text,
        String(saves.calls),
        String(saves.failed),
        shown(p50Ms),
        shown(p99Ms),
        times(p99Ratio),
        chatOf(rounds),
      ]),
    ),
    `Cores in use meanwhile (medians; rounds of ${seconds} s):`,
    table(
      ['', ...usedShown],
      byCondition.map(({ name, cores }) => [name, ...usedShown.map(used => cores[used].toFixed(2))]),
    ),
  ].join('\n\n')
}
