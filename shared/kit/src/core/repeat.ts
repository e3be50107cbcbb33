import { setTimeout as sleep } from 'node:timers/promises'
import type { Lifecycle } from './lifecycle.ts'

export interface RepeatOptions {
  /** From the end of one run to the beginning of the next, and before the first one. */
  pauseMs: number
  /** Varies each pause by a quarter, so that replicas that started together do not run together. */
  jitter?: boolean
  /** Receives the error of a failed run; the next run follows anyway. Must not throw. */
  onError(error: unknown): void
}

/** A {@link Lifecycle} that only `stop` ends, so it needs no signal to start. */
export interface RepeatedJob extends Lifecycle {
  start(signal?: AbortSignal): void
  stop(): Promise<void>
}

/** Gets the signal of the end, so that a long run can end early. */
type RepeatedWork = (signal: AbortSignal) => Promise<unknown>

/** Repeats the work until the signal, one run at a time. Resolves when the last run has ended. */
export async function repeat(
  work: RepeatedWork,
  { pauseMs, jitter = false, onError }: RepeatOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // The signal ends a pause early with a rejection.
    await sleep(jitter ? pauseMs * (0.75 + Math.random() / 2) : pauseMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    await work(signal).catch(onError)
  }
}

/**
 * As `repeat`, from `start` to `stop`. Stopping waits for the current run, so the work itself may
 * call `stop` but must not wait for it.
 */
export function createRepeatedJob(work: RepeatedWork, options: RepeatOptions): RepeatedJob {
  let stopping: AbortController | undefined
  let finished: Promise<void> | undefined

  return {
    start: () => {
      stopping = new AbortController()
      finished = repeat(work, options, stopping.signal)
    },
    stop: async () => {
      stopping?.abort()
      await finished
    },
  }
}
