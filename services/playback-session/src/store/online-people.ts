import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore, Lock, Presence } from '@watchline/kit/live/live-store'

export interface Sighted extends Presence {
  personId: string
  /** The lock they hold, if it was heard of lately. */
  lock: Lock | undefined
}

/** Who is online of some people. */
export interface Board {
  /** Latest activity first. */
  all: readonly Sighted[]
  /** Nothing it depends on has changed since it was read. */
  current: boolean
}

export interface OnlineBoard {
  /** `keys` are the versions that stand for who is online and who is known. */
  everybody(keys: readonly string[]): Promise<Board>
  /** Of these people; whoever names the same keys asks for the same. */
  of(people: readonly { id: string }[], keys: readonly string[]): Promise<Board>
}

/** One round trip's worth of people; more than that, and the board is shared between callers. */
const chunk = 1_000
/** As long a board is shared while nobody comes or goes: times of activity are not noted more often either. */
const sharedMs = limits.presenceNoteMs
/** And as long when somebody did, so that the cost of reading does not grow with the number of callers. */
const outdatedMs = 2_000

interface Kept {
  at: number
  versions: readonly number[]
  all: readonly Sighted[]
}

/**
 * Who is online, for everybody who asks. Up to a thousand people are read anew for each caller, in one round trip or two; of more one
 * reading serves everybody, for ten seconds while nothing changes and for two when something did.
 */
export function createOnlineBoard({ live, clock }: { live: LiveStore; clock: Clock }): OnlineBoard {
  const shared = new Map<string, Kept>()
  const readings = new Map<string, Promise<Kept>>()

  async function online(now: number): Promise<string[]> {
    const { total, personIds } = await live.presence.online(now, { offset: 0, limit: chunk })
    const ids = new Set(personIds)
    for (let offset = chunk; offset < total; offset += chunk) {
      const more = await live.presence.online(now, { offset, limit: chunk })
      for (const personId of more.personIds) ids.add(personId)
    }
    return [...ids]
  }

  async function sight(personIds: readonly string[], now: number): Promise<Sighted[]> {
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
    return all.sort(latestFirst)
  }

  /** One reading at a time, kept for a moment. */
  async function sharing(keys: readonly string[], read: (now: number) => Promise<Sighted[]>): Promise<Board> {
    const group = keys.join(' ')
    const now = clock.now()
    const versions = await live.versions.get(keys)
    const isCurrent = (kept: Kept) => kept.versions.every((version, at) => version === versions[at])
    const kept = shared.get(group)
    const age = kept ? Math.abs(now - kept.at) : Number.POSITIVE_INFINITY
    if (kept && age < outdatedMs) return { all: kept.all, current: isCurrent(kept) }
    if (kept && isCurrent(kept) && age < 2 * sharedMs) {
      // Nobody has to wait for news of nothing but times.
      if (age >= sharedMs) readAnew().catch(() => {})
      return { all: kept.all, current: true }
    }
    const fresh = await readAnew()
    return { all: fresh.all, current: isCurrent(fresh) }

    function readAnew(): Promise<Kept> {
      const underWay = readings.get(group)
      if (underWay) return underWay
      const reading = read(now)
        .then(all => {
          for (const [other, { at }] of shared) if (Math.abs(now - at) >= 2 * sharedMs) shared.delete(other)
          shared.set(group, { at: now, versions, all })
          return { at: now, versions, all }
        })
        .finally(() => readings.delete(group))
      readings.set(group, reading)
      return reading
    }
  }

  return {
    everybody: async keys => {
      const now = clock.now()
      const { total, personIds } = await live.presence.online(now, { offset: 0, limit: chunk })
      if (total <= chunk) return { all: await sight(personIds, now), current: true }
      return sharing(keys, async at => sight(await online(at), at))
    },
    of: async (people, keys) =>
      people.length <= chunk
        ? { all: await sight(idsOf(people), clock.now()), current: true }
        : sharing(keys, at => sight(idsOf(people), at)),
  }
}

function idsOf(people: readonly { id: string }[]): string[] {
  return people.map(each => each.id)
}

/** The first so many of two that are each in order. */
export function firstOf(one: readonly Sighted[], other: readonly Sighted[], count: number): Sighted[] {
  const merged: Sighted[] = []
  for (let a = 0, b = 0; merged.length < count && (a < one.length || b < other.length); ) {
    const next = one[a]
    const rival = other[b]
    if (next && (!rival || latestFirst(next, rival) <= 0)) {
      merged.push(next)
      a += 1
    } else {
      merged.push(rival!)
      b += 1
    }
  }
  return merged
}

function latestFirst(a: Sighted, b: Sighted): number {
  return b.lastActivity - a.lastActivity || (a.personId < b.personId ? -1 : 1)
}
