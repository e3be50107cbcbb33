import { limits } from '@watchline/contracts/limits'
import type { Lock } from './live-store.ts'
import type { LiveStoreAdapter } from './live-store-adapter.ts'

const dayMs = 24 * 3600_000
const maxVersions = 100_000

/**
 * The live store of the all-in-one process and of tests that need no Redis. What has expired is dropped along the way,
 * so that it grows with what is live only.
 */
export function createMemoryLiveStore(): LiveStoreAdapter {
  /** Person to sessions; persons in the order they were last heard. */
  const people = new Map<string, Map<string, { loginTime: number; at: number }>>()
  const arrived = new Set<string>()
  const left = new Set<string>()
  const locks = expiring<Lock>(lock => lock.expiresAt)
  const revocations = expiring<number>(until => until + dayMs)
  const windows = expiring<{ count: number; resetsAt: number }>(window => window.resetsAt)
  const versions = new Map<string, number>()
  let lastVersion = 0
  let unraised = nextVersion()
  let unraisedSince = Date.now()

  /** Above every number of an earlier process, unless that one raised a thousand versions a millisecond. */
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
          for (const [other, session] of sessions) {
            if (session.at < at - 2 * limits.presenceActiveMs) sessions.delete(other)
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
        return { total: active.length, personIds: active.slice(offset, offset + limit).map(each => each.personId) }
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
        // Persons stand in the order they were last heard.
        for (const personId of people.keys()) {
          if (latestOf(personId, now) || left.size >= limit) break
          people.delete(personId)
          left.add(personId)
        }
        const take = (from: Set<string>) => {
          const taken = [...from].slice(0, limit)
          for (const each of taken) from.delete(each)
          return taken
        }
        return { arrived: take(arrived), left: take(left) }
      },
    },

    locks: {
      async acquire({ personId, sid, fence, playlistId, now, ttlMs, takeOver }) {
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
        if (Date.now() - unraisedSince >= dayMs) {
          unraised = nextVersion()
          unraisedSince = Date.now()
        }
        return keys.map(key => versions.get(key) ?? unraised)
      },
      async bump(keys) {
        if (versions.size > maxVersions) {
          versions.clear()
          unraised = nextVersion()
        }
        for (const key of keys) versions.set(key, nextVersion())
      },
    },

    counters: {
      async hit(key, windowMs, now) {
        const open = windows.get(key)
        const window =
          open && open.resetsAt > now ? { ...open, count: open.count + 1 } : { count: 1, resetsAt: now + windowMs }
        windows.set(key, window, now)
        return { ...window }
      },
      async clear(key) {
        windows.delete(key)
      },
    },

    async ping() {},
    async close() {},
  }
}

/** A map that drops what has expired whenever it has doubled, which costs every write the same. */
function expiring<V>(expiresAt: (value: V) => number) {
  const map = new Map<string, V>()
  let sweepAt = 1_000
  return {
    get: (key: string) => map.get(key),
    delete: (key: string) => map.delete(key),
    entries: () => map.entries(),
    set(key: string, value: V, now: number) {
      map.set(key, value)
      if (map.size < sweepAt) return
      for (const [each, held] of map) if (expiresAt(held) <= now) map.delete(each)
      sweepAt = Math.max(1_000, 2 * map.size)
    },
  }
}
