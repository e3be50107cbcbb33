import type { Schedule } from '../api/schedule.ts'
import { longestWaitMs } from './retry-policy.ts'

export interface LaneDeps {
  /** The Web Lock that all tabs of this person share. */
  lockName: string
  locks: Pick<LockManager, 'request'> | undefined
  schedule: Schedule
  log: (message: string, detail: unknown) => void
  isRunning(): boolean
  hasNext(): boolean
  /**
   * Answers the wait before the next entry in ms (0: none); undefined if nothing is left to send.
   */
  sendNext(): Promise<number | undefined>
}

/** Sends entries one after the other and retries after a wait. */
export interface Lane {
  /** Failed attempts in a row. */
  failures: number
  isWaiting(): boolean
  /** Runs alone in this tab and, if the browser has locks, in all tabs of this person. */
  runAlone<T>(task: () => Promise<T>): Promise<T>
  /** Sends now and ends a wait. Resolves when the lane is empty or an attempt failed. */
  drain(): Promise<void>
  /** Cancels the retry. Resolves when the running attempt has ended. */
  stop(): Promise<void>
}

export function createLane({ lockName, locks, schedule, log, isRunning, hasNext, sendNext }: LaneDeps): Lane {
  let last: Promise<unknown> = Promise.resolve()
  let draining: Promise<void> | undefined
  let cancelRetry: (() => void) | undefined

  async function sendUntilEmpty(): Promise<void> {
    for (;;) {
      const waitMs = await sendNext()
      if (waitMs === undefined) return
      if (waitMs > 0) return retryLater(waitMs)
    }
  }

  function retryLater(waitMs: number): void {
    if (!isRunning()) return
    cancelRetry = schedule(waitMs, () => {
      // Also if the outbox is paused now: the lane must not wait for a retry that has passed.
      cancelRetry = undefined
      void drain()
    })
  }

  function stopWaiting(): void {
    cancelRetry?.()
    cancelRetry = undefined
  }

  function drain(): Promise<void> {
    if (!isRunning()) return Promise.resolve()
    stopWaiting()
    draining ??= sendUntilEmpty()
      .catch(error => {
        log('sending failed, retrying', error)
        retryLater(longestWaitMs)
      })
      .finally(() => {
        draining = undefined
        // A call may have been added since the last read.
        if (!cancelRetry && hasNext()) void drain()
      })
    return draining
  }

  return {
    failures: 0,
    isWaiting: () => cancelRetry !== undefined,
    runAlone<T>(task: () => Promise<T>): Promise<T> {
      const result = last.then(async () => (locks ? ((await locks.request(lockName, task)) as T) : task()))
      last = result.catch(() => {})
      return result
    },
    drain,
    stop() {
      stopWaiting()
      return draining ?? Promise.resolve()
    },
  }
}
