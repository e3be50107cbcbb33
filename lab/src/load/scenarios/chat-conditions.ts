import type { Rates } from '../clients/operations.ts'
import type { LoadWorld } from '../load-world.ts'
import { type CpuLimit, limitCpu } from './cpu-limit.ts'

export const chatReplicas = 2
const overloadSettleS = 2

/** A state of chat in which save-progress is measured. */
export interface ChatCondition {
  name: string
  /** For the table, after "save-progress while". */
  text: string
  /** Seconds until chat has reached this condition. */
  settleS?: number
  /** Chat operations that are answered at once. The measurement lasts until each has a result. */
  awaited?: readonly (keyof Rates)[]
  /** True if chat and its overload have a CPU limit, as in a container. */
  isLimited?: true
  /** Chat reaches the condition within `withinMs`. */
  begin(world: LoadWorld, withinMs: number): Promise<void>
  end(world: LoadWorld): Promise<void>
}

/** `saturating` uses all CPU; `filling` fills all queues before a chat that never answers. */
const connections = { saturating: 128, filling: 512 }

const limitedCores = { chat: 0.2, overload: 0.2 }

const beginOverload = async ({ loadPeople, overload }: LoadWorld, connectionCount: number, withinMs: number) =>
  overload.remote.begin(await loadPeople.remote.overloadCalls(), connectionCount, withinMs)

const endOverload = async ({ overload }: LoadWorld) => void (await overload.remote.end())

const signalChat = ({ system }: LoadWorld, signal: NodeJS.Signals) => {
  for (const replica of system.groups.chat.replicas) replica.signal(signal)
}

export const chatConditions: readonly ChatCondition[] = [
  { name: 'healthy', text: 'chat is healthy', begin: async () => {}, end: async () => {} },
  {
    name: 'stopped',
    text: 'chat hangs (SIGSTOP) and is found to be not ready',
    begin: async world => signalChat(world, 'SIGSTOP'),
    end: async world => {
      signalChat(world, 'SIGCONT')
      await world.system.ready(60_000, 'chat')
    },
  },
  {
    name: 'silent',
    text: `chat accepts everything and never answers; ${connections.filling} connections wait for it`,
    // The time limit of a call. From then on, as many calls give up every second as begin.
    settleS: 10,
    begin: async (world, withinMs) => {
      world.system.groups.chat.balancer.fault('half-open')
      await beginOverload(world, connections.filling, withinMs)
    },
    end: async world => {
      world.system.groups.chat.balancer.fault('reset')
      await endOverload(world)
    },
  },
  {
    name: 'overloaded',
    text: `${connections.saturating} connections overload chat`,
    settleS: overloadSettleS,
    begin: (world, withinMs) => beginOverload(world, connections.saturating, withinMs),
    end: endOverload,
  },
  {
    name: 'overloaded, limited',
    text: `the same, with a container's CPU limit: ${limitedCores.chat} cores each for chat and the overload`,
    settleS: overloadSettleS,
    isLimited: true,
    begin: (world, withinMs) => beginOverload(world, connections.saturating, withinMs),
    end: endOverload,
  },
  {
    name: 'killed',
    text: 'chat is dead (SIGKILL) and stays down',
    awaited: ['chat send'],
    begin: async world => {
      signalChat(world, 'SIGKILL')
      await world.system.groups.chat.scale(0)
    },
    end: world => world.system.groups.chat.scale(chatReplicas),
  },
]

export function isLimitAllowed(): boolean {
  const limit = limitCpu('trial', 1, [])
  limit?.lift()
  return limit !== undefined
}

/** Limits the CPU of chat and of its overload. Undefined if that is not allowed. */
export function limitChat({ system, overload }: LoadWorld): CpuLimit | undefined {
  const chatPids = system.groups.chat.replicas.map(({ pid }) => pid)
  const chatLimit = limitCpu('chat', limitedCores.chat, chatPids)
  if (!chatLimit) return undefined
  const overloadLimit = limitCpu('overload', limitedCores.overload, [overload.pid])
  return {
    throttledPeriods: chatLimit.throttledPeriods,
    lift: () => {
      chatLimit.lift()
      overloadLimit?.lift()
    },
  }
}
