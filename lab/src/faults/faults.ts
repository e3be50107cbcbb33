import { setTimeout as sleep } from 'node:timers/promises'
import { exchange } from '../../../tools/src/provision/wait.ts'
import type { NetworkFault } from '../../../tools/src/up/balancer.ts'
import { type ProcessName, processNames } from '../../../tools/src/up/system.ts'
import type { StoreName } from '../shared/stores.ts'
import type { FaultWorld } from './fault-world.ts'
import type { Random } from './random.ts'

export interface FaultTimes {
  /** When it began to hurt. */
  injectedAt: number
  /** When nothing stood in the way of recovery any more. */
  healedAt: number
}

/** Something that goes wrong and is put right. */
export interface Fault {
  /** For the table: `chat killed`. */
  kind: string
  /** No two faults of a cycle have the same. */
  target: string
  strike(): Promise<FaultTimes>
}

interface Entry {
  target: string
  kind: string
  weight: number
  make(world: FaultWorld, random: Random): Fault['strike']
}

const stores: Record<StoreName, string> = { mongodb: 'mongodb', rabbitmq: 'broker', redis: 'redis' }
const networkFaults: Exclude<NetworkFault, 'none'>[] = ['half-open', 'slow', 'reset', 'refuse']

/** Everything that can be struck, with how often it is, compared with the others. */
export function catalogue(staleHolder: (world: FaultWorld, random: Random) => Promise<FaultTimes>): Entry[] {
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
      target: 'stale-holder',
      kind: 'stale holder',
      weight: 6,
      make: (world, random) => () => staleHolder(world, random),
    },
  ]
}

function serviceFaults(name: ProcessName): Entry[] {
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
      (fault): Entry => ({
        target: name,
        kind: `network to ${name} ${fault}`,
        weight: 0.5,
        make: ({ system }, random) => networkStrike(system.groups[name].balancer, fault, random),
      }),
    ),
  ]
}

function storeFaults(name: StoreName): Entry[] {
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
      (fault): Entry => ({
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
): Fault['strike'] {
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

/** Redis forgets everything. */
export async function flush({ stores }: FaultWorld): Promise<void> {
  const { port } = new URL(stores.redis.directUrl)
  await exchange(Number(port), Buffer.from('FLUSHALL\r\n'))
}

/** Draws faults by weight; `only` leaves those whose target or kind one of the words is part of. */
export function createDraw(entries: readonly Entry[], only: readonly string[], random: Random) {
  const fitting = entries.filter(
    ({ target, kind }) => only.length === 0 || only.some(word => target === word || kind.includes(word)),
  )
  if (fitting.length === 0) throw new Error(`no fault fits ${only.join(', ')}`)

  /** One fault, of none of these targets; undefined when there is no other. */
  return (world: FaultWorld, not: readonly string[] = []): Fault | undefined => {
    const left = fitting.filter(each => !not.includes(each.target))
    let point = random.next() * left.reduce((sum, each) => sum + each.weight, 0)
    for (const { target, kind, weight, make } of left) {
      point -= weight
      if (point < 0) return { target, kind, strike: make(world, random) }
    }
    return undefined
  }
}
