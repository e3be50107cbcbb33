/** Where the time comes from, so that tests can turn it. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** A clock that stands still until it is turned. */
export function createManualClock(start = Date.UTC(2026, 0, 5, 9)): Clock & { advance(ms: number): void } {
  let now = start
  return {
    now: () => now,
    advance: ms => {
      now += ms
    },
  }
}
