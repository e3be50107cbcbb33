import type { Clock } from '@watchline/kit/core/clock'
import type { PageEnd } from '@watchline/kit/mongo/list-order'
import type { PlaylistOwner } from './playlists.ts'

/** A playlist's position in the order of titles, and how many people have it. */
export interface CountedPosition {
  end: PageEnd
  count: number
}

export interface AssignedOrderRequest {
  owner: PlaylistOwner
  search?: string | undefined
  order: 'asc' | 'desc'
}

/** The positions of all matching playlists by the number of all people who have them. */
export interface AssignedOrders {
  get(request: AssignedOrderRequest): Promise<readonly CountedPosition[]>
  /** Call it after a commit that changes a playlist, or who has it. */
  clear(): void
}

/** The time for which changes of other replicas may be missing. */
const maxAgeMs = 3_000
/** Of all orders in memory together. Orders beyond it are computed at each call. */
const maxPositions = 200_000

interface Run {
  result: Promise<readonly CountedPosition[]>
  /** The generation in which it began; undefined before. */
  startedIn?: number
}

/**
 * Keeps sorted positions in memory, because computing them reads and sorts all matching playlists.
 * At most one computation for a request runs at a time. A call after `clear` gets no answer from
 * before it.
 */
export function createAssignedOrders(
  clock: Clock,
  compute: (request: AssignedOrderRequest) => Promise<readonly CountedPosition[]>,
): AssignedOrders {
  const computed = new Map<string, { positions: readonly CountedPosition[]; expiresAt: number }>()
  const runs = new Map<string, Run>()
  let generation = 0

  function store(key: string, positions: readonly CountedPosition[]) {
    const now = clock.now()
    let stored = 0
    for (const [otherKey, other] of computed) {
      if (other.expiresAt <= now) computed.delete(otherKey)
      else stored += 1 + other.positions.length
    }
    if (stored + positions.length < maxPositions) computed.set(key, { positions, expiresAt: now + maxAgeMs })
  }

  async function start(key: string, run: Run, request: AssignedOrderRequest) {
    run.startedIn = generation
    const positions = await compute(request)
    if (run.startedIn === generation) store(key, positions)
    return positions
  }

  return {
    get: request => {
      const key = JSON.stringify([request.owner, request.search ?? '', request.order])
      const known = computed.get(key)
      if (known && clock.now() < known.expiresAt) return Promise.resolve(known.positions)
      const current = runs.get(key)
      if (current && (current.startedIn ?? generation) === generation) return current.result
      const run: Run = {
        result: Promise.resolve(current?.result)
          .catch(() => {})
          .then(() => start(key, run, request))
          .finally(() => {
            if (runs.get(key) === run) runs.delete(key)
          }),
      }
      runs.set(key, run)
      return run.result
    },
    clear: () => {
      generation += 1
      computed.clear()
    },
  }
}
