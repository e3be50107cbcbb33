import { setTimeout as sleep } from 'node:timers/promises'
import type { Lifecycle } from './lifecycle.ts'

export interface RepeatOptions {
  /** From the end of one run to the beginning of the next, and before the first one. */
  pauseMs: number
  /** Varies each pause by a quarter, so that replicas that started together do not run together. */
  jitter?: boolean
  /**
   * Ends a pause when this process creates work. The pauses then only delay the work of a process
   * that died, so they can be long. A failed run is repeated after a second at the earliest.
   */
  wakeup?: Wakeup
  /** Receives the error of a failed run; the next run follows anyway. Must not throw. */
  onError(error: unknown): void
}

/** Ends the pause of a job. The job gets all of it; those who create its work get only `wake`. */
export interface Wakeup {
  /** A wake during a run is followed by another run. */
  wake(): void
  /** Aborted by the first wake after the latest reset. */
  readonly signal: AbortSignal
  reset(): void
}

export function createWakeup(): Wakeup {
  let controller = new AbortController()
  return {
    wake: () => controller.abort(),
    get signal() {
      return controller.signal
    },
    reset: () => {
      controller = new AbortController()
    },
  }
}

const failurePauseMs = 1_000

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
  { pauseMs, jitter = false, wakeup, onError }: RepeatOptions,
  signal: AbortSignal,
): Promise<void> {
  let nextMs = pauseMs
  let hasFailed = false
  while (!signal.aborted) {
    // A job may wake itself before it fails. Without a pause it would then fail again and again.
    const end = wakeup && !hasFailed ? AbortSignal.any([signal, wakeup.signal]) : signal
    // The signal ends a pause early with a rejection.
    await sleep(jitter ? nextMs * (0.75 + Math.random() / 2) : nextMs, undefined, { signal: end }).catch(() => {})
    if (signal.aborted) return
    nextMs = pauseMs
    hasFailed = false
    wakeup?.reset()
    await work(signal).catch(error => {
      hasFailed = true
      if (wakeup) nextMs = Math.min(pauseMs, failurePauseMs)
      onError(error)
    })
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
