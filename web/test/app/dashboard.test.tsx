import '../player/_immediate.ts'
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getToday, listAssignments } from '@watchline/contracts/assignments'
import { getAdminProfile, getProfile, refreshSession, signInOptions } from '@watchline/contracts/auth'
import { getUnreadCount } from '@watchline/contracts/chat'
import { getTeamAnalytics, getWatched, listComments, listTeams, track } from '@watchline/contracts/engagement'
import { listNotifications } from '@watchline/contracts/notification'
import { listOwnSupervisors } from '@watchline/contracts/organisation'
import { getSessionStatus, saveProgress, setMonitoring } from '@watchline/contracts/playback'
import { getPlaylist } from '@watchline/contracts/playlists'
import { listOnline } from '@watchline/contracts/presence'
import { listOwnRequests } from '@watchline/contracts/supervisor-requests'
import { Route, Routes } from 'react-router'
import { reportSessionEnded } from '../../src/api/send.ts'
import { Dashboard } from '../../src/app/dashboard.tsx'
import { DashboardPage } from '../../src/app/dashboard-page.tsx'
import { SignInPage } from '../../src/features/sign-in/sign-in-page.tsx'
import { consumeOpenedAddress } from '../../src/ui/frame/address-before-sign-in.ts'
import { makeTeamAnalytics } from '../support/engagement.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeOnlineSummary, makePlaylist, makeTask } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'
import { makePlaylistWatch, makeVideoWatch } from '../watch-credit/_watch-data.ts'

const api = createFakeApi()
const user = userEvent.setup()
const task = makeTask({ title: 'Fire safety', videos: [] })

beforeEach(() => {
  api.answer(getToday, task)
  api.answer(getPlaylist, task)
  api.answer(listAssignments, [task])
  api.answer(listOnline, makeOnlineSummary([]))
  api.answer(listOwnSupervisors, [])
  api.answer(listOwnRequests, [])
  api.answer(getTeamAnalytics, makeTeamAnalytics([]))
  api.answer(listTeams, [])
  api.answer(getWatched, ({ params }) => makePlaylistWatch([], { playlist_id: params.playlistId! }))
  api.answer(getSessionStatus, {
    can_resume: false,
    current_playlist_id: null,
    current_video_id: null,
    current_video_index: 0,
    is_monitoring: false,
    video_progress: 0,
  })
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

function renderDashboard(at: string, role: 'user' | 'supervisor' | 'manager' = 'user') {
  return renderScreen(
    <main id="main" tabIndex={-1}>
      <Dashboard person={{ ...makeUser({ name: 'Trainee One' }), role }} />
    </main>,
    { at },
  )
}

const address = () => screen.getByTestId('address').textContent

describe('the dashboard', () => {
  test('shows on the task’s card how much is credited', async () => {
    const videos = [
      makeVideoWatch({ completed: true }),
      makeVideoWatch({ video_id: 'v1', completion_rate: 0, watched: [] }),
    ]
    api.answer(getWatched, makePlaylistWatch(videos, { completion_rate: 39.9 }))
    renderDashboard('/dashboard')
    const card = within(await screen.findByRole('article', { name: 'Fire safety' }))
    expect(await card.findByText('39%')).toBeTruthy()
    expect(card.getByText('1 of 2 videos completed')).toBeTruthy()
    expect(api.callsOf(getWatched)[0]?.params.playlistId).toBe(task.id)
  })

  test('opens the session by its address, and loads the task again on the way back', async () => {
    renderDashboard('/dashboard')
    await user.click(await screen.findByRole('button', { name: 'Start Monitoring Session' }))
    expect(address()).toBe(`/dashboard?session=${task.id}`)
    const backButton = await screen.findByRole('button', { name: 'Back to Dashboard' })
    api.answer(getToday, makeTask({ title: 'Everything else' }))
    await user.click(backButton)
    expect(await screen.findByRole('article', { name: 'Everything else' })).toBeTruthy()
    expect(address()).toBe('/dashboard')
    await waitFor(() => expect(document.activeElement?.id).toBe('main'))
  })

  test('reports the end of monitoring after a completed session, without a position', async () => {
    const media = HTMLMediaElement.prototype
    jest.spyOn(media, 'duration', 'get').mockReturnValue(60)
    jest.spyOn(media, 'currentTime', 'get').mockReturnValue(60)
    jest.spyOn(media, 'play').mockResolvedValue()
    for (const name of ['pause', 'load'] as const) jest.spyOn(media, name).mockReturnValue()
    const playlist = makePlaylist({
      videos: [{ id: 'v0', provider: 'file', title: 'Clip 1', duration: 60, url: '/clips/a.webm' }],
    })
    api.answer(getPlaylist, playlist)
    api.answer(getWatched, makePlaylistWatch([makeVideoWatch({ completed: true, missing: [] })], { completed: true }))
    api.answer(listComments, [])
    for (const operation of [track, saveProgress]) api.answer(operation, { success: true })
    api.answer(setMonitoring, ({ body }) => {
      const { is_monitoring } = body as { is_monitoring: boolean }
      return { success: true as const, is_monitoring, expires_in: 0 }
    })
    const { container } = renderDashboard(`/dashboard?session=${playlist.id}`)
    await waitFor(() => expect(container.querySelector('video')?.src).toMatch(/a\.webm$/))
    const emit = (name: string) => act(() => container.querySelector('video')!.dispatchEvent(new Event(name)))
    emit('loadedmetadata')
    await waitFor(() => expect(media.play).toHaveBeenCalled())
    emit('playing')
    emit('ended')
    const dialog = within(await screen.findByRole('alertdialog', { name: 'Congratulations!' }))
    const isReport = ({ body }: { body: unknown }) => Object.keys(body as object).length === 2
    await waitFor(() => expect(api.callsOf(setMonitoring).at(-1)?.body).toMatchObject({ is_monitoring: false }))
    expect(api.callsOf(setMonitoring).filter(isReport)).toEqual([])
    api.refuse(setMonitoring, 'monitoring_elsewhere')
    const warn = jest.spyOn(console, 'warn').mockImplementation(() => {})
    await user.click(dialog.getByRole('button', { name: 'Back to Dashboard' }))
    await waitFor(() => expect(warn).toHaveBeenCalled())
    expect(
      api
        .callsOf(setMonitoring)
        .filter(isReport)
        .map(({ body }) => body),
    ).toEqual([{ is_monitoring: false, playlist_id: playlist.id }])
    expect(await screen.findByRole('article', { name: 'Fire safety' })).toBeTruthy()
  })

  test('loads a playlist again that was edited during the session, and continues at the saved position', async () => {
    const media = HTMLMediaElement.prototype
    jest.spyOn(media, 'play').mockResolvedValue()
    for (const name of ['pause', 'load'] as const) jest.spyOn(media, name).mockReturnValue()
    jest.spyOn(console, 'warn').mockImplementation(() => {})
    const makeVideo = (id: string) =>
      ({ id, provider: 'file', title: `Clip ${id}`, duration: 60, url: `/clips/${id}.webm` }) as const
    const playlist = makePlaylist({ videos: [makeVideo('a')] })
    api.answer(getPlaylist, playlist)
    api.answer(listComments, [])
    for (const operation of [track, saveProgress]) api.answer(operation, { success: true })
    api.refuse(setMonitoring, 'invalid')
    const { container } = renderDashboard(`/dashboard?playlist_id=${playlist.id}&video_id=a&t=5&action=view`)
    const loadButton = await screen.findByRole('button', { name: 'Load again' })

    api.answer(getPlaylist, { ...playlist, videos: [makeVideo('b'), makeVideo('c')] })
    api.answer(getSessionStatus, {
      ...{ can_resume: true, current_playlist_id: playlist.id, current_video_id: 'c', current_video_index: 1 },
      ...{ is_monitoring: false, video_progress: 7 },
    })
    api.answer(setMonitoring, { success: true, is_monitoring: true, expires_in: 300 })
    await user.click(loadButton)
    await waitFor(() => expect(container.querySelector('video')?.src).toMatch(/c\.webm$/))
    expect(screen.queryByText('This playlist has changed')).toBeNull()
    await waitFor(() =>
      expect(api.callsOf(setMonitoring).at(-1)?.body).toMatchObject({
        ...{ is_monitoring: true, current_video_id: 'c', video_progress: 7 },
      }),
    )
    expect(api.callsOf(getPlaylist)).toHaveLength(2)
    await user.click(screen.getByRole('button', { name: 'Back to Dashboard' }))
    await waitFor(() => expect(api.callsOf(setMonitoring).at(-1)?.body).toMatchObject({ is_monitoring: false }))
  })

  test('opens the session again after a reload', async () => {
    const playlist = makePlaylist({ videos: [] })
    api.answer(getPlaylist, playlist)
    renderDashboard(`/dashboard?session=${playlist.id}`)
    expect(await screen.findByRole('button', { name: 'Back to Dashboard' })).toBeTruthy()
    expect(api.callsOf(getPlaylist).map(({ params }) => params.id)).toEqual([playlist.id])
  })

  test('explains a session without access and leads back to the same tab and view', async () => {
    api.refuse(getPlaylist, 'not_found')
    const back = 'tab=analytics&view=at-risk&reason=overdue'
    renderDashboard(`/dashboard?${back}&playlist_id=unknown&video_id=v&t=5&action=view`, 'manager')
    expect(await screen.findByText('This playlist is not yours to watch')).toBeTruthy()
    expect(screen.queryByText(/Your answer has been sent/)).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Back to Dashboard' }))
    expect(await screen.findByRole('heading', { name: 'Manager Dashboard' })).toBeTruthy()
    expect(address()).toBe(`/dashboard?${back}`)
  })

  test('confirms an approval although the supervisor cannot open its playlist', async () => {
    api.refuse(getPlaylist, 'not_found')
    renderDashboard('/dashboard?playlist_id=foreign&video_id=v&t=5&action=approved', 'supervisor')
    expect(await screen.findByText(/Your answer has been sent\./)).toBeTruthy()
    expect(screen.getByText(/is not shared with you/)).toBeTruthy()
  })

  test('tells a trainee without access that no playlist is assigned', async () => {
    api.refuse(getPlaylist, 'not_found')
    renderDashboard('/dashboard?session=gone')
    expect(await screen.findByText('No playlist assigned')).toBeTruthy()
  })

  test('can load a session again after a failure', async () => {
    api.refuse(getPlaylist, 'unavailable')
    renderDashboard(`/dashboard?session=${task.id}`)
    expect(await screen.findByText('Couldn’t load the playlist.')).toBeTruthy()
    api.refuse(getPlaylist, 'not_found')
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('No playlist assigned')).toBeTruthy()
  })
})

test('the sign-in page says why a person whose session has ended is there', async () => {
  api.refuse(getAdminProfile, 'forbidden')
  api.answer(getProfile, makeUser({ name: 'Trainee One' }))
  api.answer(getUnreadCount, { unread_count: 0 })
  api.answer(listNotifications, { notifications: [], unread_count: 0, pending_approvals: 0 })
  api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
  api.refuse(refreshSession, 'no_session')
  renderScreen(
    <Routes>
      <Route path="/dashboard" element={<DashboardPage />} />
      <Route path="/" element={<SignInPage />} />
    </Routes>,
  )
  await screen.findByRole('button', { name: /Your menu/ })
  api.refuse(getAdminProfile, 'no_session')
  api.refuse(getProfile, 'no_session')
  act(() => reportSessionEnded('server'))
  expect(await screen.findByText(/^Your session has ended\./)).toBeTruthy()
  expect(await screen.findByRole('link', { name: 'Sign in with Acme' })).toBeTruthy()
})

test.each(['?session=list-1', '?tab=engagement&view=at-risk', '?page=record'])(
  'somebody who opens a link to %s signs in first, and the link is remembered',
  async search => {
    api.refuse(getAdminProfile, 'no_session')
    api.refuse(getProfile, 'no_session')
    api.refuse(refreshSession, 'no_session')
    api.answer(signInOptions, { provider: 'Acme', development: false, setup_token_required: false })
    renderScreen(
      <Routes>
        <Route path="/dashboard" element={<DashboardPage />} />
        <Route path="/" element={<SignInPage />} />
      </Routes>,
      { at: `/dashboard${search}` },
    )
    expect(await screen.findByRole('link', { name: 'Sign in with Acme' })).toBeTruthy()
    expect(consumeOpenedAddress()).toBe(`/dashboard${search}`)
    expect(consumeOpenedAddress()).toBeUndefined()
  },
)
