import { LRUCache } from 'lru-cache'
import type { Connection } from 'mongoose'
import type { Logger } from '../observability/log.ts'

export interface DocumentChange {
  id: string
  /** MongoDB's name of the operation: `insert`, `update`, `replace` or `delete`. */
  operationType: string
}

export interface DocumentCacheOptions<T> {
  connection: Connection
  /** The collection whose changes invalidate the cache. */
  collection: string
  /** Reads many entries at once; missing ones are absent from the result. */
  load(keys: string[]): Promise<Map<string, T>>
  maxEntries?: number
  /**
   * The entries that a change of a document invalidates: the entry with the document's id as its
   * key (`id`, the default), all entries (`all`), or the entry with the returned key, if any.
   */
  invalidate?: 'id' | 'all' | ((change: DocumentChange) => string | undefined)
  log: Logger
}

export interface DocumentCache<T> {
  get(key: string): Promise<T | undefined>
  evict(key: string): void
  start(): void
  stop(): Promise<void>
}

interface Lookup<T> {
  resolve(value: T | undefined): void
  reject(error: unknown): void
}

const reopenMs = 500
const maxLoad = 1_000
/** A server answers a change stream without changes after this time. */
const awaitMs = 3_000
/** A silent stream counts as lost, even while the driver tries to resume it. */
const silenceLimitMs = 2 * awaitMs

/**
 * Documents in memory, read in batches and kept until a change stream reports a change, so that a
 * frequent read costs no query. While the stream is lost nothing is cached and every lookup is a
 * query, so no answer is older than a query's.
 */
export function createDocumentCache<T extends {}>(options: DocumentCacheOptions<T>): DocumentCache<T> {
  const { connection, collection, load, maxEntries = 20_000, invalidate = 'id', log } = options
  const entries = new LRUCache<string, { value: T | undefined }>({ max: maxEntries })
  let lookups = new Map<string, Lookup<T>[]>()
  /** Keys that changed during a running load, whose result may be older than the change. */
  let changedDuringLoad = new Set<string>()
  let runningLoads = 0
  /** Grows whenever the cache is cleared; a load of an earlier generation is not cached. */
  let generation = 0
  let lastHeardAt = Number.NEGATIVE_INFINITY
  let running = false
  let stream: ReturnType<Connection['watch']> | undefined
  let reopenTimer: NodeJS.Timeout | undefined

  function evict(key: string) {
    entries.delete(key)
    if (runningLoads > 0) changedDuringLoad.add(key)
  }

  function evictAll() {
    entries.clear()
    generation += 1
  }

  const isLive = () => performance.now() - lastHeardAt < silenceLimitMs

  /** Called at least every `awaitMs`. Entries from before a silence may have missed a change. */
  function recordSign() {
    if (!isLive()) evictAll()
    lastHeardAt = performance.now()
  }

  async function loadRequested() {
    const batch = lookups
    lookups = new Map()
    const keys = [...batch.keys()]
    const startedIn = generation
    runningLoads += 1
    try {
      for (let start = 0; start < keys.length; start += maxLoad) {
        const part = keys.slice(start, start + maxLoad)
        const found = await load(part)
        for (const key of part) {
          const value = found.get(key)
          if (isLive() && startedIn === generation && !changedDuringLoad.has(key)) entries.set(key, { value })
          for (const lookup of batch.get(key) ?? []) lookup.resolve(value)
        }
      }
    } catch (error) {
      for (const lookup of [...batch.values()].flat()) lookup.reject(error)
    } finally {
      runningLoads -= 1
      if (runningLoads === 0) changedDuringLoad = new Set()
    }
  }

  function openStream() {
    if (!running) return
    stream = connection.collection(collection).watch([], { maxAwaitTimeMS: awaitMs }) as typeof stream
    // The driver hides its `init` event. A resume token comes with the first and each empty answer.
    stream!.on('resumeTokenChanged', recordSign)
    stream!.on('change', (change: { operationType: string; documentKey?: { _id: unknown } }) => {
      recordSign()
      if (invalidate === 'all' || !change.documentKey) return evictAll()
      const id = String(change.documentKey._id)
      const key = invalidate === 'id' ? id : invalidate({ id, operationType: change.operationType })
      if (key !== undefined) evict(key)
    })
    const reopen = (error?: unknown) => {
      lastHeardAt = Number.NEGATIVE_INFINITY
      evictAll()
      void stream?.close().catch(() => {})
      if (!running || reopenTimer) return
      if (error) log.warn({ err: error, collection }, 'change stream lost; reading without a cache meanwhile')
      reopenTimer = setTimeout(() => {
        reopenTimer = undefined
        openStream()
      }, reopenMs)
    }
    stream!.on('error', reopen)
    stream!.on('close', () => reopen())
  }

  return {
    get: key => {
      const entry = isLive() ? entries.get(key) : undefined
      if (entry) return Promise.resolve(entry.value)
      return new Promise((resolve, reject) => {
        const waiting = lookups.get(key)
        if (waiting) {
          waiting.push({ resolve, reject })
          return
        }
        if (lookups.size === 0) setImmediate(loadRequested)
        lookups.set(key, [{ resolve, reject }])
      })
    },
    evict,
    start: () => {
      running = true
      openStream()
    },
    stop: async () => {
      running = false
      if (reopenTimer) clearTimeout(reopenTimer)
      reopenTimer = undefined
      await stream?.close().catch(() => {})
      lastHeardAt = Number.NEGATIVE_INFINITY
      entries.clear()
    },
  }
}
