import { randomInt } from 'node:crypto'
import { limits } from '@watchline/contracts/limits'
import { type ChainableCommander, Redis } from 'ioredis'
import type { Logger } from '../observability/log.ts'
import { LiveStoreUnavailable, type Lock, type Presence } from './live-store.ts'
import type { LiveStoreAdapter } from './live-store-adapter.ts'
import { keysOf, type Scripts, scripts } from './redis-scripts.ts'

const dayMs = 24 * 3600_000
/** Longer than the number of unraised keys lives: see `versions`. */
const versionTtlMs = 7 * dayMs
/** The upper bound of `randomInt`. */
const largestVersion = 2 ** 48 - 1
const presenceTtlMs = 2 * limits.presenceActiveMs
const commandTimeoutMs = 1_000
const maxReconnectMs = 2_000

type Scripted<C> = C & {
  [K in keyof Scripts]: (...args: (string | number)[]) => C extends Redis ? Promise<unknown> : C
}

/**
 * The live store on Redis 6.2 or newer. Every command and script touches one key, or keys of one hash tag; every key
 * expires by itself. `now` is the caller's clock; expiries that merely clean up run on Redis' own and are longer.
 * While Redis is away every call rejects at once with LiveStoreUnavailable.
 */
export function createRedisLiveStore(options: {
  url: string
  prefix?: string
  log?: Pick<Logger, 'info' | 'warn'>
}): LiveStoreAdapter {
  const { url, prefix = 'watchline:', log } = options
  const redis = connect(url, log)
  const key = {
    /** Sorted set of `<sid>|<loginTime>` by last activity. ZADD GT keeps late reports from turning time back. */
    sessions: (personId: string) => `${prefix}presence:{${personId}}`,
    /** Sorted set of persons by last activity. */
    online: `${prefix}{online}`,
    /** Sets of persons: who came and who went since somebody asked. */
    arrived: `${prefix}{online}:arrived`,
    left: `${prefix}{online}:left`,
    lock: (personId: string) => `${prefix}lock:{${personId}}`,
    revocations: `${prefix}{revocations}`,
    version: (name: string) => `${prefix}version:{${name}}`,
    unraised: `${prefix}{version-unraised}`,
    counter: (name: string) => `${prefix}counter:{${name}}`,
  }

  const onlineKeys = [key.online, key.arrived, key.left] as const

  let failures = 0
  let attempted = false
  /** The first commands wait for the first attempt to connect, later ones for nothing. */
  const firstAttempt = new Promise<void>(resolve => {
    const done = () => {
      attempted = true
      resolve()
    }
    redis.once('ready', done)
    redis.once('close', done)
  })

  async function ask<T>(work: () => Promise<unknown>): Promise<T> {
    try {
      if (!attempted) await firstAttempt
      return (await work()) as T
    } catch (error) {
      failures += 1
      throw new LiveStoreUnavailable(`Redis: ${(error as Error).message}`, { cause: error })
    }
  }

  /** One round trip for any number of commands. */
  function pipelined<T>(build: (pipeline: Scripted<ChainableCommander>) => void): Promise<T[]> {
    return ask(async () => {
      const pipeline = redis.pipeline() as Scripted<ChainableCommander>
      build(pipeline)
      const replies = (await pipeline.exec()) ?? []
      return replies.map(([error, reply]) => {
        if (error) throw error
        return reply
      })
    })
  }

  async function script<T>(name: keyof Scripts, ...args: (string | number)[]): Promise<T> {
    return ask(() => redis[name](...args))
  }

  return {
    presence: {
      async report(reports) {
        if (reports.length === 0) return
        const newest = reports.reduce((latest, { at }) => Math.max(latest, at), 0)
        await pipelined(pipeline => {
          for (const { personId, sid, loginTime, at } of reports) {
            const sessions = key.sessions(personId)
            pipeline.zadd(sessions, 'GT', at, `${sid}|${loginTime}`)
            pipeline.zremrangebyscore(sessions, '-inf', `(${at - presenceTtlMs}`)
            pipeline.pexpire(sessions, presenceTtlMs)
          }
          // After the sessions: `forget` relies on it.
          pipeline.noteOnline(
            ...onlineKeys,
            ...[limits.presenceActiveMs, newest - presenceTtlMs, presenceTtlMs],
            ...reports.flatMap(({ personId, at }) => [at, personId]),
          )
        })
      },

      async of(personIds, now) {
        const found = new Map<string, Presence>()
        if (personIds.length === 0) return found
        const replies = await pipelined<string[]>(pipeline => {
          for (const personId of personIds) pipeline.zrevrange(key.sessions(personId), 0, 0, 'WITHSCORES')
        })
        for (const [index, [member, at]] of replies.entries()) {
          if (member === undefined || Number(at) < now - limits.presenceActiveMs) continue
          const bar = member.lastIndexOf('|')
          const loginTime = Number(member.slice(bar + 1))
          found.set(personIds[index]!, { sid: member.slice(0, bar), loginTime, lastActivity: Number(at) })
        }
        return found
      },

      async online(now, { offset, limit }) {
        const since = now - limits.presenceActiveMs
        const [total, personIds] = await pipelined<unknown>(pipeline => {
          pipeline.zcount(key.online, since, '+inf')
          pipeline.zrevrangebyscore(key.online, '+inf', since, 'LIMIT', offset, limit)
        })
        return { total: total as number, personIds: personIds as string[] }
      },

      async removeSession(personId, sid) {
        // The person's place among those online follows from the sessions that are left. A sighting noted meanwhile
        // writes its session first: either the second look below finds it, or its own entry comes after all this.
        const place = (latest: string | null) =>
          script('placeOnline', ...onlineKeys, personId, latest ?? '', presenceTtlMs)
        await place(await script('forgetSession', key.sessions(personId), sid))
        const [latest] = await pipelined<string[]>(p => p.zrevrange(key.sessions(personId), 0, 0, 'WITHSCORES'))
        const at = latest?.[1]
        if (at !== undefined) {
          await pipelined(pipeline => {
            pipeline.zadd(key.online, 'GT', at, personId)
            pipeline.pexpire(key.online, presenceTtlMs)
          })
        }
      },

      async claimChanges(now, limit) {
        const since = now - limits.presenceActiveMs
        const [arrived, left] = await script<[string[], string[]]>('takePresenceChanges', ...onlineKeys, since, limit)
        return { arrived, left }
      },
    },

    locks: {
      async acquire({ personId, sid, fence, playlistId, now, ttlMs, takeOver }) {
        const [held, fields, displaced] = await script<[number, string[], string[]?]>(
          'acquireLock',
          key.lock(personId),
          ...[sid, fence, playlistId, now, now + ttlMs, 2 * ttlMs, takeOver ? 1 : 0],
        )
        const lock = lockFrom(personId, fields)!
        const previous = displaced && lockFrom(personId, displaced)
        return { acquired: held === 1, lock, ...(previous && { previous }) }
      },

      async renew(personId, sid, now, ttlMs, playlistId) {
        const fields = await script<string[] | null>(
          'renewLock',
          key.lock(personId),
          ...[sid, now, now + ttlMs, 2 * ttlMs, playlistId === undefined ? 0 : 1, playlistId ?? ''],
        )
        return lockFrom(personId, fields)
      },

      async get(personId, now) {
        return live(lockFrom(personId, await ask<string[]>(() => redis.hmget(key.lock(personId), ...lockFields))), now)
      },

      async of(personIds, now) {
        const found = new Map<string, Lock>()
        if (personIds.length === 0) return found
        const replies = await pipelined<string[]>(pipeline => {
          for (const personId of personIds) pipeline.hmget(key.lock(personId), ...lockFields)
        })
        for (const [index, fields] of replies.entries()) {
          const lock = live(lockFrom(personIds[index]!, fields), now)
          if (lock) found.set(lock.personId, lock)
        }
        return found
      },

      async release(personId, sid) {
        return lockFrom(personId, await script<string[] | null>('releaseLock', key.lock(personId), sid))
      },
    },

    revocations: {
      async add(sid, until, now = Date.now()) {
        await script('revoke', key.revocations, sid, until, now - dayMs, Math.max(0, until - now) + dayMs)
      },
      all: now => ask(() => redis.zrangebyscore(key.revocations, `(${now}`, '+inf')),
      async has(sid, now) {
        return Number((await ask<string | null>(() => redis.zscore(key.revocations, sid))) ?? now) > now
      },
    },

    // Numbers by chance (of 2^48), so that none comes again when Redis forgets or a key expires, and raising takes no more than
    // setting. Keys without one share the number of `unraised`, which lives shorter than any version: when a version expires,
    // whoever read the shared number before that version was raised finds another one.
    versions: {
      async get(keys) {
        if (keys.length === 0) return []
        const [unraised, ...known] = await pipelined<string | null>(pipeline => {
          pipeline.get(key.unraised)
          for (const name of keys) pipeline.get(key.version(name))
        })
        const other = known.includes(null)
          ? Number(unraised ?? (await script('unraisedVersion', key.unraised, dayMs)))
          : 0
        return known.map(version => (version === null ? other : Number(version)))
      },
      async bump(keys) {
        if (keys.length === 0) return
        const version = randomInt(largestVersion)
        await pipelined(pipeline => {
          for (const name of keys) pipeline.set(key.version(name), version, 'PX', versionTtlMs)
        })
      },
    },

    counters: {
      async hit(name, windowMs, now) {
        const reply = await script<[number, string]>('hitCounter', key.counter(name), now, now + windowMs, 2 * windowMs)
        return { count: reply[0], resetsAt: Number(reply[1]) }
      },
      async clear(name) {
        await ask(() => redis.del(key.counter(name)))
      },
    },

    get failures() {
      return failures
    },
    async ping() {
      await ask(() => redis.ping())
    },

    async close() {
      await redis.quit().catch(() => redis.disconnect())
    },
  }
}

function connect(url: string, log: Pick<Logger, 'info' | 'warn'> | undefined): Scripted<Redis> {
  const redis = new Redis(url, {
    // Fail fast: callers answer 503, and what is live is of no use a minute later.
    enableOfflineQueue: false,
    // Commands of one turn of the event loop share one write to the socket.
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2_000,
    // A connection that died without a word: nothing heard for this long while an answer is due.
    socketTimeout: 3_000,
    // A connection that is gone already would otherwise keep the process for 2 s when it ends.
    disconnectTimeout: 200,
    retryStrategy: times => Math.min(maxReconnectMs, 50 * 2 ** Math.min(times, 10)) * (0.5 + Math.random() / 2),
    scripts: Object.fromEntries(
      Object.entries(scripts).map(([name, lua]) => [name, { lua, numberOfKeys: keysOf[name as keyof Scripts] ?? 1 }]),
    ),
  })
  let away = false
  redis.on('error', error => {
    // One line an outage, not one an attempt.
    if (!away) log?.warn({ reason: error.message }, 'Redis is away')
    away = true
  })
  redis.on('ready', () => {
    if (away) log?.info({}, 'Redis is back')
    away = false
  })
  return redis as Scripted<Redis>
}

const lockFields = ['sid', 'fence', 'playlistId', 'acquiredAt', 'heardAt', 'expiresAt'] as const

function lockFrom(personId: string, fields: readonly (string | null)[] | null | undefined): Lock | undefined {
  const [sid, fence, playlistId, ...times] = fields ?? []
  if (!sid) return undefined
  const [acquiredAt, heardAt, expiresAt] = times.map(Number)
  return {
    personId,
    sid,
    fence: Number(fence),
    playlistId: playlistId!,
    acquiredAt: acquiredAt!,
    heardAt: heardAt!,
    expiresAt: expiresAt!,
  }
}

function live(lock: Lock | undefined, now: number): Lock | undefined {
  return lock && lock.expiresAt > now ? lock : undefined
}
