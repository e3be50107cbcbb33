/*
 * Up to a thousand people are read anew for each caller; a larger reading is shared between
 * callers. A shared reading bounds the load on the live store. A change shows up to two seconds
 * late, and times of activity up to ten seconds.
 */
import { limits } from '@watchline/contracts/limits'
import type { Clock } from '@watchline/kit/core/clock'
import type { LiveStore, Lock, Presence } from '@watchline/kit/live/live-store'

export interface OnlinePerson extends Presence {
  personId: string
  /** The person's monitoring lock, if it was renewed within limits.presenceActiveMs. */
  lock: Lock | undefined
}

export interface OnlineReading {
  /** Latest activity first. */
  people: readonly OnlinePerson[]
  /** No version behind the reading has changed since it was read. */
  current: boolean
}

export interface OnlinePeople {
  /** All people online. `keys` are the change versions behind the reading. */
  everyone(keys: readonly string[]): Promise<OnlineReading>
  /** Those of `people` who are online. Callers with the same keys must pass the same people. */
  among(people: readonly { id: string }[], keys: readonly string[]): Promise<OnlineReading>
}

export interface OnlinePeopleDeps {
  live: LiveStore
  clock: Clock
}

/** People in one round trip; above this number a reading is shared. */
const chunkSize = 1_000
/** An unchanged reading is shared this long: activity is not recorded more often. */
const unchangedMs = limits.presenceReportMs
/**
 * A changed reading is shared this long, so that the cost does not grow with the number of callers.
 */
const changedMs = 2_000

interface SharedReading {
  at: number
  versions: readonly number[]
  people: readonly OnlinePerson[]
}

export function createOnlinePeople({ live, clock }: OnlinePeopleDeps): OnlinePeople {
  const readings = new Map<string, SharedReading>()
  const pendingReads = new Map<string, Promise<SharedReading>>()

  async function findOnlineIds(now: number): Promise<string[]> {
    const { total, personIds } = await live.presence.online(now, { offset: 0, limit: chunkSize })
    const ids = new Set(personIds)
    for (let offset = chunkSize; offset < total; offset += chunkSize) {
      const chunk = await live.presence.online(now, { offset, limit: chunkSize })
      for (const personId of chunk.personIds) ids.add(personId)
    }
    return [...ids]
  }

  async function read(personIds: readonly string[], now: number): Promise<OnlinePerson[]> {
    const people: OnlinePerson[] = []
    for (let at = 0; at < personIds.length; at += chunkSize) {
      const chunk = personIds.slice(at, at + chunkSize)
      const [presences, locks] = await Promise.all([live.presence.of(chunk, now), live.locks.of(chunk, now)])
      for (const [personId, presence] of presences) {
        const lock = locks.get(personId)
        const isLockFresh = lock !== undefined && lock.heardAt >= now - limits.presenceActiveMs
        people.push({ personId, ...presence, lock: isLockFresh ? lock : undefined })
      }
    }
    return people.sort(latestFirst)
  }

  async function readShared(
    keys: readonly string[],
    readPeople: (now: number) => Promise<OnlinePerson[]>,
  ): Promise<OnlineReading> {
    const readingKey = keys.join(' ')
    const now = clock.now()
    const versions = await live.versions.get(keys)
    const isCurrent = (reading: SharedReading) => reading.versions.every((version, at) => version === versions[at])
    const shared = readings.get(readingKey)
    const age = shared ? Math.abs(now - shared.at) : Number.POSITIVE_INFINITY
    if (shared && age < changedMs) return { people: shared.people, current: isCurrent(shared) }
    if (shared && isCurrent(shared) && age < 2 * unchangedMs) {
      // Only times of activity can differ, so the caller need not wait for the new reading.
      if (age >= unchangedMs) refresh().catch(() => {})
      return { people: shared.people, current: true }
    }
    const fresh = await refresh()
    return { people: fresh.people, current: isCurrent(fresh) }

    /** Concurrent callers wait for the same read. */
    function refresh(): Promise<SharedReading> {
      const pending = pendingReads.get(readingKey)
      if (pending) return pending
      const started = readPeople(now)
        .then(people => {
          for (const [key, { at }] of readings) if (Math.abs(now - at) >= 2 * unchangedMs) readings.delete(key)
          const reading = { at: now, versions, people }
          readings.set(readingKey, reading)
          return reading
        })
        .finally(() => pendingReads.delete(readingKey))
      pendingReads.set(readingKey, started)
      return started
    }
  }

  return {
    everyone: async keys => {
      const now = clock.now()
      const { total, personIds } = await live.presence.online(now, { offset: 0, limit: chunkSize })
      if (total <= chunkSize) return { people: await read(personIds, now), current: true }
      return readShared(keys, async at => read(await findOnlineIds(at), at))
    },
    among: async (people, keys) => {
      const personIds = people.map(person => person.id)
      return people.length <= chunkSize
        ? { people: await read(personIds, clock.now()), current: true }
        : readShared(keys, at => read(personIds, at))
    },
  }
}

/** Merges two sorted lists up to `count` people. */
export function mergeLatestFirst(
  first: readonly OnlinePerson[],
  second: readonly OnlinePerson[],
  count: number,
): OnlinePerson[] {
  const merged: OnlinePerson[] = []
  for (let a = 0, b = 0; merged.length < count && (a < first.length || b < second.length); ) {
    const candidate = first[a]
    const rival = second[b]
    if (candidate && (!rival || latestFirst(candidate, rival) <= 0)) {
      merged.push(candidate)
      a += 1
    } else {
      merged.push(rival!)
      b += 1
    }
  }
  return merged
}

function latestFirst(a: OnlinePerson, b: OnlinePerson): number {
  return b.lastActivity - a.lastActivity || (a.personId < b.personId ? -1 : 1)
}
