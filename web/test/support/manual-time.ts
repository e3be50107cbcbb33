import { afterEach, jest } from '@jest/globals'
import { act } from '@testing-library/react'

const realTimeout = globalThis.setTimeout
const realNow = performance.now.bind(performance)
const hangMs = 60_000

/**
 * Stops the timers of the browser until the test moves them; requests, promises and frames go on.
 * The queries and waits of the testing library use these timers, so call {@link eventually} and
 * `getBy…` instead.
 */
export function stopTime(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'requestAnimationFrame',
      'cancelAnimationFrame',
      'setImmediate',
      'clearImmediate',
    ],
  })
}

afterEach(() => {
  jest.useRealTimers()
})

/** Moves the timers, and lets the continuations of what they start run. */
export async function advance(ms: number): Promise<void> {
  await act(async () => {
    await jest.advanceTimersByTimeAsync(ms)
  })
  await settle(20)
}

/** Waits until the assertion holds, in real time. */
export async function eventually<T>(assertion: () => T): Promise<T> {
  const deadline = realNow() + hangMs
  for (;;)
    try {
      return assertion()
    } catch (error) {
      if (realNow() > deadline) throw error
      await settle(5)
    }
}

async function settle(ms: number): Promise<void> {
  await act(async () => {
    await new Promise(resolve => realTimeout(resolve, ms))
  })
}
