import { afterEach, describe, expect, test } from '@jest/globals'
import { act, cleanup, screen, waitFor } from '@testing-library/react'
import { getWatched } from '@watchline/contracts/engagement'
import { setConnection } from '../../src/api/connection.ts'
import { CreditProvider } from '../../src/features/watch-credit/credit-context.tsx'
import { OverallProgress } from '../../src/features/watch-credit/overall-progress.tsx'
import { createFakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'
import { makeCreditSession } from './_credit-session.ts'
import { makePlaylistWatch, makeVideoWatch } from './_watch-data.ts'

const api = createFakeApi()
afterEach(() => {
  cleanup()
  act(() => setConnection('live'))
})

function makeWatch(seconds: number) {
  const video = makeVideoWatch({ duration: 40, completion_rate: seconds * 2.5, watched: [[0, seconds]] })
  return makePlaylistWatch([video], { completion_rate: seconds * 2.5 })
}

async function renderProgress() {
  api.answer(getWatched, makeWatch(20))
  const session = makeCreditSession()
  renderScreen(
    <CreditProvider session={session}>
      <OverallProgress />
    </CreditProvider>,
  )
  expect(await screen.findByText('20 of 40 s watched')).toBeTruthy()
  expect(screen.getByText('50%')).toBeTruthy()
  act(() => session.played.set([{ videoId: 'v0', from: 20, to: 30, at: 1_000 }]))
  expect(screen.getByText(/30 of 40 s watched/).textContent).toContain('(being confirmed)')
  expect(screen.getByText('75%').getAttribute('data-provisional')).toBe('true')
  return session
}

describe('the overall progress of a session', () => {
  test('grows while the video plays, and is firm once the server has confirmed it', async () => {
    const { answerReport } = await renderProgress()
    api.answer(getWatched, makeWatch(30))
    act(() => answerReport('playing', 1_000))
    act(() => answerReport('pause', 1_001))
    await waitFor(() => expect(screen.getByText('75%').getAttribute('data-provisional')).toBeNull())
    expect(screen.getByText('30 of 40 s watched').textContent).not.toContain('being confirmed')
  })

  test('falls back to what the server credits', async () => {
    const { answerReport, played } = await renderProgress()
    act(() => played.set([...played.get(), { videoId: 'v0', from: 30, to: 32, at: 2_000 }]))
    api.answer(getWatched, makeWatch(20))
    act(() => answerReport('pause', 1_000))
    // The part that belongs to the next report stays.
    expect(await screen.findByText(/22 of 40 s watched/)).toBeTruthy()
    act(() => answerReport('pause', 2_000))
    expect(await screen.findByText('20 of 40 s watched')).toBeTruthy()
  })

  test('keeps what is played until the server can be asked', async () => {
    const { answerReport } = await renderProgress()
    api.refuse(getWatched, 'unavailable')
    const callsBefore = api.callsOf(getWatched).length
    act(() => answerReport('pause', 1_000))
    await act(async () => {
      while (api.callsOf(getWatched).length === callsBefore) await new Promise(resolve => setTimeout(resolve, 10))
    })
    expect(screen.getByText(/30 of 40 s watched/)).toBeTruthy()
  })
})
