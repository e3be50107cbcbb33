import { setTimeout as sleep } from 'node:timers/promises'

/** Something that one client does again and again, one after the other. */
export interface Lane {
  everyMs: number
  /** Never rejects. */
  step(dueAt: number): Promise<void>
}

/**
 * An open loop: each lane's steps are due at moments of their own (half to one and a half times `everyMs` apart), however long earlier
 * ones take. One that comes late because the one before it was not answered counts from when it was due.
 */
export function pace(lanes: readonly Lane[]) {
  const stopping = new AbortController()
  const until = async (at: number) => {
    const ms = at - performance.now()
    if (ms > 0) await sleep(ms, undefined, { signal: stopping.signal }).catch(() => {})
  }
  const all = lanes.map(async ({ everyMs, step }) => {
    let due = performance.now() + Math.random() * everyMs
    for (;;) {
      await until(due)
      if (stopping.signal.aborted) return
      await step(due)
      due += everyMs * (0.5 + Math.random())
    }
  })
  return {
    /** Nothing more is due; resolves when what is under way is answered. */
    stop: async () => {
      stopping.abort()
      await Promise.all(all)
    },
  }
}
