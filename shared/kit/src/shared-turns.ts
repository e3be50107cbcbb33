export type Outcome = PromiseSettledResult<void>

export interface SharedTurns<T> {
  /** Settles with what became of this item. */
  add(key: string, item: T): Promise<void>
}

interface Waiting<T> {
  item: T
  settle(outcome: Outcome): void
}

/** Of one turn; what is more waits for the next. */
const mostAtOnce = 50

/**
 * Like turns (`turns.ts`), but all that has come under a key while somebody else had the turn is worked on together, in the order in
 * which it came: a backlog costs a few pieces of work instead of one for each. `work` tells of each item what became of it. Nobody waits longer
 * than `patienceMs` for those before.
 */
export function createSharedTurns<T>(
  work: (items: readonly T[]) => Promise<readonly Outcome[]>,
  { most = mostAtOnce, patienceMs = 5_000 }: { most?: number; patienceMs?: number } = {},
): SharedTurns<T> {
  /** A key is here while somebody has its turn. */
  const queues = new Map<string, Waiting<T>[]>()

  function next(key: string) {
    const taken = queues.get(key)?.splice(0, most) ?? []
    if (taken.length === 0) {
      queues.delete(key)
      return
    }
    let passed = false
    const pass = () => {
      if (passed) return
      passed = true
      clearTimeout(timer)
      next(key)
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
          next(key)
        }
      }),
  }
}
