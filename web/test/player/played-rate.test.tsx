import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, render, renderHook, screen } from '@testing-library/react'
import { SpeedSelect } from '../../src/features/player/controls/speed-select.tsx'
import { usePlayedRate } from '../../src/features/player/controls/use-played-rate.ts'
import type { SessionRunner } from '../../src/features/player/session/session-runner.ts'
import { createSubscribable } from '../../src/ui/hooks/subscribable.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => {
  cleanup()
  jest.useRealTimers()
})

function showRate(chosenRate: number) {
  const view = createSubscribable({ phase: 'playing' })
  const clock = createSubscribable({ rate: chosenRate })
  const runner = { view, clock } as unknown as SessionRunner
  const { result, rerender } = renderHook(({ rate }) => usePlayedRate(runner, rate), {
    initialProps: { rate: chosenRate },
  })
  return {
    shown: () => result.current,
    choose: (rate: number) => rerender({ rate }),
    play: (phase: string, rate: number) =>
      act(() => {
        view.set({ phase })
        clock.set({ rate })
      }),
    pass: (ms: number) => act(() => jest.advanceTimersByTime(ms)),
  }
}

describe('the shown speed', () => {
  test('is the one at which the video keeps playing, also while it loads', () => {
    const player = showRate(1)
    player.play('playing', 2)
    expect(player.shown()).toBe(1)
    player.pass(2_000)
    expect(player.shown()).toBe(2)
    player.play('buffering', 2)
    expect(player.shown()).toBe(2)
    player.play('playing', 2)
    player.pass(1_000)
    expect(player.shown()).toBe(2)
    player.play('playing', 1)
    expect(player.shown()).toBe(1)
  })

  test('is a newly chosen one at once', () => {
    const player = showRate(1)
    player.choose(1.5)
    expect(player.shown()).toBe(1.5)
    player.play('playing', 1)
    player.pass(2_000)
    player.choose(2)
    expect(player.shown()).toBe(2)
  })
})

test('a speed that is not credited stands at its place in the list', () => {
  render(<SpeedSelect rate={1.1} maxRate={1.25} onChange={() => {}} />)
  const speeds = screen.getAllByRole<HTMLOptionElement>('option').map(({ textContent }) => textContent)
  expect(speeds.slice(0, -1)).toEqual(['0.5×', '0.75×', '1×', '1.1×', '1.25×'])
})
