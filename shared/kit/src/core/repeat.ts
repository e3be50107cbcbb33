import { setTimeout as sleep } from 'node:timers/promises'
import type { Lifecycle } from './lifecycle.ts'

export interface RepeatOptions {
  /** Between the end of one run and the beginning of the next; before the first one, too. */
  pauseMs: number
  /** Each pause is as long as chance will have it, from three to five quarters of `pauseMs`: replicas that began together drift apart. */
  spread?: boolean
  /** Told what a run rejected with; the next one comes all the same. Must not throw. */
  failed(error: unknown): void
}

/** A {@link Lifecycle} that only `stop` ends, so it needs no signal to start. */
export interface RepeatedJob extends Lifecycle {
  start(signal?: AbortSignal): void
  stop(): Promise<void>
}

/** Does the work again and again, never twice at once, until the signal. Resolves when what was under way then has ended. */
export async function repeat(
  work: () => Promise<unknown>,
  { pauseMs, spread = false, failed }: RepeatOptions,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    // The signal ends a pause early, by a rejection.
    await sleep(spread ? pauseMs * (0.75 + Math.random() / 2) : pauseMs, undefined, { signal }).catch(() => {})
    if (signal.aborted) return
    await work().catch(failed)
  }
}

/**
 * The same as a part of a service, from its start until it is stopped. Stopping waits for the run under way; so the work itself may stop
 * it, but must not wait for that.
 */
export function createRepeatedJob(work: () => Promise<unknown>, options: RepeatOptions): RepeatedJob {
  let stopping: AbortController | undefined
  let life: Promise<void> | undefined

  return {
    start: () => {
      stopping = new AbortController()
      life = repeat(work, options, stopping.signal)
    },
    stop: async () => {
      stopping?.abort()
      await life
    },
  }
}
