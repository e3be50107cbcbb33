import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, fireEvent, screen } from '@testing-library/react'
import { useRef } from 'react'
import { useIdleControls } from '../../src/features/player/controls/use-idle-controls.ts'
import { initialState } from '../../src/features/player/machine/playback-state.ts'
import { ArrivalBanner } from '../../src/features/player/session/session-notices.tsx'
import type { SessionRunner } from '../../src/features/player/session/session-runner.ts'
import { renderScreen } from '../support/render.tsx'
import { makeSessionPlaylist } from './_session-driver.ts'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => {
  cleanup()
  jest.useRealTimers()
})
const pass = (ms: number) => act(() => jest.advanceTimersByTime(ms))

function Stage({ isPlaying }: { isPlaying: boolean }) {
  const stage = useRef<HTMLDivElement>(null)
  const isIdle = useIdleControls(stage, isPlaying)
  return (
    <div ref={stage} data-testid="stage" data-idle={isIdle || undefined}>
      <button type="button">Pause</button>
    </div>
  )
}

const isIdle = () => screen.getByTestId('stage').dataset.idle === 'true'

describe('the controls over the picture', () => {
  test('fade after 3 seconds of playing, and return on movement and on pause', () => {
    const { rerender } = renderScreen(<Stage isPlaying />)
    pass(2_900)
    expect(isIdle()).toBe(false)
    pass(200)
    expect(isIdle()).toBe(true)
    for (const move of [fireEvent.pointerMove, fireEvent.pointerDown, fireEvent.keyDown]) {
      move(screen.getByTestId('stage'))
      expect(isIdle()).toBe(false)
      pass(3_100)
      expect(isIdle()).toBe(true)
    }
    rerender(<Stage isPlaying={false} />)
    expect(isIdle()).toBe(false)
    pass(10_000)
    expect(isIdle()).toBe(false)
  })

  test('stay while one of them has the keyboard focus', () => {
    renderScreen(<Stage isPlaying />)
    const button = screen.getByRole('button', { name: 'Pause' })
    fireEvent.keyDown(document.body, { key: 'Tab' })
    act(() => button.focus())
    pass(10_000)
    expect(isIdle()).toBe(false)
    act(() => button.blur())
    pass(6_100)
    expect(isIdle()).toBe(true)
  })
})

test('the banner of an opened session leaves after 5 seconds', () => {
  const send = jest.fn<SessionRunner['send']>()
  const view = { ...initialState(makeSessionPlaylist()), phase: 'playing', banner: 'resumed' } as const
  renderScreen(<ArrivalBanner view={view} runner={{ send } as Partial<SessionRunner> as SessionRunner} />)
  expect(screen.getByText(/Resuming from previous session/)).toBeTruthy()
  pass(4_900)
  expect(send).not.toHaveBeenCalled()
  pass(200)
  expect(send.mock.calls).toEqual([[{ type: 'dismiss-banner' }]])
})
