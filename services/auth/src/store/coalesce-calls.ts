/**
 * Runs `work` once for all calls made before the run begins. A call during a run waits for the next
 * run, so that no caller gets an answer from before its call.
 */
export function coalesceCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let currentRun: Promise<unknown> = Promise.resolve()
  let nextRun: Promise<T> | undefined
  return () => {
    nextRun ??= currentRun.then(() => {
      nextRun = undefined
      const run = work()
      currentRun = run.catch(() => {})
      return run
    })
    return nextRun
  }
}
