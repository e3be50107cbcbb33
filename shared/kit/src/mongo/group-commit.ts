import { fail } from '../core/errors.ts'
import type { Lifecycle } from '../core/lifecycle.ts'
import type { CommitMetrics } from '../observability/metrics.ts'

export type CommitResult<R> = { ok: true; value: R } | { ok: false; error: unknown }

export interface GroupCommitOptions<Item, R> {
  /** Writes a batch durably; one outcome an item, in order. A rejection is everybody's. */
  flush(items: Item[]): Promise<CommitResult<R>[]>
  /** How long the first item of a batch waits for company at the most. */
  windowMs?: number
  /**
   * A batch goes as soon as nothing came for this long. By default some times the usual gap between items: a burst goes when it
   * is over, a steady stream fills the window, and where a window would usually bring less than two others nobody waits long for them.
   */
  quietMs?: number
  maxBatch?: number
  /** Batches under way at a time. More than one is for writes that stay right in any order. */
  atOnce?: number
  /** Items waiting, beyond which callers get 503 `overloaded` at once. */
  maxQueue?: number
  measure?: CommitMetrics
}

export interface GroupCommit<Item, R> extends Lifecycle {
  /** Resolves when this item is durable, rejects when it was refused or its batch failed. */
  submit(item: Item): Promise<R>
  /** Writes what is queued, and refuses new items. */
  stop(): Promise<void>
  readonly waiting: number
}

const quietGaps = 5
const companyInWindow = 2
const shortestQuietMs = 1
const rareQuietMs = 3
/** The weight of the latest gap in the usual one. */
const gapWeight = 1 / 16

/**
 * Group commit: the writes of a few milliseconds become one batch, and each caller is answered only when its own is durable. One
 * batch is under way at a time, unless more are allowed: so batches grow with load and items stay in order.
 */
export function createGroupCommit<Item, R>(options: GroupCommitOptions<Item, R>): GroupCommit<Item, R> {
  const { flush, windowMs = 30, quietMs, maxBatch = 1_000, atOnce = 1, maxQueue = 20_000, measure } = options
  type Entry = { item: Item; resolve: (value: R) => void; reject: (error: unknown) => void }
  let queue: Entry[] = []
  const flushing = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let firstAt = 0
  let lastAt = 0
  let usualGap = windowMs

  function patience() {
    if (quietMs !== undefined) return quietMs
    if (companyInWindow * usualGap > windowMs) return rareQuietMs
    return Math.max(shortestQuietMs, quietGaps * usualGap)
  }

  function schedule() {
    if (flushing.size >= atOnce || queue.length === 0) return
    if (queue.length >= maxBatch) return start()
    if (timer) return
    const now = performance.now()
    const due = Math.min(lastAt + patience(), firstAt + windowMs)
    if (due <= now) return start()
    timer = setTimeout(() => {
      timer = undefined
      schedule()
    }, due - now)
  }

  function start() {
    if (timer) clearTimeout(timer)
    timer = undefined
    if (flushing.size >= atOnce || queue.length === 0) return
    const batch = queue.slice(0, maxBatch)
    queue = queue.slice(maxBatch)
    firstAt = lastAt
    const writing = write(batch).finally(() => {
      flushing.delete(writing)
      if (closed) start()
      else schedule()
    })
    flushing.add(writing)
  }

  async function write(batch: Entry[]) {
    const from = performance.now()
    try {
      const outcomes = await flush(batch.map(entry => entry.item))
      batch.forEach((entry, index) => {
        const outcome = outcomes[index]
        if (outcome?.ok) entry.resolve(outcome.value)
        else entry.reject(outcome ? outcome.error : new Error('a batch answered with too few outcomes'))
      })
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    } finally {
      measure?.written(batch.length, (performance.now() - from) / 1_000)
    }
  }

  measure?.watch(() => queue.length)

  return {
    submit: item =>
      new Promise((resolve, reject) => {
        if (closed || queue.length >= maxQueue) {
          measure?.refused()
          try {
            fail('overloaded', { retryAfterS: 1 })
          } catch (error) {
            reject(error)
          }
          return
        }
        const now = performance.now()
        usualGap += (Math.min(now - lastAt, windowMs) - usualGap) * gapWeight
        lastAt = now
        if (queue.length === 0) firstAt = lastAt
        queue.push({ item, resolve, reject })
        schedule()
      }),
    start: () => {},
    stop: async () => {
      closed = true
      start()
      while (flushing.size > 0) await Promise.all(flushing)
    },
    get waiting() {
      return queue.length
    },
  }
}
