export type Outcome = PromiseSettledResult<void>

export interface KeyedBatcher<T> {
  /** Settles with the outcome of this item. */
  add(key: string, item: T): Promise<void>
}

export interface KeyedBatcherOptions<T> {
  /**
   * Whether `next` may join the batch of `first`. If not, the batch ends before it: order is kept.
   */
  canShareBatch(first: T, next: T): boolean
  maxBatch?: number
  /** Batches of different keys that run at the same time. */
  maxConcurrent?: number
  /** A batch that runs longer than this (ms) no longer blocks its key. */
  releaseKeyAfterMs?: number
}

interface QueuedItem<T> {
  item: T
  settle(outcome: Outcome): void
}

/**
 * Runs one batch for each key at a time, in order, unless a batch hangs. Items that arrive while a
 * batch runs form the next one. A backlog therefore costs a few batches instead of one for each
 * item. `work` returns one outcome for each item, in order. Keys are served in the order of their
 * requests.
 */
export function createKeyedBatcher<T>(
  work: (items: readonly T[]) => Promise<readonly Outcome[]>,
  { canShareBatch, maxBatch = 50, maxConcurrent = 16, releaseKeyAfterMs = 5_000 }: KeyedBatcherOptions<T>,
): KeyedBatcher<T> {
  /** Holds a key while its batch runs or waits. */
  const queues = new Map<string, QueuedItem<T>[]>()
  const readyKeys: string[] = []
  let running = 0

  function startBatches() {
    while (running < maxConcurrent && readyKeys.length > 0) startBatch(readyKeys.shift()!)
  }

  function startBatch(key: string) {
    const queue = queues.get(key)!
    const [first] = queue as [QueuedItem<T>]
    let count = 1
    while (count < Math.min(maxBatch, queue.length) && canShareBatch(first.item, queue[count]!.item)) count += 1
    const batch = queue.splice(0, count)
    running += 1
    let isReleased = false
    const release = () => {
      if (isReleased) return
      isReleased = true
      clearTimeout(timer)
      running -= 1
      if (queue.length > 0) readyKeys.push(key)
      else queues.delete(key)
      startBatches()
    }
    const timer = setTimeout(release, releaseKeyAfterMs)
    work(batch.map(({ item }) => item))
      .catch((reason: unknown) => batch.map((): Outcome => ({ status: 'rejected', reason })))
      .then(outcomes => {
        for (const [index, { settle }] of batch.entries()) settle(outcomes[index]!)
        release()
      })
  }

  return {
    add: (key, item) =>
      new Promise((resolve, reject) => {
        const settle = (outcome: Outcome) => (outcome.status === 'fulfilled' ? resolve() : reject(outcome.reason))
        const queue = queues.get(key)
        if (queue) queue.push({ item, settle })
        else {
          queues.set(key, [{ item, settle }])
          readyKeys.push(key)
          startBatches()
        }
      }),
  }
}
