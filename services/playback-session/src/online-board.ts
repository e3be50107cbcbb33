import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/clock'
import type { LiveStore, Lock, Presence } from '@watchline/kit/live-store'

export interface Sighted extends Presence {
  personId: string
  /** The lock they hold, if it was heard of lately. */
  lock: Lock | undefined
}

/** Everyone who is online, latest activity first. */
export interface Board {
  all: readonly Sighted[]
  byId: ReadonlyMap<string, Sighted>
}

export interface OnlineBoard {
  read(): Promise<Board>
}

/** One round trip's worth of people; more than that, and the board is shared between callers for a moment. */
const chunk = 1_000
const sharedMs = 2_000

/**
 * Who is online, for everybody who asks: with up to a thousand people online it is read anew for each, three round trips; with
 * more one reading serves all callers of two seconds, so that its cost does not grow with their number.
 */
export function createOnlineBoard({ live, clock }: { live: LiveStore; clock: Clock }): OnlineBoard {
  let shared: { at: number; board: Board } | undefined
  let reading: Promise<Board> | undefined

  async function readNow(now: number): Promise<Board> {
    const { total, personIds } = await live.presence.online(now, { offset: 0, limit: chunk })
    const ids = new Set(personIds)
    for (let offset = chunk; offset < total; offset += chunk) {
      const more = await live.presence.online(now, { offset, limit: chunk })
      for (const personId of more.personIds) ids.add(personId)
    }
    const all: Sighted[] = []
    const everybody = [...ids]
    for (let at = 0; at < everybody.length; at += chunk) {
      const some = everybody.slice(at, at + chunk)
      const [present, locks] = await Promise.all([live.presence.of(some, now), live.locks.of(some, now)])
      for (const [personId, presence] of present) {
        const lock = locks.get(personId)
        const heard = lock !== undefined && lock.heardAt >= now - limits.presenceActiveMs
        all.push({ personId, ...presence, lock: heard ? lock : undefined })
      }
    }
    all.sort((a, b) => b.lastActivity - a.lastActivity || (a.personId < b.personId ? -1 : 1))
    return { all, byId: new Map(all.map(each => [each.personId, each])) }
  }

  return {
    read: async () => {
      const now = clock.now()
      if (shared && Math.abs(now - shared.at) < sharedMs) return shared.board
      if (shared && reading) return reading
      const next = readNow(now)
      reading = next
      try {
        const board = await next
        shared = board.all.length > chunk ? { at: now, board } : undefined
        return board
      } finally {
        if (reading === next) reading = undefined
      }
    },
  }
}
