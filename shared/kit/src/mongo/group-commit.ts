import { ServiceError } from '../core/errors.ts'
import type { Lifecycle } from '../core/lifecycle.ts'
import type { CommitMetrics } from '../observability/metrics.ts'

export type CommitResult<R> = { ok: true; value: R } | { ok: false; error: unknown }

export interface GroupCommitOptions<Item, R> {
  /**
   * Writes a batch durably; one result for each item, in order. A rejection rejects all of them.
   */
  flush(items: Item[]): Promise<CommitResult<R>[]>
  /** The longest time (ms) the first item of a batch waits for others. */
  windowMs?: number
  /**
   * A batch is written when no item came for this long (ms). By default it follows the usual gap
   * between items: a burst is written when it ends, and a steady stream fills the window. If a
   * window would usually bring fewer than two other items, the wait is short.
   */
  quietMs?: number
  maxBatch?: number
  /** Batches that are written at the same time. More than one requires writes that commute. */
  maxConcurrent?: number
  /** With more waiting items than this, callers get 503 `overloaded` at once. */
  maxQueue?: number
  /**
   * An item that waited longer than its window and this (ms) when its batch begins is refused with
   * 503 `overloaded`. Must be far below the time that the gateway waits for an answer. Otherwise
   * the client sends the item again while this one is still written. Above the time of a slow
   * batch.
   */
  maxWaitMs?: number
  /** Monotonic, ms. */
  now?: () => number
  metrics?: CommitMetrics
}

export interface GroupCommit<Item, R> extends Lifecycle {
  /**
   * Resolves when the item is durable, rejects when it was refused or its batch failed. An item
   * whose client has gone when its batch begins is refused, because that client sends it again.
   */
  submit(item: Item, isAbandoned?: () => boolean): Promise<R>
  /** Writes what is queued, and refuses new items. */
  stop(): Promise<void>
  readonly waiting: number
}

/**
 * The window (ms) for reports that nobody waits for. From 27 a second on they share a batch; below,
 * each is written at once.
 */
export const backgroundWindowMs = 75

const quietGaps = 5
const minItemsInWindow = 2
const minQuietMs = 1
const lowRateQuietMs = 3
/** The weight of the latest gap in the usual gap. */
const gapWeight = 1 / 16

/**
 * Group commit: writes of a few milliseconds become one batch, and each caller is answered only
 * when its own write is durable. By default one batch is written at a time, so batches grow with
 * the load and items stay in order.
 */
export function createGroupCommit<Item, R>(options: GroupCommitOptions<Item, R>): GroupCommit<Item, R> {
  const { flush, windowMs = 30, quietMs, maxBatch = 1_000, maxConcurrent = 1, maxQueue = 20_000, metrics } = options
  const { maxWaitMs = 5_000, now: readNow = () => performance.now() } = options
  interface Entry {
    item: Item
    isAbandoned: (() => boolean) | undefined
    submittedAt: number
    resolve: (value: R) => void
    reject: (error: unknown) => void
  }
  let queue: Entry[] = []
  const flushing = new Set<Promise<void>>()
  let timer: NodeJS.Timeout | undefined
  let closed = false
  let firstAt = 0
  let lastAt = 0
  let usualGap = windowMs

  function quietTimeMs() {
    if (quietMs !== undefined) return quietMs
    if (minItemsInWindow * usualGap > windowMs) return lowRateQuietMs
    return Math.max(minQuietMs, quietGaps * usualGap)
  }

  function schedule() {
    if (flushing.size >= maxConcurrent || queue.length === 0) return
    if (queue.length >= maxBatch) return start()
    if (timer) return
    const now = readNow()
    const due = Math.min(lastAt + quietTimeMs(), firstAt + windowMs)
    if (due <= now) return start()
    timer = setTimeout(() => {
      timer = undefined
      schedule()
    }, due - now)
  }

  function start() {
    if (timer) clearTimeout(timer)
    timer = undefined
    if (flushing.size >= maxConcurrent || queue.length === 0) return
    const batch = takeBatch()
    firstAt = lastAt
    if (batch.length === 0) return
    const writing = write(batch).finally(() => {
      flushing.delete(writing)
      if (closed) start()
      else schedule()
    })
    flushing.add(writing)
  }

  /** Takes the next batch from the queue, and refuses items that nobody waits for any more. */
  function takeBatch(): Entry[] {
    const earliest = readNow() - windowMs - maxWaitMs
    const batch: Entry[] = []
    let size = 0
    while (size < queue.length && batch.length < maxBatch) {
      const entry = queue[size]!
      size += 1
      if (entry.submittedAt >= earliest && !entry.isAbandoned?.()) batch.push(entry)
      else {
        metrics?.countRefused()
        entry.reject(new ServiceError('overloaded', { retryAfterS: 1 }))
      }
    }
    queue = queue.slice(size)
    return batch
  }

  async function write(batch: Entry[]) {
    const startedAt = performance.now()
    try {
      const outcomes = await flush(batch.map(entry => entry.item))
      batch.forEach((entry, index) => {
        const outcome = outcomes[index]
        if (outcome?.ok) entry.resolve(outcome.value)
        else entry.reject(outcome ? outcome.error : new Error('the batch has no result for this item'))
      })
    } catch (error) {
      for (const entry of batch) entry.reject(error)
    } finally {
      metrics?.recordBatch(batch.length, (performance.now() - startedAt) / 1_000)
    }
  }

  metrics?.observeWaiting(() => queue.length)

  return {
    submit: (item, isAbandoned) =>
      new Promise((resolve, reject) => {
        if (closed || queue.length >= maxQueue) {
          metrics?.countRefused()
          reject(new ServiceError('overloaded', { retryAfterS: 1 }))
          return
        }
        const now = readNow()
        usualGap += (Math.min(now - lastAt, windowMs) - usualGap) * gapWeight
        lastAt = now
        if (queue.length === 0) firstAt = lastAt
        queue.push({ item, isAbandoned, submittedAt: now, resolve, reject })
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
