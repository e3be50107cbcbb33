import { afterEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getWatched } from '@watchline/contracts/engagement'
import { CreditProvider } from '../../src/features/watch-credit/credit-context.tsx'
import { VideoList } from '../../src/features/watch-credit/video-list.tsx'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'
import { makeCreditSession } from './_credit-session.ts'
import { makePlaylistWatch, makeVideoWatch } from './_watch-data.ts'

const api = createFakeApi()
const user = userEvent.setup()
afterEach(cleanup)

const watches = [
  makeVideoWatch({ title: 'Fire safety', completed: true, completion_rate: 95 }),
  makeVideoWatch({
    video_id: 'v1',
    title: 'Exits',
    missing: [
      [20, 30],
      [130, 140],
    ],
  }),
  makeVideoWatch({ video_id: 'v2', title: 'Alarms', completion_rate: 0, watched: [], missing: [[0, 250]] }),
  makeVideoWatch({ video_id: 'v3', title: 'Gone', unavailable: true }),
]

function renderList() {
  const session = makeCreditSession()
  const videos = watches.map(({ video_id: id, title, unavailable }, index) => ({
    id,
    provider: 'file' as const,
    url: `/media/${id}.mp4`,
    title,
    duration: 250,
    number: index + 1,
    unavailable,
  }))
  renderScreen(
    <CreditProvider session={session}>
      <VideoList videos={videos} label="All videos" />
    </CreditProvider>,
  )
  return { ...session, list: within(screen.getByRole('list', { name: 'All videos' })) }
}

describe('the list of videos', () => {
  test('shows each video with its length and watch strip, and marks the present one', async () => {
    api.answer(getWatched, makePlaylistWatch(watches))
    const { list } = renderList()
    expect(await list.findByRole('img', { name: /^78% watched/ })).toBeTruthy()
    const rows = list.getAllByRole('listitem')
    expect(rows.map(row => row.textContent)).toEqual([
      '1. Fire safety✓4:1095%',
      '2. Exits4:1078%Not yet watched:0:20 to 0:302:10 to 2:20',
      '3. Alarms4:100%',
      '4. Gonecannot be played; left out',
    ])
    expect(rows.map(row => row.getAttribute('aria-current'))).toEqual(['true', null, null, null])
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('plays any chosen video from its first gap, a completed one from the start', async () => {
    api.answer(getWatched, makePlaylistWatch(watches))
    const { list, goTo } = renderList()
    await list.findByRole('img', { name: /^78% watched/ })
    for (const name of [/Alarms/, /^2\. Exits/, /Fire safety/]) await user.click(list.getByRole('button', { name }))
    expect(goTo.mock.calls).toEqual([
      ['v2', 0],
      ['v1', 20],
      ['v0', 0],
    ])
    expect(list.queryByRole('button', { name: /Gone/ })).toBeNull()
  })

  test('plays a gap of another video', async () => {
    api.answer(getWatched, makePlaylistWatch(watches))
    const { list, goTo } = renderList()
    await user.click(await list.findByRole('button', { name: '2:10 to 2:20 of “Exits”' }))
    expect(goTo.mock.calls).toEqual([['v1', 129.5]])
  })

  test('lets a video be chosen while its credit is unknown', async () => {
    api.refuse(getWatched, 'unavailable')
    const { list, goTo } = renderList()
    await user.click(list.getByRole('button', { name: /Exits/ }))
    expect(goTo.mock.calls).toEqual([['v1', 0]])
  })
})
