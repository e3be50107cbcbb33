import { setTimeout as sleep } from 'node:timers/promises'

/** A task that one client repeats. Two runs of one lane never overlap. */
export interface Lane {
  /** The mean interval. */
  everyMs: number
  /** `dueAt` is by performance.now(). Never rejects. */
  run(dueAt: number): Promise<void>
}

/**
 * Runs lanes as an open loop. Runs are due at random intervals of half to one and a half times
 * `everyMs`, however long earlier runs take. A delayed run still counts from the moment it was due.
 */
export function startPacing(lanes: readonly Lane[]) {
  const stopping = new AbortController()
  const waitUntil = async (dueAt: number) => {
    const ms = dueAt - performance.now()
    if (ms > 0) await sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})
  }
  const running = lanes.map(async ({ everyMs, run }) => {
    let dueAt = performance.now() + Math.random() * everyMs
    for (;;) {
      await waitUntil(dueAt)
      if (stopping.signal.aborted) return
      await run(dueAt)
      dueAt += everyMs * (0.5 + Math.random())
    }
  })
  return {
    /** Starts no more runs. Resolves when the current ones are done. */
    stop: async () => {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
