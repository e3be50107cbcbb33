export type Outcome = PromiseSettledResult<void>

export interface KeyedBatcher<T> {
  /** Settles with what became of this item. */
  add(key: string, item: T): Promise<void>
}

export interface KeyedBatcherOptions<T> {
  /** Whether an item may have its turn with one before it. One that may not ends the turn, for the order is kept. */
  together(first: T, next: T): boolean
  /** Items of one turn; what is more waits for the next. */
  most?: number
  /** Turns of different keys under way at the same moment. */
  atOnce?: number
  /** A batch that runs longer than this (ms) no longer blocks its key. */
  patienceMs?: number
}

interface Waiting<T> {
  item: T
  settle(outcome: Outcome): void
}

/**
 * Like turns (`turns.ts`), but what has come under a key before its turn is worked on together where it may be, in the order in which it came: a
 * backlog costs a few pieces of work instead of one for each. `work` tells of each item what became of it. Keys have their turns in the order in which
 * they asked.
 */
export function createKeyedBatcher<T>(
  work: (items: readonly T[]) => Promise<readonly Outcome[]>,
  { together, most = 50, atOnce = 16, patienceMs = 5_000 }: KeyedBatcherOptions<T>,
): KeyedBatcher<T> {
  /** A key is here while it has its turn or waits for one. */
  const queues = new Map<string, Waiting<T>[]>()
  const asking: string[] = []
  let underWay = 0

  function begin() {
    while (underWay < atOnce && asking.length > 0) take(asking.shift()!)
  }

  function take(key: string) {
    const queue = queues.get(key)!
    const [first] = queue as [Waiting<T>]
    let count = 1
    while (count < Math.min(most, queue.length) && together(first.item, queue[count]!.item)) count += 1
    const taken = queue.splice(0, count)
    underWay += 1
    let passed = false
    const pass = () => {
      if (passed) return
      passed = true
      clearTimeout(timer)
      underWay -= 1
      if (queue.length > 0) asking.push(key)
      else queues.delete(key)
      begin()
    }
    const timer = setTimeout(pass, patienceMs)
    work(taken.map(each => each.item))
      .catch((reason: unknown) => taken.map((): Outcome => ({ status: 'rejected', reason })))
      .then(outcomes => {
        for (const [index, { settle }] of taken.entries()) settle(outcomes[index]!)
        pass()
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
          asking.push(key)
          begin()
        }
      }),
  }
}
