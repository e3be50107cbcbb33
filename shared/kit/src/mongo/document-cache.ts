import { LRUCache } from 'lru-cache'
import type { Connection } from 'mongoose'
import type { Logger } from '../observability/log.ts'
import { type DocumentChange, subscribeToChanges } from './shared-change-stream.ts'

export interface DocumentCacheOptions<T> {
  connection: Connection
  /** The collection whose changes invalidate the cache. */
  collection: string
  /** Reads many entries at once; missing ones are absent from the result. */
  load(keys: string[]): Promise<Map<string, T>>
  maxEntries?: number
  /**
   * The entries that a change of a document invalidates. `id`, the default, is the entry with the
   * document's id as its key; `all` is all entries. A function returns the key of the entry, if
   * any.
   */
  invalidate?: 'id' | 'all' | ((change: DocumentChange) => string | undefined)
  log: Logger
}

export interface DocumentCache<T> {
  /** Rejects if the load fails. */
  get(key: string): Promise<T | undefined>
  evict(key: string): void
  start(): void
  stop(): Promise<void>
}

interface Lookup<T> {
  resolve(value: T | undefined): void
  reject(error: unknown): void
}

const maxLoad = 1_000

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

  function evict(key: string) {
    entries.delete(key)
    if (runningLoads > 0) changedDuringLoad.add(key)
  }

  function evictAll() {
    entries.clear()
    generation += 1
  }

  function onChange(change: DocumentChange) {
    if (invalidate === 'all') return evictAll()
    const key = invalidate === 'id' ? change.id : invalidate(change)
    if (key !== undefined) evict(key)
  }
  const changes = subscribeToChanges(connection, { collection, onChange, onLoss: evictAll }, log)

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
          if (changes.isLive() && startedIn === generation && !changedDuringLoad.has(key)) entries.set(key, { value })
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

  return {
    get: key => {
      const entry = changes.isLive() ? entries.get(key) : undefined
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
    start: changes.start,
    stop: changes.stop,
  }
}
