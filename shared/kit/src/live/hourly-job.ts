import type { Clock } from '../core/clock.ts'
import type { Lifecycle } from '../core/lifecycle.ts'
import { createRepeatedJob } from '../core/repeat.ts'
import type { LiveStore } from './live-store.ts'

const pauseMs = 60_000
const hourMs = 3600_000

export interface HourlyJobOptions {
  /** Names the job among those of all services. */
  name: string
  live: Pick<LiveStore, 'counters'>
  clock: Clock
  /** Receives the error of a failed run, which is retried. Must not throw. */
  onError(error: unknown): void
}

/** Runs the work on each replica soon after its start, and then on one replica an hour. */
export function createHourlyJob(
  run: (signal: AbortSignal) => Promise<unknown>,
  { name, live, clock, onError }: HourlyJobOptions,
): Lifecycle {
  let hasRun = false
  return createRepeatedJob(
    async signal => {
      const { count } = await live.counters.countHit(name, hourMs, clock.now())
      if (hasRun && count > 1) return
      // Until it has ended once, a failure is retried after the pause, not after the hour.
      await run(signal)
      hasRun = true
    },
    { pauseMs, jitter: true, onError },
  )
}
