import type { Clock } from '@watchline/kit/core/clock'

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
