import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getWatched, type PlaylistWatch } from '@watchline/contracts/engagement'
import { setConnection } from '../../src/api/connection.ts'
import { CreditedCard } from '../../src/features/credited/credited-card.tsx'
import { CreditedSummary } from '../../src/features/credited/credited-summary.tsx'
import type { AcceptedReport } from '../../src/features/credited/use-watched.ts'
import { createSubscribable } from '../../src/ui/subscribable.ts'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'
import { makePlaylistWatch, makeVideoWatch } from './_watched.ts'

const api = fakeApi()
const user = userEvent.setup()
let clockMs = 0
let dateNow: ReturnType<typeof jest.spyOn> | undefined
afterEach(() => {
  cleanup()
  dateNow?.mockRestore()
  dateNow = undefined
  act(() => setConnection('live'))
})

function show(watch: PlaylistWatch = makePlaylistWatch(), videoId = 'v0') {
  api.answer(getWatched, watch)
  const clock = createSubscribable({ position: 0, duration: 250 })
  const reported = createSubscribable<AcceptedReport | undefined>(undefined)
  const player = {
    seek: jest.fn<(seconds: number) => void>(),
    play: jest.fn<() => void>(),
    pause: jest.fn<() => void>(),
  }
  const shown = renderScreen(
    <CreditedCard
      playlistId="p1"
      videoId={videoId}
      clock={clock}
      latestReport={reported}
      ticks={[20, 40]}
      {...player}
    />,
  )
  return { ...shown, clock, reported, ...player, at: (position: number) => clock.set({ position, duration: 250 }) }
}

const strip = () => screen.findByRole('img', { name: /^Fire safety/ })

describe('the credited ranges of the video', () => {
  test('are shown as a strip, a percentage, and the gaps in words', async () => {
    const { clock } = show()
    expect((await strip()).getAttribute('aria-label')).toBe(
      'Fire safety: 78% watched; missing 2:10 to 3:05; at 0:00 of 4:10; 2 comments',
    )
    expect(screen.getByText('78%')).toBeTruthy()
    expect(within(screen.getByRole('list', { name: 'Not yet watched' })).getByRole('listitem').textContent).toBe(
      '2:10 to 3:05 not yet watched',
    )
    act(() => clock.set({ position: 61.7, duration: 250 }))
    expect((await strip()).getAttribute('aria-label')).toContain('at 1:01 of 4:10')
    expect(screen.queryByText('What did not count')).toBeNull()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('never shows 90% before it is complete', async () => {
    show(makePlaylistWatch([makeVideoWatch({ completion_rate: 89.9 })]))
    expect((await strip()).getAttribute('aria-label')).toMatch(/: 89% watched/)
    expect(screen.queryByText('✓ Completed')).toBeNull()
  })

  test('says that it is complete, or that nothing is credited yet', async () => {
    show(
      makePlaylistWatch([makeVideoWatch({ completion_rate: 100, completed: true, missing: [], watched: [[0, 250]] })]),
    )
    expect(await screen.findByText('✓ Completed')).toBeTruthy()
    expect(screen.queryByRole('button', { name: /Play just/ })).toBeNull()
    cleanup()
    show(makePlaylistWatch([makeVideoWatch({ completion_rate: 0, watched: [], missing: [[0, 250]], watch_time: 0 })]))
    expect(await screen.findByText(/Nothing credited yet/)).toBeTruthy()
  })

  test('says why something did not count', async () => {
    const notes = (['skipped', 'too_fast', 'hidden', 'elsewhere'] as const).map(code => ({
      code,
      times: 2,
      seconds: 55,
    }))
    show(makePlaylistWatch([makeVideoWatch({ notes })]))
    const section = (await screen.findByText('What did not count')).parentElement!
    expect(
      within(section)
        .getAllByRole('listitem')
        .map(item => item.textContent),
    ).toEqual([
      '0:55 skipped. Skipped parts count once you watch them.',
      '0:55 reported faster than it can be watched. Only time that has really passed counts.',
      '0:55 played while the page was hidden. Only visible playback counts.',
      '0:55 played while another session was monitored. Only the monitored session counts.',
    ])
  })

  test('names five gaps and the rest on demand', async () => {
    const missing = [10, 30, 50, 70, 90, 110, 130].map((from): [number, number] => [from, from + 5])
    show(makePlaylistWatch([makeVideoWatch({ missing })]))
    expect(within(await screen.findByRole('list', { name: 'Not yet watched' })).getAllByRole('listitem')).toHaveLength(
      5,
    )
    await user.click(screen.getByRole('button', { name: 'Show 2 more' }))
    expect(within(screen.getByRole('list', { name: 'Not yet watched' })).getAllByRole('listitem')).toHaveLength(7)
  })

  test('of a video that cannot be played says that it is left out', async () => {
    show(makePlaylistWatch([makeVideoWatch({ unavailable: true }), makeVideoWatch({ video_id: 'v1', title: 'Exits' })]))
    expect(await screen.findByText('This video cannot be played, so it is left out.')).toBeTruthy()
  })
})

describe('playing just the gaps', () => {
  const watch = makePlaylistWatch([
    makeVideoWatch({
      missing: [
        [20, 30],
        [130, 140],
      ],
    }),
  ])

  test('jumps from one to the next and pauses after the last', async () => {
    const { seek, play, pause, at } = show(watch)
    await strip()
    dateNow = jest.spyOn(Date, 'now').mockImplementation(() => clockMs)
    await user.click(screen.getByRole('button', { name: 'Play just the gaps' }))
    expect(seek.mock.calls).toEqual([[19.5]])
    expect(play).toHaveBeenCalledTimes(1)
    expect(screen.getByText('Playing 1 of 2 gaps')).toBeTruthy()
    clockMs += 10_000
    act(() => at(29))
    expect(seek).toHaveBeenCalledTimes(1)
    act(() => at(30.7))
    expect(seek.mock.calls.at(-1)).toEqual([129.5])
    expect(screen.getByText('Playing 2 of 2 gaps')).toBeTruthy()
    clockMs += 12_000
    act(() => at(140.8))
    expect(pause).toHaveBeenCalledTimes(1)
    expect(screen.queryByText(/^Playing/)).toBeNull()
    act(() => at(141.8))
    expect(pause).toHaveBeenCalledTimes(1)
    expect(seek).toHaveBeenCalledTimes(2)
  })

  test('begins at the chosen gap, and stops on request', async () => {
    const { seek, pause, at } = show(watch)
    await strip()
    dateNow = jest.spyOn(Date, 'now').mockImplementation(() => clockMs)
    await user.click(screen.getByRole('button', { name: '2:10 to 2:20' }))
    expect(seek.mock.calls).toEqual([[129.5]])
    await user.click(screen.getByRole('button', { name: 'Stop playing just the gaps' }))
    clockMs += 20_000
    act(() => at(141))
    expect(pause).not.toHaveBeenCalled()
  })
})

describe('the figures', () => {
  test('follow the reports the server takes: at once when a play ends, now and then while it goes on', async () => {
    const { reported } = show()
    await strip()
    api.answer(getWatched, makePlaylistWatch([makeVideoWatch({ completion_rate: 85 })]))
    act(() => reported.set({ type: 'playing' }))
    act(() => reported.set({ type: 'pause' }))
    expect(await screen.findByText('85%')).toBeTruthy()
    expect(api.callsOf(getWatched)).toHaveLength(2)
    act(() => reported.set({ type: 'playing' }))
    const later = Date.now() + 20_000
    dateNow = jest.spyOn(Date, 'now').mockImplementation(() => later)
    api.answer(getWatched, makePlaylistWatch([makeVideoWatch({ completion_rate: 88 })]))
    act(() => reported.set({ type: 'playing' }))
    expect(await screen.findByText('88%')).toBeTruthy()
    expect(api.callsOf(getWatched)).toHaveLength(3)
  })

  test('of the whole playlist stand below, video by video', async () => {
    const videos = [
      makeVideoWatch({ completed: true, completion_rate: 95 }),
      makeVideoWatch({ video_id: 'v1', title: 'Exits', completion_rate: 0, watched: [], missing: [[0, 250]] }),
      makeVideoWatch({ video_id: 'v2', title: 'Gone', unavailable: true }),
    ]
    show(makePlaylistWatch(videos, { completion_rate: 47.6 }))
    expect(
      await screen.findByRole('img', { name: 'Whole playlist: 47% watched; 1 of 2 videos completed' }),
    ).toBeTruthy()
    const list = within(screen.getByRole('region', { name: 'Credited video by video' }))
    expect(list.getAllByRole('listitem').map(item => item.textContent)).toEqual([
      'Fire safety95%',
      'Exits0%',
      'Gonecannot be played; left out',
    ])
    expect(list.getAllByRole('listitem')[0]!.getAttribute('aria-current')).toBe('true')
    expect(await accessibilityFaults()).toEqual([])
  })

  test('that cannot be loaded are loaded again', async () => {
    api.refuse(getWatched, 'unavailable')
    renderScreen(<CreditedSummary playlistId="p1" />)
    expect(await screen.findByText('Your credited time could not be loaded.')).toBeTruthy()
    api.answer(getWatched, makePlaylistWatch())
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('78%')).toBeTruthy()
  })

  test('stay, marked as old, when a later look fails', async () => {
    const { reported } = show()
    await strip()
    api.refuse(getWatched, 'unavailable')
    act(() => reported.set({ type: 'pause' }))
    expect(await screen.findByText('Below is the last data that could be loaded.')).toBeTruthy()
    expect(screen.getByText('78%')).toBeTruthy()
  })

  test('stay, marked as old, without a network', async () => {
    show()
    await strip()
    act(() => setConnection('offline'))
    expect(screen.getByText(/You are offline. This is what was credited/)).toBeTruthy()
    expect(screen.getByText('78%')).toBeTruthy()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('unknown and without a network promise to come', async () => {
    api.cut(getWatched)
    renderScreen(<CreditedSummary playlistId="p1" />)
    expect(await screen.findByText(/Your credited time is shown when you are back/)).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  })
})
