import type { Schedule } from '../../../api/schedule.ts'
import { createSubscribable, type Subscribable } from '../../../ui/hooks/subscribable.ts'
import type { Effect, TimerName } from '../machine/playback-types.ts'

export interface SessionTimers {
  /** The time of the next try to load a video that failed, in ms; 0 without one. */
  readonly retryAt: Subscribable<number>
  /** Replaces a timer of the same name. */
  start(timer: Extract<Effect, { type: 'start-timer' }>): void
  stop(name: TimerName): void
  stopAll(): void
}

export interface SessionTimersOptions {
  now: () => number
  random: () => number
  schedule: Schedule
}

/** The timers that the machine starts and stops by name. */
export function createSessionTimers(
  { now, random, schedule }: SessionTimersOptions,
  onTimer: (name: TimerName) => void,
): SessionTimers {
  const cancels = new Map<TimerName, () => void>()
  const retryAt = createSubscribable(0)

  function start(name: TimerName, ms: number, repeat: boolean): void {
    cancels.get(name)?.()
    if (name === 'reload') retryAt.set(now() + ms)
    cancels.set(
      name,
      schedule(ms, () => {
        if (repeat) start(name, ms, repeat)
        else cancels.delete(name)
        onTimer(name)
      }),
    )
  }

  return {
    retryAt,
    start: ({ name, ms, repeat, jitter }) => start(name, jitter ? ms * (0.75 + random() / 2) : ms, repeat),
    stop(name) {
      cancels.get(name)?.()
      cancels.delete(name)
      if (name === 'reload') retryAt.set(0)
    },
    stopAll() {
      for (const cancel of cancels.values()) cancel()
      cancels.clear()
    },
  }
}
