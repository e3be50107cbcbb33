import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getWatched, type PlaylistWatch } from '@watchline/contracts/engagement'
import { setConnection } from '../../src/api/connection.ts'
import { CreditProvider } from '../../src/features/watch-credit/credit-context.tsx'
import { CreditSummary } from '../../src/features/watch-credit/credit-summary.tsx'
import { CreditedRangesCard } from '../../src/features/watch-credit/credited-ranges-card.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'
import { makeCreditSession } from './_credit-session.ts'
import { makePlaylistWatch, makeVideoWatch } from './_watch-data.ts'

const api = createFakeApi()
const user = userEvent.setup()
let clockMs = 0
let dateNow: ReturnType<typeof jest.spyOn> | undefined
afterEach(() => {
  cleanup()
  dateNow?.mockRestore()
  dateNow = undefined
  act(() => setConnection('live'))
})

function renderCard(playlistWatch: PlaylistWatch = makePlaylistWatch(), videoId = 'v0') {
  api.answer(getWatched, playlistWatch)
  const session = makeCreditSession({ videoId })
  const rendered = renderScreen(
    <CreditProvider session={session}>
      <CreditedRangesCard videoId={videoId} ticks={[20, 40]} />
    </CreditProvider>,
  )
  return { ...rendered, ...session, moveTo: (position: number) => session.clock.set({ position, duration: 250 }) }
}

const findStrip = () => screen.findByRole('img', { name: /^Fire safety/ })

describe('the credited ranges of the video', () => {
  test('are shown as a strip, a percentage and gaps in words', async () => {
    const { shownSecond } = renderCard()
    expect((await findStrip()).getAttribute('aria-label')).toBe(
      'Fire safety: 78% watched; missing 2:10 to 3:05; at 0:00 of 4:10; 2 comments',
    )
    expect(screen.getByText('78%')).toBeTruthy()
    expect(within(screen.getByRole('list', { name: 'Not yet watched' })).getByRole('listitem').textContent).toBe(
      '2:10 to 3:05 not yet watched',
    )
    act(() => shownSecond.set(61))
    expect((await findStrip()).getAttribute('aria-label')).toContain('at 1:01 of 4:10')
    expect(screen.queryByText('What did not count')).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('never show 90% before the video is complete', async () => {
    renderCard(makePlaylistWatch([makeVideoWatch({ completion_rate: 89.9 })]))
    expect((await findStrip()).getAttribute('aria-label')).toMatch(/: 89% watched/)
    expect(screen.queryByText('✓ Completed')).toBeNull()
  })

  test('show when the video is complete, and when nothing is credited yet', async () => {
    renderCard(
      makePlaylistWatch([makeVideoWatch({ completion_rate: 100, completed: true, missing: [], watched: [[0, 250]] })]),
    )
    expect(await screen.findByText('✓ Completed')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Watch what is missing' })).toBeNull()
    cleanup()
    renderCard(
      makePlaylistWatch([makeVideoWatch({ completion_rate: 0, watched: [], missing: [[0, 250]], watch_time: 0 })]),
    )
    expect(await screen.findByText(/Nothing credited yet/)).toBeTruthy()
  })

  test('explain why something did not count', async () => {
    const notes = (['skipped', 'too_fast', 'hidden', 'elsewhere'] as const).map(code => ({
      code,
      times: 2,
      seconds: 55,
    }))
    renderCard(makePlaylistWatch([makeVideoWatch({ notes })]))
    const section = (await screen.findByText('What did not count')).parentElement!
    expect(
      within(section)
        .getAllByRole('listitem')
        .map(item => item.textContent),
    ).toEqual([
      '55 s skipped. It counts once you have watched it.',
      '55 s reported faster than it can be watched. Only time that has really passed counts.',
      '55 s played while the page was hidden. Only visible playback counts.',
      '55 s played while another session was monitored. Only the monitored session counts.',
    ])
  })

  test('do not call seconds skipped that were watched later', async () => {
    const notes = [{ code: 'skipped' as const, times: 1, seconds: 5 }]
    renderCard(makePlaylistWatch([makeVideoWatch({ notes, missing: [], watched: [[0, 250]], completion_rate: 100 })]))
    await findStrip()
    expect(screen.queryByText('What did not count')).toBeNull()
    expect(screen.queryByText(/skipped/)).toBeNull()
  })

  test('name a missed attention check apart, because it costs no credit', async () => {
    renderCard(makePlaylistWatch([makeVideoWatch({ notes: [{ code: 'unanswered', times: 1, seconds: 0 }] })]))
    const section = (await screen.findByText('Attention checks')).parentElement!
    expect(section.textContent).toContain('Your watched time still counts.')
    expect(screen.queryByText('What did not count')).toBeNull()
  })

  test('do not call seconds unwatched that are being confirmed', async () => {
    const { played } = renderCard()
    const list = () => screen.queryByRole('list', { name: 'Not yet watched' })
    await waitFor(() => expect(list()?.textContent).toBe('2:10 to 3:05 not yet watched'))
    act(() => played.set([{ videoId: 'v0', from: 125, to: 140, at: Date.now() }]))
    expect(list()?.textContent).toBe('2:20 to 3:05 not yet watched')
    act(() => played.set([{ videoId: 'v0', from: 125, to: 185, at: Date.now() }]))
    expect(list()).toBeNull()
  })

  test('name five gaps, and all on request', async () => {
    const missing = [10, 30, 50, 70, 90, 110, 130].map((from): [number, number] => [from, from + 5])
    renderCard(makePlaylistWatch([makeVideoWatch({ missing })]))
    expect(within(await screen.findByRole('list', { name: 'Not yet watched' })).getAllByRole('listitem')).toHaveLength(
      5,
    )
    await user.click(screen.getByRole('button', { name: 'Show 2 more' }))
    expect(within(screen.getByRole('list', { name: 'Not yet watched' })).getAllByRole('listitem')).toHaveLength(7)
  })

  test('are replaced by an explanation for a video that cannot be played', async () => {
    renderCard(
      makePlaylistWatch([makeVideoWatch({ unavailable: true }), makeVideoWatch({ video_id: 'v1', title: 'Exits' })]),
    )
    expect(await screen.findByText('This video cannot be played, so it is left out.')).toBeTruthy()
  })
})

describe('playing only the gaps', () => {
  const playlistWatch = makePlaylistWatch([
    makeVideoWatch({
      missing: [
        [20, 30],
        [130, 140],
      ],
    }),
  ])

  test('jumps from gap to gap and pauses after the last', async () => {
    const { goTo, pause, moveTo } = renderCard(playlistWatch)
    await findStrip()
    dateNow = jest.spyOn(Date, 'now').mockImplementation(() => clockMs)
    await user.click(screen.getByRole('button', { name: 'Watch what is missing' }))
    expect(goTo.mock.calls).toEqual([['v0', 19.5]])
    expect(screen.getByText('Gap 1 of 2')).toBeTruthy()
    clockMs += 10_000
    act(() => moveTo(29))
    expect(goTo).toHaveBeenCalledTimes(1)
    act(() => moveTo(30.7))
    expect(goTo.mock.calls.at(-1)).toEqual(['v0', 129.5])
    expect(screen.getByText('Gap 2 of 2')).toBeTruthy()
    clockMs += 12_000
    act(() => moveTo(140.8))
    expect(pause).toHaveBeenCalledTimes(1)
    expect(screen.queryByText(/^Gap/)).toBeNull()
    act(() => moveTo(141.8))
    expect(pause).toHaveBeenCalledTimes(1)
    expect(goTo).toHaveBeenCalledTimes(2)
  })

  test('begins at the chosen gap and stops on request', async () => {
    const { goTo, pause, moveTo } = renderCard(playlistWatch)
    await findStrip()
    dateNow = jest.spyOn(Date, 'now').mockImplementation(() => clockMs)
    await user.click(screen.getByRole('button', { name: '2:10 to 2:20' }))
    expect(goTo.mock.calls).toEqual([['v0', 129.5]])
    await user.click(screen.getByRole('button', { name: 'Back to the whole video' }))
    clockMs += 20_000
    act(() => moveTo(141))
    expect(pause).not.toHaveBeenCalled()
  })
})

describe('the credited figures', () => {
  test('are refreshed promptly when a play ends, and at intervals during a play', async () => {
    const { answerReport } = renderCard()
    await findStrip()
    api.answer(getWatched, makePlaylistWatch([makeVideoWatch({ completion_rate: 85 })]))
    act(() => answerReport('playing'))
    act(() => answerReport('pause'))
    expect(await screen.findByText('85%')).toBeTruthy()
    expect(api.callsOf(getWatched)).toHaveLength(2)
    act(() => answerReport('playing'))
    const laterMs = Date.now() + 20_000
    dateNow = jest.spyOn(Date, 'now').mockImplementation(() => laterMs)
    api.answer(getWatched, makePlaylistWatch([makeVideoWatch({ completion_rate: 88 })]))
    act(() => answerReport('playing'))
    expect(await screen.findByText('88%')).toBeTruthy()
    expect(api.callsOf(getWatched)).toHaveLength(3)
  })

  test('come with the answer to a report, without a call', async () => {
    const { answerReport } = renderCard()
    await findStrip()
    const watched = makePlaylistWatch([makeVideoWatch({ completion_rate: 91 })], { completion_rate: 91 })
    act(() => answerReport('playing', Date.now(), watched))
    expect(await screen.findByText('91%')).toBeTruthy()
    act(() => answerReport('pause', Date.now(), makePlaylistWatch([makeVideoWatch({ completion_rate: 93 })])))
    expect(await screen.findByText('93%')).toBeTruthy()
    expect(api.callsOf(getWatched)).toHaveLength(1)
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(getWatched, 'unavailable')
    renderScreen(<CreditSummary playlistId="p1" />)
    expect(await screen.findByText('Couldn’t load your credited time.')).toBeTruthy()
    api.answer(getWatched, makePlaylistWatch())
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('78%')).toBeTruthy()
  })

  test('are marked as old if a refresh fails', async () => {
    const { answerReport } = renderCard()
    await findStrip()
    api.refuse(getWatched, 'unavailable')
    act(() => answerReport('pause'))
    expect(await screen.findByText('Showing the last loaded data.')).toBeTruthy()
    expect(screen.getByText('78%')).toBeTruthy()
  })

  test('are marked as old without a network', async () => {
    renderCard()
    await findStrip()
    act(() => setConnection('offline'))
    expect(screen.getByText(/Credited as of/)).toBeTruthy()
    expect(screen.getByText('78%')).toBeTruthy()
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('are announced for later if they are unknown and there is no network', async () => {
    api.cut(getWatched)
    renderScreen(<CreditSummary playlistId="p1" />)
    expect(await screen.findByText(/Your credited time is shown when you reconnect/)).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  })
})
