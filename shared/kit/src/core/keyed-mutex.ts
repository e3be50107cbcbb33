export interface KeyedMutex {
  /** Work with the same key runs one after the other in this process, in the order of the calls. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

/**
 * Prevents concurrent transactions on the same document. MongoDB lets one of them commit and aborts
 * the others, so under load hardly any succeeds. Other processes can still conflict, but rarely. A
 * call waits at most `maxWaitMs` for the one before, because work that hangs must not block others.
 */
export function createKeyedMutex(maxWaitMs = 5_000): KeyedMutex {
  const last = new Map<string, Promise<void>>()

  return {
    run: async (key, work) => {
      const previous = last.get(key)
      const { promise: current, resolve: release } = Promise.withResolvers<void>()
      last.set(key, current)
      try {
        if (previous) await waitAtMost(previous, maxWaitMs)
        return await work()
      } finally {
        release()
        if (last.get(key) === current) last.delete(key)
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
