import { LRUCache } from 'lru-cache'
import type { Connection } from 'mongoose'
import type { Logger } from '../observability/log.ts'

type Invalidate = 'id' | 'all'

export interface DocumentCacheOptions<T> {
  connection: Connection
  /** The collection whose changes empty the cache. */
  collection: string
  /** Reads many at once; absent ones are left out of the answer. */
  load(keys: string[]): Promise<Map<string, T>>
  maxEntries?: number
  /** Documents' ids are the cache's keys (`id`, the default), or any change empties it (`all`). */
  invalidate?: Invalidate
  log: Logger
}

export interface DocumentCache<T> {
  get(key: string): Promise<T | undefined>
  forget(key: string): void
  start(): void
  stop(): Promise<void>
}

const retryMs = 500
const loadAtOnce = 1_000
/** How long the server lets a change stream wait before it answers that nothing has changed. */
const awaitMs = 1_000
/** A stream not heard of for so long is away, also while the driver quietly tries to resume it. */
const awayMs = 5 * awaitMs

/**
 * Documents in memory, read in batches and kept until a change stream says that they changed, so that a hot path costs no
 * query. While the stream is away nothing is kept: a lookup is then a query, and never older than one.
 */
export function createDocumentCache<T extends {}>(options: DocumentCacheOptions<T>): DocumentCache<T> {
  const { connection, collection, load, maxEntries = 20_000, invalidate = 'id', log } = options
  const entries = new LRUCache<string, { value: T | undefined }>({ max: maxEntries })
  let wanted = new Map<string, { resolve: (value: T | undefined) => void; reject: (error: unknown) => void }[]>()
  /** Changes while a batch is being read: its answer may be older than they are. */
  let changedMeanwhile = new Set<string>()
  let reading = 0
  let heardAt = Number.NEGATIVE_INFINITY
  let running = false
  let stream: ReturnType<Connection['watch']> | undefined
  let retry: NodeJS.Timeout | undefined

  function forget(key: string) {
    entries.delete(key)
    if (reading > 0) changedMeanwhile.add(key)
  }

  function forgetAll() {
    entries.clear()
    generation += 1
  }
  let generation = 0

  const isLive = () => performance.now() - heardAt < awayMs

  /** The stream answers at least every `awaitMs`; what was kept from before a silence may be older than what it missed. */
  function hear() {
    if (!isLive()) forgetAll()
    heardAt = performance.now()
  }

  async function readWanted() {
    const batch = wanted
    wanted = new Map()
    const keys = [...batch.keys()]
    const readIn = generation
    reading += 1
    try {
      for (let at = 0; at < keys.length; at += loadAtOnce) {
        const part = keys.slice(at, at + loadAtOnce)
        const found = await load(part)
        for (const key of part) {
          const value = found.get(key)
          if (isLive() && readIn === generation && !changedMeanwhile.has(key)) entries.set(key, { value })
          for (const waiter of batch.get(key) ?? []) waiter.resolve(value)
        }
      }
    } catch (error) {
      for (const waiters of batch.values()) for (const waiter of waiters) waiter.reject(error)
    } finally {
      reading -= 1
      if (reading === 0) changedMeanwhile = new Set()
    }
  }

  function follow() {
    if (!running) return
    stream = connection.collection(collection).watch([], { maxAwaitTimeMS: awaitMs }) as typeof stream
    // The driver's `init` stays inside it; a new resume token comes with the first answer and with every empty one.
    stream!.on('resumeTokenChanged', hear)
    stream!.on('change', (change: { operationType: string; documentKey?: { _id: unknown } }) => {
      hear()
      if (invalidate === 'id' && change.documentKey) forget(String(change.documentKey._id))
      else forgetAll()
    })
    const again = (error?: unknown) => {
      heardAt = Number.NEGATIVE_INFINITY
      forgetAll()
      void stream?.close().catch(() => {})
      if (!running || retry) return
      if (error) log.warn({ err: error, collection }, 'change stream lost; reading without a cache meanwhile')
      retry = setTimeout(() => {
        retry = undefined
        follow()
      }, retryMs)
    }
    stream!.on('error', again)
    stream!.on('close', () => again())
  }

  return {
    get: key => {
      const entry = isLive() ? entries.get(key) : undefined
      if (entry) return Promise.resolve(entry.value)
      return new Promise((resolve, reject) => {
        const waiters = wanted.get(key)
        if (waiters) {
          waiters.push({ resolve, reject })
          return
        }
        if (wanted.size === 0) setImmediate(readWanted)
        wanted.set(key, [{ resolve, reject }])
      })
    },
    forget,
    start: () => {
      running = true
      follow()
    },
    stop: async () => {
      running = false
      if (retry) clearTimeout(retry)
      retry = undefined
      await stream?.close().catch(() => {})
      heardAt = Number.NEGATIVE_INFINITY
      entries.clear()
    },
  }
}
