import { fail } from './errors.ts'

export interface KeyedMutex {
  /**
   * Runs calls with the same key one after the other in this process, in their order. Fails with
   * `overloaded` if too many calls with this key wait already, or if the client has disconnected
   * before the work begins.
   */
  run<T>(key: string, work: () => Promise<T>, isAbandoned?: () => boolean): Promise<T>
}

interface Queue {
  /** Resolves when the latest call has ended. */
  last: Promise<void>
  length: number
}

/**
 * Prevents concurrent transactions on the same document. MongoDB lets one of them commit and aborts
 * the others, so under load hardly any succeeds. Other processes can still conflict, but rarely. A
 * call waits at most `maxWaitMs` for the one before, because work that hangs must not block others.
 *
 * A client that gives up sends its call again. If the calls it gave up kept their places, the queue
 * of a slow machine would only grow, and every answer would come too late.
 */
export function createKeyedMutex(maxWaitMs = 5_000, maxLength = 50): KeyedMutex {
  const queues = new Map<string, Queue>()

  return {
    run: async (key, work, isAbandoned) => {
      const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 }
      if (queue.length === maxLength) fail('overloaded', { retryAfterS: 1 })
      const { last: previous } = queue
      const { promise: current, resolve: release } = Promise.withResolvers<void>()
      queue.last = current
      queue.length += 1
      queues.set(key, queue)
      try {
        if (queue.length > 1) await waitAtMost(previous, maxWaitMs)
        if (isAbandoned?.()) fail('overloaded')
        return await work()
      } finally {
        release()
        queue.length -= 1
        if (queue.length === 0) queues.delete(key)
      }
    },
  }
}

async function waitAtMost(work: Promise<void>, ms: number): Promise<void> {
  const { promise: timeout, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, timeout])
  clearTimeout(timer)
}
