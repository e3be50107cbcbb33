import { randomInt } from 'node:crypto'
import type { Logger } from '../observability/log.ts'
import type { LiveStoreAdapter } from './live-store-adapter.ts'
import { createRedisClient } from './redis-client.ts'
import { createRedisLocks } from './redis-locks.ts'
import { createRedisPresence } from './redis-presence.ts'

const dayMs = 24 * 3600_000
/** Longer than the shared version lives: see `versions`. */
const versionTtlMs = 7 * dayMs
/** The upper bound of `randomInt`. */
const maxVersion = 2 ** 48 - 1

/**
 * The live store on Redis 6.2 or newer. Every command and script touches one key, or keys of one
 * hash tag, and every key expires. `now` is the caller's clock. Expiries only clean up; they follow
 * Redis' clock and are longer. While Redis is unavailable, calls reject at once with
 * LiveStoreUnavailable.
 */
export function createRedisLiveStore(options: {
  url: string
  prefix?: string
  /** The service. Its change versions and counters have keys that its Redis user alone may use. */
  owner?: string
  log?: Pick<Logger, 'info' | 'warn'>
  /** Longer than the default of a second in tests, whose machine may be slow. */
  commandTimeoutMs?: number
}): LiveStoreAdapter {
  const { url, prefix = 'watchline:', owner, log, commandTimeoutMs } = options
  const ownPrefix = owner ? `${prefix}${owner}:` : prefix
  const client = createRedisClient(url, { log, commandTimeoutMs })
  const revocationsKey = `${prefix}{revocations}`
  const sharedVersionKey = `${ownPrefix}{version-unraised}`
  const versionKey = (name: string) => `${ownPrefix}version:{${name}}`
  const counterKey = (name: string) => `${ownPrefix}counter:{${name}}`

  return {
    presence: createRedisPresence(client, prefix),
    locks: createRedisLocks(client, prefix),

    revocations: {
      async add(sid, until, now = Date.now()) {
        await client.script('revoke', revocationsKey, sid, until, now - dayMs, Math.max(0, until - now) + dayMs)
      },
      all: now => client.call(redis => redis.zrangebyscore(revocationsKey, `(${now}`, '+inf')),
      async has(sid, now) {
        return Number((await client.call<string | null>(redis => redis.zscore(revocationsKey, sid))) ?? now) > now
      },
    },

    // Versions are random (of 2^48), so none repeats when Redis loses data or a key expires. Keys
    // without a version share one number, which lives shorter than any version. So when a version
    // expires, the shared number differs from the one that was read before the bump.
    versions: {
      async get(keys) {
        if (keys.length === 0) return []
        const [shared, ...versions] = await client.pipeline<string | null>(pipeline => {
          pipeline.get(sharedVersionKey)
          for (const name of keys) pipeline.get(versionKey(name))
        })
        const fallback = versions.includes(null)
          ? Number(shared ?? (await client.script('readSharedVersion', sharedVersionKey, dayMs)))
          : 0
        return versions.map(version => (version === null ? fallback : Number(version)))
      },
      async bump(keys) {
        if (keys.length === 0) return
        const version = randomInt(maxVersion)
        await client.pipeline(pipeline => {
          for (const name of keys) pipeline.set(versionKey(name), version, 'PX', versionTtlMs)
        })
      },
    },

    counters: {
      async countHit(name, windowMs, now) {
        const [count, resetsAt] = await client.script<[number, string]>(
          'countHit',
          counterKey(name),
          ...[now, now + windowMs, 2 * windowMs],
        )
        return { count, resetsAt: Number(resetsAt) }
      },
      countAttempt: (name, policy, now) =>
        client.script<number>(
          'countAttempt',
          counterKey(name),
          ...[now, policy.freeAttempts, policy.firstWaitMs, policy.longestWaitMs, policy.forgetAfterMs],
        ),
      async clear(name) {
        await client.call(redis => redis.del(counterKey(name)))
      },
    },

    get failures() {
      return client.failures
    },
    async ping() {
      await client.call(redis => redis.ping())
    },
    close: client.close,
  }
}
