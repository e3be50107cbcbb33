/**
 * Work that is done once for all who asked before it began; who asks while it is under way waits for the next time, so that nobody
 * is answered with what was true before they asked.
 */
export function coalesceCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<unknown> = Promise.resolve()
  let next: Promise<T> | undefined
  return () => {
    next ??= underWay.then(() => {
      next = undefined
      const begun = work()
      underWay = begun.catch(() => {})
      return begun
    })
    return next
  }
}
