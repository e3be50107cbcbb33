import type { Lock } from './live-store.ts'
import type { LiveStoreAdapter } from './live-store-adapter.ts'
import type { RedisClient } from './redis-client.ts'

const fieldNames = ['sid', 'fence', 'playlistId', 'acquiredAt', 'heardAt', 'expiresAt', 'reset'] as const

/** Keys expire later than their lock, because Redis' clock may differ from the caller's. */
export function createRedisLocks(client: RedisClient, prefix: string): LiveStoreAdapter['locks'] {
  const keyOf = (personId: string) => `${prefix}lock:{${personId}}`

  return {
    async acquire({ personId, sid, fence, playlistId, now, ttlMs, takeOver, resetAt }) {
      const [acquired, fields, displaced] = await client.script<[number, string[], string[]?]>(
        'acquireLock',
        keyOf(personId),
        ...[sid, fence, playlistId, now, now + ttlMs, 2 * ttlMs, takeOver ? 1 : 0, formatReset(resetAt, playlistId)],
      )
      const lock = parseLock(personId, fields)!
      const previous = displaced && parseLock(personId, displaced)
      return { acquired: acquired === 1, lock, ...(previous && { previous }) }
    },

    async renew(personId, sid, now, ttlMs, playlistId) {
      const fields = await client.script<string[] | null>(
        'renewLock',
        keyOf(personId),
        ...[sid, now, now + ttlMs, 2 * ttlMs, playlistId === undefined ? 0 : 1, playlistId ?? ''],
      )
      return parseLock(personId, fields)
    },

    async get(personId, now) {
      const fields = await client.call<string[]>(redis => redis.hmget(keyOf(personId), ...fieldNames))
      return unlessExpired(parseLock(personId, fields), now)
    },

    async of(personIds, now) {
      const found = new Map<string, Lock>()
      if (personIds.length === 0) return found
      const replies = await client.pipeline<string[]>(pipeline => {
        for (const personId of personIds) pipeline.hmget(keyOf(personId), ...fieldNames)
      })
      for (const [index, fields] of replies.entries()) {
        const lock = unlessExpired(parseLock(personIds[index]!, fields), now)
        if (lock) found.set(lock.personId, lock)
      }
      return found
    },

    async release(personId, sid) {
      return parseLock(personId, await client.script<string[] | null>('releaseLock', keyOf(personId), sid))
    },
  }
}

function parseLock(personId: string, fields: readonly (string | null)[] | null | undefined): Lock | undefined {
  const [sid, fence, playlistId, acquiredAt, heardAt, expiresAt, reset] = fields ?? []
  if (!sid) return undefined
  return {
    personId,
    sid,
    fence: Number(fence),
    playlistId: playlistId!,
    acquiredAt: Number(acquiredAt),
    heardAt: Number(heardAt),
    expiresAt: Number(expiresAt),
    resetAt: parseReset(reset, playlistId!),
  }
}

/**
 * Contains the playlist, because a process of an earlier version changes the playlist of a lock and
 * leaves this field as it is.
 */
function formatReset(resetAt: number | undefined, playlistId: string): string {
  return resetAt === undefined ? '' : `${resetAt} ${playlistId}`
}

function parseReset(reset: string | null | undefined, playlistId: string): number | undefined {
  const [resetAt, ofPlaylist] = reset?.split(' ') ?? []
  return ofPlaylist === playlistId ? Number(resetAt) : undefined
}

function unlessExpired(lock: Lock | undefined, now: number): Lock | undefined {
  return lock && lock.expiresAt > now ? lock : undefined
}
