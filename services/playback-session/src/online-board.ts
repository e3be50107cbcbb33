import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/clock'
import type { LiveStore, Lock, Presence } from '@watchline/kit/live-store'

export interface Sighted extends Presence {
  personId: string
  /** The lock they hold, if it was heard of lately. */
  lock: Lock | undefined
}

/** Who is online of some people. */
export interface Board {
  /** Latest activity first. */
  all: readonly Sighted[]
  /** When it was read, ms; a shared one a moment ago. */
  at: number
}

export interface OnlineBoard {
  everybody(): Promise<Board>
  /** Of these people; `group` is what they are called, and the same for all who ask for the same. */
  of(group: string, personIds: readonly string[]): Promise<Board>
}

/** One round trip's worth of people; more than that, and the board is shared between callers for a moment. */
const chunk = 1_000
const sharedMs = 2_000

/**
 * Who is online, for everybody who asks. Up to a thousand people are read anew for each caller, in one or two round trips; of more
 * one reading serves all callers of two seconds, so that its cost does not grow with their number.
 */
export function createOnlineBoard({ live, clock }: { live: LiveStore; clock: Clock }): OnlineBoard {
  const shared = new Map<string, Board>()
  const readings = new Map<string, Promise<Board>>()

  async function online(now: number): Promise<string[]> {
    const { total, personIds } = await live.presence.online(now, { offset: 0, limit: chunk })
    const ids = new Set(personIds)
    for (let offset = chunk; offset < total; offset += chunk) {
      const more = await live.presence.online(now, { offset, limit: chunk })
      for (const personId of more.personIds) ids.add(personId)
    }
    return [...ids]
  }

  async function sight(personIds: readonly string[], now: number): Promise<Board> {
    const all: Sighted[] = []
    for (let at = 0; at < personIds.length; at += chunk) {
      const some = personIds.slice(at, at + chunk)
      const [present, locks] = await Promise.all([live.presence.of(some, now), live.locks.of(some, now)])
      for (const [personId, presence] of present) {
        const lock = locks.get(personId)
        const heard = lock !== undefined && lock.heardAt >= now - limits.presenceActiveMs
        all.push({ personId, ...presence, lock: heard ? lock : undefined })
      }
    }
    return { all: all.sort(latestFirst), at: now }
  }

  /** One reading at a time of what is known to be large, kept for a moment. */
  async function sharing(
    group: string,
    read: (now: number) => Promise<Board>,
    isLarge: (board: Board) => boolean = () => true,
  ): Promise<Board> {
    const now = clock.now()
    const kept = shared.get(group)
    if (kept && Math.abs(now - kept.at) < sharedMs) return kept
    const reading = kept && readings.get(group)
    if (reading) return reading
    const next = read(now)
    readings.set(group, next)
    try {
      const board = await next
      for (const [other, { at }] of shared) if (Math.abs(now - at) >= sharedMs) shared.delete(other)
      if (isLarge(board)) shared.set(group, board)
      return board
    } finally {
      if (readings.get(group) === next) readings.delete(group)
    }
  }

  return {
    everybody: () =>
      sharing(
        '',
        async now => sight(await online(now), now),
        board => board.all.length > chunk,
      ),
    of: (group, personIds) =>
      personIds.length <= chunk ? sight(personIds, clock.now()) : sharing(group, now => sight(personIds, now)),
  }
}

export function latestFirst(a: Sighted, b: Sighted): number {
  return b.lastActivity - a.lastActivity || (a.personId < b.personId ? -1 : 1)
}
