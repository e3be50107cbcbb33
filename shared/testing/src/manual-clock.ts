import type { Clock } from '@watchline/kit/core/clock'

/** A clock that changes only by `advance`. */
export function createManualClock(start = Date.UTC(2026, 0, 5, 9)): Clock & { advance(ms: number): void } {
  let now = start
  return {
    now: () => now,
    advance: ms => {
      now += ms
    },
  }
}
