import { setTimeout as sleep } from 'node:timers/promises'
import { exchange } from '../../../tools/src/provision/wait.ts'
import type { NetworkFault } from '../../../tools/src/up/balancer.ts'
import { type ProcessName, processNames } from '../../../tools/src/up/system.ts'
import type { StoreName } from '../shared/stores.ts'
import type { FaultWorld } from './fault-world.ts'
import type { Random } from './random.ts'

export interface FaultTimes {
  /** The time at which the fault began to have an effect. */
  injectedAt: number
  /** The time at which recovery became possible. */
  healedAt: number
}

/** A fault that is injected and healed. */
export interface Fault {
  /** For the table: `chat killed`. */
  kind: string
  /** The faults of one cycle have different targets. */
  target: string
  inject(): Promise<FaultTimes>
}

interface FaultEntry {
  target: string
  kind: string
  weight: number
  make(world: FaultWorld, random: Random): Fault['inject']
}

const stores: Record<StoreName, string> = { mongodb: 'mongodb', rabbitmq: 'broker', redis: 'redis' }
const networkFaults: Exclude<NetworkFault, 'none'>[] = ['half-open', 'slow', 'reset', 'refuse']

/** All faults with their weights. A fault with twice the weight is drawn twice as often. */
export function listFaults(injectStaleOwner: (world: FaultWorld, random: Random) => Promise<FaultTimes>): FaultEntry[] {
  return [
    ...processNames.flatMap(serviceFaults),
    ...(Object.keys(stores) as StoreName[]).flatMap(storeFaults),
    {
      target: 'redis',
      kind: 'redis flushed',
      weight: 6,
      make: world => async () => {
        const injectedAt = Date.now()
        await flush(world)
        return { injectedAt, healedAt: Date.now() }
      },
    },
    {
      target: 'stale-owner',
      kind: 'stale owner',
      weight: 6,
      make: (world, random) => () => injectStaleOwner(world, random),
    },
  ]
}

function serviceFaults(name: ProcessName): FaultEntry[] {
  return [
    {
      target: name,
      kind: `${name} killed`,
      weight: 7,
      make: ({ system }, random) => {
        const index = random.between(0, 9)
        return async () => {
          const { replicas } = system.groups[name]
          const victim = replicas[index % replicas.length]!
          victim.signal('SIGKILL')
          const injectedAt = Date.now()
          return { injectedAt, healedAt: injectedAt }
        }
      },
    },
    {
      target: name,
      kind: `${name} stopped`,
      weight: 2,
      make: ({ system }, random) => {
        const index = random.between(0, 9)
        const ms = random.between(1_000, 4_000)
        return () => {
          const { replicas } = system.groups[name]
          const victim = replicas[index % replicas.length]!
          return during(
            () => victim.signal('SIGSTOP'),
            ms,
            () => victim.signal('SIGCONT'),
          )
        }
      },
    },
    ...networkFaults.map(
      (fault): FaultEntry => ({
        target: name,
        kind: `network to ${name} ${fault}`,
        weight: 0.5,
        make: ({ system }, random) => networkStrike(system.groups[name].balancer, fault, random),
      }),
    ),
  ]
}

function storeFaults(name: StoreName): FaultEntry[] {
  const target = stores[name]
  return [
    {
      target,
      kind: `${target} killed`,
      weight: 8,
      make: (world, random) => {
        const ms = random.between(0, 1_500)
        const store = world.stores[name]
        return () =>
          during(
            () => store.kill(),
            ms,
            () => store.start(),
          )
      },
    },
    {
      target,
      kind: `${target} stopped`,
      weight: 3,
      make: (world, random) => {
        const ms = random.between(1_000, 4_000)
        const store = world.stores[name]
        return () =>
          during(
            () => store.signal('SIGSTOP'),
            ms,
            () => store.signal('SIGCONT'),
          )
      },
    },
    ...networkFaults.map(
      (fault): FaultEntry => ({
        target,
        kind: `network to ${target} ${fault}`,
        weight: 1.5,
        make: (world, random) => networkStrike(world.stores[name].network, fault, random),
      }),
    ),
  ]
}

function networkStrike(
  network: FaultWorld['stores']['redis']['network'],
  fault: Exclude<NetworkFault, 'none'>,
  random: Random,
): Fault['inject'] {
  const ms = fault === 'reset' ? 0 : random.between(1_500, 4_000)
  const delayMs = random.between(100, 800)
  return () =>
    during(
      () => network.fault(fault, { delayMs }),
      ms,
      () => network.fault('none'),
    )
}

async function during(inject: () => unknown, ms: number, heal: () => unknown): Promise<FaultTimes> {
  const injectedAt = Date.now()
  await inject()
  try {
    await sleep(ms)
  } finally {
    await heal()
  }
  return { injectedAt, healedAt: Date.now() }
}

/** Deletes all data of Redis. */
export async function flush({ stores }: FaultWorld): Promise<void> {
  const { port } = new URL(stores.redis.directUrl)
  await exchange(Number(port), Buffer.from('FLUSHALL\r\n'))
}

/** Draws faults by weight. A word of `only` equals the target or is a part of the kind. */
export function createDraw(entries: readonly FaultEntry[], only: readonly string[], random: Random) {
  const fitting = entries.filter(
    ({ target, kind }) => only.length === 0 || only.some(word => target === word || kind.includes(word)),
  )
  if (fitting.length === 0) throw new Error(`no fault matches ${only.join(', ')}`)

  /** A fault with none of the `excluded` targets. Undefined if no fault is left. */
  return (world: FaultWorld, excluded: readonly string[] = []): Fault | undefined => {
    const candidates = fitting.filter(({ target }) => !excluded.includes(target))
    let point = random.next() * candidates.reduce((sum, { weight }) => sum + weight, 0)
    for (const { target, kind, weight, make } of candidates) {
      point -= weight
      if (point < 0) return { target, kind, inject: make(world, random) }
    }
    return undefined
  }
}
