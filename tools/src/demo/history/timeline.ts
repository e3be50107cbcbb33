/** A clock that moves only when a simulation moves it. */
export interface SimulatedClock {
  now(): number
  /** Never moves back. */
  moveTo(time: number): void
}

export function createSimulatedClock(start: number): SimulatedClock {
  let now = start
  return {
    now: () => now,
    moveTo: time => {
      now = Math.max(now, time)
    },
  }
}

export interface Timeline {
  /** Adds an action at an instant, in ms. Actions of the same instant run concurrently. */
  add(at: number, action: () => Promise<unknown>): void
  /**
   * Performs all actions in the order of time. `waitUntilConsumed` runs before each long pause and
   * at the end.
   */
  play(clock: SimulatedClock, waitUntilConsumed: () => Promise<void>): Promise<void>
}

/** Events must not be consumed at the time after a longer pause, so they are awaited before it. */
const longPauseMs = 30_000

export function createTimeline(): Timeline {
  const actions: { at: number; action: () => Promise<unknown> }[] = []
  return {
    add: (at, action) => {
      actions.push({ at, action })
    },
    play: async (clock, waitUntilConsumed) => {
      const instants = Map.groupBy(
        actions.toSorted((first, second) => first.at - second.at),
        ({ at }) => at,
      )
      for (const [at, batch] of instants) {
        if (at - clock.now() > longPauseMs) await waitUntilConsumed()
        clock.moveTo(at)
        await Promise.all(batch.map(({ action }) => action()))
      }
      await waitUntilConsumed()
    },
  }
}

export interface DemoCalendar {
  /** The instant in ms of a time (UTC, `hh:mm`) so many days ago. */
  day(daysAgo: number, time: string): number
  minutesAgo(minutes: number): number
}

export function createDemoCalendar(now: number): DemoCalendar {
  const midnight = new Date(now).setUTCHours(0, 0, 0, 0)
  return {
    day: (daysAgo, time) => {
      const [hours, minutes] = time.split(':').map(Number) as [number, number]
      return midnight - daysAgo * 24 * 3600_000 + (hours * 60 + minutes) * 60_000
    },
    minutesAgo: minutes => now - minutes * 60_000,
  }
}
