import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getToday, listAssignments } from '@watchline/contracts/assignments'
import { getTeam, getWatched } from '@watchline/contracts/engagement'
import { listOwnSupervisors } from '@watchline/contracts/organisation'
import { getSessionStatus } from '@watchline/contracts/playback'
import { getPlaylist } from '@watchline/contracts/playlists'
import { listOnline } from '@watchline/contracts/presence'
import { listOwnRequests } from '@watchline/contracts/supervisor-requests'
import { Suspense } from 'react'
import { Dashboard } from '../../src/app/dashboard.tsx'
import { aPlaylistWatch, aVideoWatch } from '../credited/_watched.ts'
import { aTeam } from '../support/engagement.ts'
import { fakeApi } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { anOnlineSummary, aPlaylist, aTask } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()
const task = aTask({ title: 'Fire safety', videos: [] })

beforeEach(() => {
  api.answer(getToday, task)
  api.answer(getPlaylist, task)
  api.answer(listAssignments, [task])
  api.answer(listOnline, anOnlineSummary([]))
  api.answer(listOwnSupervisors, [])
  api.answer(listOwnRequests, [])
  api.answer(getTeam, aTeam([]))
  api.answer(getWatched, ({ params }) => aPlaylistWatch([], { playlist_id: params.playlistId! }))
  api.answer(getSessionStatus, {
    can_resume: false,
    current_playlist_id: null,
    current_video_id: null,
    current_video_index: 0,
    is_monitoring: false,
    video_progress: 0,
  })
})
afterEach(cleanup)

function show(at: string, role: 'user' | 'supervisor' | 'manager' = 'user') {
  return renderScreen(
    <main id="main" tabIndex={-1}>
      <Suspense>
        <Dashboard person={{ ...aUser({ name: 'Trainee One' }), role }} />
      </Suspense>
    </main>,
    { at },
  )
}

const address = () => screen.getByTestId('address').textContent

describe('the dashboard', () => {
  test('says on the task’s card what has been credited of it', async () => {
    const videos = [aVideoWatch({ completed: true }), aVideoWatch({ video_id: 'v1', completion_rate: 0, watched: [] })]
    api.answer(getWatched, aPlaylistWatch(videos, { completion_rate: 39.9 }))
    show('/dashboard')
    const card = within(await screen.findByRole('article', { name: 'Fire safety' }))
    expect(await card.findByText('39%')).toBeTruthy()
    expect(card.getByText('Credited so far: 1 of 2 videos completed')).toBeTruthy()
    expect(api.callsOf(getWatched)[0]?.params.playlistId).toBe(task.id)
  })

  test('leads into the session by its address, and back to a task that is asked for anew', async () => {
    show('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Start Monitoring Session' }))
    expect(address()).toBe(`/dashboard?session=${task.id}`)
    const back = await screen.findByRole('button', { name: 'Back to Dashboard' })
    api.answer(getToday, aTask({ title: 'Everything else' }))
    await user.click(back)
    expect(await screen.findByRole('article', { name: 'Everything else' })).toBeTruthy()
    expect(address()).toBe('/dashboard')
    await waitFor(() => expect(document.activeElement?.id).toBe('main'))
  })

  test('comes back into a session after a reload', async () => {
    const earlier = aPlaylist({ videos: [] })
    api.answer(getPlaylist, earlier)
    show(`/dashboard?session=${earlier.id}`)
    expect(await screen.findByRole('button', { name: 'Back to Dashboard' })).toBeTruthy()
    expect(api.callsOf(getPlaylist).map(({ params }) => params.id)).toEqual([earlier.id])
  })

  test('a session that is nobody’s says so and leads back, keeping the tab', async () => {
    api.refuse(getPlaylist, 'not_found')
    show('/dashboard?tab=team&playlist_id=unknown&video_id=v&t=5&action=view', 'manager')
    expect(await screen.findByText('This playlist is not yours to watch')).toBeTruthy()
    expect(screen.queryByText(/Your answer has been sent/)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Back to Dashboard' }))
    expect(await screen.findByRole('heading', { name: 'Manager Dashboard' })).toBeTruthy()
    expect(address()).toBe('/dashboard?tab=team')
  })

  test('an approval whose playlist the supervisor does not share says that the answer was sent', async () => {
    api.refuse(getPlaylist, 'not_found')
    show('/dashboard?playlist_id=foreign&video_id=v&t=5&action=approved', 'supervisor')
    expect(await screen.findByText(/Your answer has been sent\./)).toBeTruthy()
    expect(screen.getByText(/is not shared with you/)).toBeTruthy()
  })

  test('a trainee’s session that is not assigned is no playlist assigned', async () => {
    api.refuse(getPlaylist, 'not_found')
    show('/dashboard?session=gone')
    expect(await screen.findByText('No playlist assigned')).toBeTruthy()
  })

  test('a session that cannot be loaded is tried again', async () => {
    api.refuse(getPlaylist, 'unavailable')
    show(`/dashboard?session=${task.id}`)
    expect(await screen.findByText('The playlist could not be loaded. Please try again.')).toBeTruthy()
    api.refuse(getPlaylist, 'not_found')
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('No playlist assigned')).toBeTruthy()
  })
})
