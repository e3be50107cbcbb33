export interface KeyedMutex {
  /** Work under one key is done one after the other in this process, in the order in which it came; other keys do not wait. */
  run<T>(key: string, work: () => Promise<T>): Promise<T>
}

/**
 * Keeps transactions that would write the same document from trying at once: of those that meet MongoDB lets one through and the others
 * begin again, so that of a hundred on a busy machine hardly any gets anywhere. Between processes they still meet, but then they are few. Nobody
 * waits longer than `patienceMs` for those before: what hangs must not stop the rest.
 */
export function createKeyedMutex(patienceMs = 5_000): KeyedMutex {
  const last = new Map<string, Promise<void>>()

  return {
    run: async (key, work) => {
      const before = last.get(key)
      const { promise: mine, resolve: done } = Promise.withResolvers<void>()
      last.set(key, mine)
      try {
        if (before) await atMost(before, patienceMs)
        return await work()
      } finally {
        done()
        if (last.get(key) === mine) last.delete(key)
      }
    },
  }
}

async function atMost(work: Promise<void>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  await Promise.race([work, late])
  clearTimeout(timer)
}
