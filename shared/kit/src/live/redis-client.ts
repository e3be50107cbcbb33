import { type ChainableCommander, Redis } from 'ioredis'
import type { Logger } from '../observability/log.ts'
import { LiveStoreUnavailable } from './live-store.ts'
import { keysOf, type Scripts, scripts } from './redis-scripts.ts'

type WithScripts<C> = C & {
  [K in keyof Scripts]: (...args: (string | number)[]) => C extends Redis ? Promise<unknown> : C
}

export type RedisPipeline = WithScripts<ChainableCommander>

/**
 * A connection to Redis. While Redis is unavailable, every call rejects at once with
 * LiveStoreUnavailable.
 */
export interface RedisClient {
  call<T>(send: (redis: Redis) => Promise<unknown>): Promise<T>
  /** Sends any number of commands in one round trip. */
  pipeline<T>(build: (pipeline: RedisPipeline) => void): Promise<T[]>
  script<T>(name: keyof Scripts, ...args: (string | number)[]): Promise<T>
  /** The number of calls that were rejected. */
  readonly failures: number
  close(): Promise<void>
}

const maxReconnectMs = 2_000

export interface RedisClientOptions {
  log: Pick<Logger, 'info' | 'warn'> | undefined
  /** How long a command may wait for its answer. Connecting may take twice as long. */
  commandTimeoutMs?: number | undefined
}

export function createRedisClient(url: string, options: RedisClientOptions): RedisClient {
  const redis = connect(url, options)
  let failures = 0
  let hasAttempted = false
  /** The first commands wait for the first attempt to connect; later ones fail at once. */
  const firstAttempt = new Promise<void>(resolve => {
    const endFirstAttempt = () => {
      hasAttempted = true
      resolve()
    }
    redis.once('ready', endFirstAttempt)
    redis.once('close', endFirstAttempt)
  })

  async function callRedis<T>(send: () => Promise<unknown>): Promise<T> {
    try {
      if (!hasAttempted) await firstAttempt
      return (await send()) as T
    } catch (error) {
      failures += 1
      throw new LiveStoreUnavailable(`Redis: ${(error as Error).message}`, { cause: error })
    }
  }

  return {
    call: send => callRedis(() => send(redis)),
    pipeline: build =>
      callRedis(async () => {
        const pipeline = redis.pipeline() as RedisPipeline
        build(pipeline)
        const replies = (await pipeline.exec()) ?? []
        return replies.map(([error, reply]) => {
          if (error) throw error
          return reply
        })
      }),
    script: (name, ...args) => callRedis(() => redis[name](...args)),
    get failures() {
      return failures
    },
    async close() {
      await redis.quit().catch(() => redis.disconnect())
    },
  }
}

function connect(url: string, { log, commandTimeoutMs = 1_000 }: RedisClientOptions): WithScripts<Redis> {
  const redis = new Redis(url, {
    // Fail at once: callers answer 503, and live state is worthless a minute later.
    enableOfflineQueue: false,
    // Commands of one tick of the event loop share one write to the socket.
    enableAutoPipelining: true,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    commandTimeout: commandTimeoutMs,
    connectTimeout: 2 * commandTimeoutMs,
    // Closes a silent connection while an answer is due.
    socketTimeout: 3 * commandTimeoutMs,
    // A lost connection would otherwise delay the end of the process by 2 s.
    disconnectTimeout: 200,
    retryStrategy: attempt => Math.min(maxReconnectMs, 50 * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random() / 2),
    scripts: Object.fromEntries(
      Object.entries(scripts).map(([name, lua]) => [name, { lua, numberOfKeys: keysOf[name as keyof Scripts] ?? 1 }]),
    ),
  })
  let isAway = false
  redis.on('error', error => {
    // Once for each outage, not for each attempt.
    if (!isAway) log?.warn({ reason: error.message }, 'Redis is away')
    isAway = true
  })
  redis.on('ready', () => {
    if (isAway) log?.info({}, 'Redis is back')
    isAway = false
  })
  return redis as WithScripts<Redis>
}
