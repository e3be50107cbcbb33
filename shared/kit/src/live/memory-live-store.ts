import { limits } from '@watchline/contracts/limits'
import { type Attempts, countAttempt } from './growing-wait.ts'
import type { Lock } from './live-store.ts'
import type { LiveStoreAdapter } from './live-store-adapter.ts'

const dayMs = 24 * 3600_000
const maxVersions = 100_000

/**
 * The live store of the all-in-one process and of tests without Redis. Writes delete expired
 * entries, so memory does not grow with time.
 */
export function createMemoryLiveStore(): LiveStoreAdapter {
  /** Sessions by person; people in the order of their last activity. */
  const people = new Map<string, Map<string, { loginTime: number; at: number }>>()
  const arrived = new Set<string>()
  const left = new Set<string>()
  const locks = createExpiringMap<Lock>(lock => lock.expiresAt)
  const revocations = createExpiringMap<number>(until => until + dayMs)
  const windows = createExpiringMap<{ count: number; resetsAt: number }>(window => window.resetsAt)
  const attempts = createExpiringMap<Attempts & { expiresAt: number }>(stored => stored.expiresAt)
  const versions = new Map<string, number>()
  let lastVersion = 0
  /** The version of every key that was not bumped lately. */
  let sharedVersion = nextVersion()
  let sharedSince = Date.now()

  /**
   * Above every version of an earlier process, unless that bumped a thousand versions a
   * millisecond.
   */
  function nextVersion(): number {
    lastVersion = Math.max(lastVersion + 1, Date.now() * 1_000)
    return lastVersion
  }

  function latestOf(personId: string, now: number) {
    let latest: { sid: string; loginTime: number; at: number } | undefined
    for (const [sid, session] of people.get(personId) ?? []) {
      if (session.at >= now - limits.presenceActiveMs && (!latest || session.at > latest.at))
        latest = { sid, ...session }
    }
    return latest
  }

  const lockOf = (personId: string, now: number) => {
    const lock = locks.get(personId)
    return lock && lock.expiresAt > now ? { ...lock } : undefined
  }

  return {
    presence: {
      async report(reports) {
        let newest = Number.NEGATIVE_INFINITY
        for (const { personId, sid, loginTime, at } of reports) {
          const sessions = people.get(personId) ?? new Map<string, { loginTime: number; at: number }>()
          const before = sessions.get(sid)
          if (!latestOf(personId, at)) {
            left.delete(personId)
            arrived.add(personId)
          }
          if (before && before.at >= at) continue
          sessions.set(sid, { loginTime, at })
          for (const [otherSid, session] of sessions) {
            if (session.at < at - 2 * limits.presenceActiveMs) sessions.delete(otherSid)
          }
          people.delete(personId)
          people.set(personId, sessions)
          newest = Math.max(newest, at)
        }
        for (const [personId, sessions] of people) {
          if ([...sessions.values()].some(session => session.at >= newest - 2 * limits.presenceActiveMs)) break
          people.delete(personId)
        }
      },

      async of(personIds, now) {
        const found = new Map()
        for (const personId of personIds) {
          const latest = latestOf(personId, now)
          if (!latest) continue
          const { sid, loginTime, at } = latest
          found.set(personId, { sid, loginTime, lastActivity: at })
        }
        return found
      },

      async online(now, { offset, limit }) {
        const active = [...people.keys()].flatMap(personId => {
          const latest = latestOf(personId, now)
          return latest ? [{ personId, at: latest.at }] : []
        })
        active.sort((a, b) => b.at - a.at || (a.personId < b.personId ? 1 : -1))
        return { total: active.length, personIds: active.slice(offset, offset + limit).map(({ personId }) => personId) }
      },

      async removeSession(personId, sid) {
        const sessions = people.get(personId)
        sessions?.delete(sid)
        if (sessions?.size !== 0) return
        people.delete(personId)
        arrived.delete(personId)
        left.add(personId)
      },

      async claimChanges(now, limit) {
        // People are in the order of their last activity.
        for (const personId of people.keys()) {
          if (latestOf(personId, now) || left.size >= limit) break
          people.delete(personId)
          left.add(personId)
        }
        const claim = (changed: Set<string>) => {
          const claimed = [...changed].slice(0, limit)
          for (const personId of claimed) changed.delete(personId)
          return claimed
        }
        return { arrived: claim(arrived), left: claim(left) }
      },
    },

    locks: {
      async acquire({ personId, sid, fence, playlistId, now, ttlMs, takeOver, resetAt }) {
        const current = lockOf(personId, now)
        if (current && current.sid !== sid && (!takeOver || fence < current.fence))
          return { acquired: false, lock: current }
        const own = current?.sid === sid ? current : undefined
        const lock: Lock = {
          personId,
          sid,
          fence: own?.fence ?? fence,
          playlistId,
          acquiredAt: own?.acquiredAt ?? now,
          heardAt: Math.max(own?.heardAt ?? now, now),
          expiresAt: Math.max(own?.expiresAt ?? 0, now + ttlMs),
          resetAt,
        }
        locks.set(personId, lock, now)
        return { acquired: true, lock: { ...lock }, ...(current && !own && { previous: current }) }
      },

      async renew(personId, sid, now, ttlMs, playlistId) {
        const current = lockOf(personId, now)
        if (current?.sid !== sid || (playlistId !== undefined && current.playlistId !== playlistId)) return undefined
        const heardAt = Math.max(current.heardAt, now)
        const lock = { ...current, heardAt, expiresAt: Math.max(current.expiresAt, now + ttlMs) }
        locks.set(personId, lock, now)
        return { ...lock }
      },

      get: async (personId, now) => lockOf(personId, now),

      async of(personIds, now) {
        return new Map(
          personIds.flatMap(personId => {
            const lock = lockOf(personId, now)
            return lock ? [[personId, lock] as const] : []
          }),
        )
      },

      async release(personId, sid) {
        const current = locks.get(personId)
        if (current?.sid !== sid) return undefined
        locks.delete(personId)
        return current
      },
    },

    revocations: {
      async add(sid, until, now = Date.now()) {
        revocations.set(sid, Math.max(until, revocations.get(sid) ?? until), now)
      },
      all: async now => [...revocations.entries()].filter(([, until]) => until > now).map(([sid]) => sid),
      has: async (sid, now) => (revocations.get(sid) ?? now) > now,
    },

    versions: {
      async get(keys) {
        if (Date.now() - sharedSince >= dayMs) {
          sharedVersion = nextVersion()
          sharedSince = Date.now()
        }
        return keys.map(key => versions.get(key) ?? sharedVersion)
      },
      async bump(keys) {
        if (versions.size > maxVersions) {
          versions.clear()
          sharedVersion = nextVersion()
        }
        for (const key of keys) versions.set(key, nextVersion())
      },
    },

    counters: {
      async countHit(key, windowMs, now) {
        const current = windows.get(key)
        const window =
          current && current.resetsAt > now
            ? { ...current, count: current.count + 1 }
            : { count: 1, resetsAt: now + windowMs }
        windows.set(key, window, now)
        return { ...window }
      },
      async countAttempt(key, policy, now) {
        const counted = countAttempt(attempts.get(key), policy, now)
        if (counted.attempts)
          attempts.set(key, { ...counted.attempts, expiresAt: counted.attempts.nextAt + policy.forgetAfterMs }, now)
        return counted.waitMs
      },
      async clear(key) {
        windows.delete(key)
        attempts.delete(key)
      },
    },

    async ping() {},
    async close() {},
  }
}

/**
 * A map that deletes expired entries whenever its size has doubled, so the cost of a write is
 * constant on average.
 */
function createExpiringMap<V>(expiresAt: (value: V) => number) {
  const map = new Map<string, V>()
  let sweepAt = 1_000
  return {
    get: (key: string) => map.get(key),
    delete: (key: string) => map.delete(key),
    entries: () => map.entries(),
    set(key: string, value: V, now: number) {
      map.set(key, value)
      if (map.size < sweepAt) return
      for (const [storedKey, stored] of map) if (expiresAt(stored) <= now) map.delete(storedKey)
      sweepAt = Math.max(1_000, 2 * map.size)
    },
  }
}
