import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { MantineProvider } from '@mantine/core'
import { act, cleanup, render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type Captions, type Cue, noCaptions } from '../../src/features/player/adapters/captions.ts'
import { initialState } from '../../src/features/player/machine/playback-state.ts'
import { DescriptionLine } from '../../src/features/player/transcript/description-line.tsx'
import { TranscriptCard } from '../../src/features/player/transcript/transcript-card.tsx'
import { createSubscribable } from '../../src/ui/hooks/subscribable.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeSessionPlaylist } from './_session-driver.ts'

afterEach(cleanup)

const transcript: Cue[] = [
  { start: 0, end: 4, text: 'Sign in at reception' },
  { start: 4, end: 8, text: 'Wear your badge' },
  { start: 65, end: 70, text: 'Sign out again, <b>always</b>' },
]

function showTranscript(changes: Partial<Captions> = {}) {
  const clock = createSubscribable(initialState(makeSessionPlaylist()).playback)
  const onSeek = jest.fn()
  const source = { clock, runner: undefined, isMoving: false }
  const captions = { ...noCaptions, language: 'en', transcript, ...changes }
  const { container } = render(
    <MantineProvider env="test">
      <TranscriptCard captions={captions} source={source} disabled={false} onSeek={onSeek} />
    </MantineProvider>,
  )
  const list = container.querySelector('ol')!
  return {
    list,
    onSeek,
    goTo: (position: number) => act(() => clock.set({ ...clock.get(), position })),
    presentLine: () => list.querySelector('[aria-current]')?.textContent,
  }
}

describe('the transcript', () => {
  test('lists the captions as text, marks the present one, and goes to a chosen one', async () => {
    const { list, onSeek, goTo, presentLine } = showTranscript()
    expect(list.lang).toBe('en')
    expect(
      within(list)
        .getAllByRole('button')
        .map(({ textContent }) => textContent),
    ).toEqual(['0:00Sign in at reception', '0:04Wear your badge', '1:05Sign out again, <b>always</b>'])
    goTo(5)
    expect(presentLine()).toBe('0:04Wear your badge')
    goTo(30)
    expect(presentLine()).toBe('0:04Wear your badge')
    await userEvent.click(screen.getByRole('button', { name: /Sign out again/ }))
    expect(onSeek).toHaveBeenCalledWith(65)
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('finds lines by their words, marks these and counts the lines', async () => {
    const { list } = showTranscript()
    await userEvent.type(screen.getByRole('searchbox', { name: 'Search the transcript' }), 'SIGN')
    expect(Array.from(list.querySelectorAll('mark'), mark => mark.textContent)).toEqual(['Sign', 'Sign'])
    expect(screen.getByRole('status').textContent).toBe('2 lines found')
    expect(within(list).getAllByRole('listitem')).toHaveLength(2)
  })

  test('follows the video until the reader scrolls the present line away', async () => {
    const { list, goTo } = showTranscript()
    const scrollTo = jest.fn()
    Object.assign(list, { scrollTo })
    Object.defineProperty(list, 'clientHeight', { value: 40 })
    for (const [index, line] of Array.from(list.children).entries())
      Object.defineProperties(line, { offsetTop: { value: index * 40 }, offsetHeight: { value: 40 } })
    goTo(5)
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 40, behavior: 'smooth' })
    list.scrollTop = 40
    act(() => {
      list.dispatchEvent(new Event('wheel'))
      list.scrollTop = 0
      list.dispatchEvent(new Event('scroll'))
    })
    goTo(66)
    expect(scrollTo).toHaveBeenCalledTimes(1)
    await userEvent.click(screen.getByRole('button', { name: 'Back to the present line' }))
    expect(scrollTo).toHaveBeenLastCalledWith({ top: 80, behavior: 'smooth' })
    expect(screen.queryByRole('button', { name: 'Back to the present line' })).toBeNull()
  })
})

test('audio descriptions are spoken while they hold, and shown on request', () => {
  const clock = createSubscribable(initialState(makeSessionPlaylist()).playback)
  const source = { clock, runner: undefined, isMoving: false }
  const { container, rerender } = render(<DescriptionLine descriptions={transcript} source={source} isShown={false} />)
  const line = container.querySelector('[aria-live="polite"]')!
  act(() => clock.set({ ...clock.get(), position: 5 }))
  expect([line.textContent, line.className]).toEqual(['Wear your badge', 'wl-hidden'])
  act(() => clock.set({ ...clock.get(), position: 20 }))
  expect(line.textContent).toBe('')
  rerender(<DescriptionLine descriptions={transcript} source={source} isShown />)
  expect(line.className).not.toBe('wl-hidden')
})
