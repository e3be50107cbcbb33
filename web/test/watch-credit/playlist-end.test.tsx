import { afterEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getWatched, type PlaylistWatch } from '@watchline/contracts/engagement'
import { setConnection } from '../../src/api/connection.ts'
import { CreditProvider } from '../../src/features/watch-credit/credit-context.tsx'
import { OverallProgress } from '../../src/features/watch-credit/overall-progress.tsx'
import { PlaylistEnd } from '../../src/features/watch-credit/playlist-end.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'
import { makeCreditSession } from './_credit-session.ts'
import { makePlaylistWatch, makeVideoWatch } from './_watch-data.ts'

const api = createFakeApi()
const user = userEvent.setup()
afterEach(() => {
  cleanup()
  act(() => setConnection('live'))
})

const incomplete = makePlaylistWatch([
  makeVideoWatch({ completed: true, missing: [[3, 5]] }),
  makeVideoWatch({ video_id: 'v1', title: 'Exits and assembly point', missing: [[2, 15]] }),
])
const completed = { ...incomplete, completed: true, watch_time: 3_900 }

/** The session has sent its last report, at 5,000 ms. */
function renderEnd(watch: PlaylistWatch) {
  api.answer(getWatched, watch)
  const session = makeCreditSession({ playlistEnded: true })
  session.reportedAt.set(5_000)
  let done = 0
  renderScreen(
    <CreditProvider session={session}>
      <PlaylistEnd onDone={() => (done += 1)} />
    </CreditProvider>,
  )
  return { ...session, doneCalls: () => done }
}

const findMissing = () => screen.findByText('1 video still has gaps: Exits and assembly point, 0:02 to 0:15.')
const congratulation = () => screen.queryByText('Congratulations!')

test('the completion is announced when the last gap is filled before the end', async () => {
  api.answer(getWatched, incomplete)
  const session = makeCreditSession()
  renderScreen(
    <CreditProvider session={session}>
      <PlaylistEnd onDone={() => undefined} />
      <OverallProgress />
    </CreditProvider>,
  )
  await screen.findByRole('img')
  expect(screen.queryByText(/Playlist completed/)).toBeNull()
  act(() => session.answerReport('playing', Date.now(), completed))
  expect(await screen.findByText('You have completed “Safety”.')).toBeTruthy()
  expect(screen.queryByRole('alertdialog')).toBeNull()
})

test('a playlist that was completed earlier is not announced', async () => {
  api.answer(getWatched, completed)
  const session = makeCreditSession()
  renderScreen(
    <CreditProvider session={session}>
      <PlaylistEnd onDone={() => undefined} />
      <OverallProgress />
    </CreditProvider>,
  )
  await screen.findByRole('img')
  expect(screen.queryByText(/Playlist completed/)).toBeNull()
})

describe('the message at the end of a playlist', () => {
  test('congratulates when the server says that the playlist is completed, with the credited time', async () => {
    const { doneCalls } = renderEnd(completed)
    const dialog = await screen.findByRole('alertdialog', { name: 'Congratulations!' })
    expect(dialog.textContent).toContain(
      'You have completed “Safety”. Total watch time: 1h 05m, with what you watched again.',
    )
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(within(dialog).getByRole('button', { name: 'Back to Dashboard' }))
    expect(doneCalls()).toBe(1)
  })

  test('names a video that was added since the completion instead of congratulating again', async () => {
    const { answerReport } = renderEnd({ ...completed, new_since_completion: true })
    act(() => answerReport('playlist_completed', 5_000))
    expect(await findMissing()).toBeTruthy()
    expect(congratulation()).toBeNull()
  })

  test('does not judge before the server has answered the last report and credited it', async () => {
    const { answerReport } = renderEnd(incomplete)
    const dialog = await screen.findByRole('alertdialog', { name: 'You reached the end' })
    await within(dialog).findByText(/Total watch time: 3m 15s/)
    expect(within(dialog).getByText('Checking whether anything is missing…')).toBeTruthy()
    // An earlier report decides nothing.
    act(() => answerReport('pause', 4_000))
    api.answer(getWatched, completed)
    expect(congratulation()).toBeNull()
    act(() => answerReport('playlist_completed', 5_000))
    expect(await screen.findByText('Congratulations!')).toBeTruthy()
  })

  test('says what is missing, and plays just that', async () => {
    const { answerReport, goTo, doneCalls } = renderEnd(incomplete)
    act(() => answerReport('playlist_completed', 5_000))
    expect(await findMissing()).toBeTruthy()
    expect(congratulation()).toBeNull()
    expect(document.activeElement?.textContent).toBe('Watch what is missing')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Watch what is missing' }))
    expect(goTo.mock.calls).toEqual([['v1', 1.5]])
    await user.click(screen.getByRole('button', { name: 'Back to Dashboard' }))
    expect(doneCalls()).toBe(1)
  })

  test('says without a network that it is not known yet, and judges after the reconnection', async () => {
    const { answerReport } = renderEnd(incomplete)
    await screen.findByText(/Total watch time/)
    act(() => setConnection('offline'))
    expect(screen.getByText(/You are offline. Your watch time is saved on this device/)).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Watch what is missing' })).toBeNull()
    act(() => answerReport('playlist_completed', 5_000))
    expect(await findMissing()).toBeTruthy()
  })

  test('offers to check again after a failure', async () => {
    const { answerReport } = renderEnd(incomplete)
    await screen.findByText(/Total watch time/)
    api.refuse(getWatched, 'unavailable')
    act(() => answerReport('playlist_completed', 5_000))
    expect(await screen.findByText(/could not be checked/)).toBeTruthy()
    api.answer(getWatched, incomplete)
    expect(document.activeElement?.textContent).toBe('Try Again')
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await findMissing()).toBeTruthy()
  })

  test('adds what is played and not confirmed to the watch time', async () => {
    const { played } = renderEnd(incomplete)
    await screen.findByText(/Total watch time: 3m 15s/)
    act(() => played.set([{ videoId: 'v0', from: 0, to: 10, at: 4_000 }]))
    expect(screen.getByText(/Total watch time: 3m 25s/)).toBeTruthy()
  })
})
