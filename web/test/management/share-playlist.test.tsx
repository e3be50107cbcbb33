import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeamAnalytics, listTeams } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { listOwnSupervisors } from '@watchline/contracts/organisation'
import { getVideoDataStatus, previewImport, sharePlaylist } from '@watchline/contracts/playlist-imports'
import { listPlaylists, type Playlist } from '@watchline/contracts/playlists'
import { listOwnRequests } from '@watchline/contracts/supervisor-requests'
import { HttpResponse } from 'msw'
import { ManagementDashboard } from '../../src/features/management/management-dashboard.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeamAnalytics } from '../support/engagement.ts'
import { createFakeApi, refusal, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'
import { supervisor1, supervisor2, supervisor3 } from './_organisation.ts'

const api = createFakeApi()
const user = userEvent.setup()
const url = 'https://www.youtube.com/playlist?list=PL123'
const onShare = jest.fn<(playlist: Playlist) => void>()
const { videos } = makePlaylist()
const preview = { title: 'Fire safety', description: '', total_duration: 3905, videos, left_out: 2 }

beforeEach(() => {
  setXsrfCookie('there')
  onShare.mockClear()
  api.answer(listPlaylists, [])
  api.answer(listOwnSupervisors, [supervisor1, supervisor2, supervisor3])
  api.answer(listOwnRequests, [])
  api.answer(getTeamAnalytics, makeTeamAnalytics([]))
  api.answer(listTeams, [])
  api.answer(getVideoDataStatus, { status: 'active' })
  api.answer(previewImport, preview)
  api.answer(sharePlaylist, { success: true, playlist: makePlaylist() })
})
afterEach(() => {
  cleanup()
  jest.restoreAllMocks()
})

async function openDialog() {
  renderScreen(
    <ManagementDashboard
      online={{ failed: false }}
      onlinePanel={null}
      analyticsPanel={null}
      playlistsPanel={null}
      onShare={onShare}
      onOpenMember={() => {}}
    />,
  )
  await user.click(screen.getByRole('button', { name: 'Share Playlist' }))
  return within(await screen.findByRole('dialog', { name: 'Share Playlist' }))
}

type Dialog = Awaited<ReturnType<typeof openDialog>>
const findField = (dialog: Dialog) => dialog.getByLabelText<HTMLInputElement>('YouTube playlist URL')
const findChoice = (name: RegExp | string) => screen.findByRole<HTMLInputElement>('checkbox', { name })
const successText = 'Playlist shared successfully with selected supervisors!'

describe('sharing a playlist', () => {
  test('sends address, supervisors and description, and confirms it', async () => {
    const dialog = await openDialog()
    await enterText(user, findField(dialog), ` ${url} `)
    await user.click(await findChoice(/Supervisor One.*2\/10 users/))
    await user.click(await findChoice(/Supervisor Three/))
    await enterText(user, dialog.getByLabelText('Description (optional)'), 'For everybody')
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(dialog.getByRole('button', { name: 'Share with 2' }))
    expect(await screen.findByText(successText)).toBeTruthy()
    expect(api.callsOf(sharePlaylist).map(({ body }) => body)).toEqual([
      { youtube_playlist_url: url, supervisor_ids: [supervisor1.id, supervisor3.id], description: 'For everybody' },
    ])
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Share Playlist' })))
    await user.click(screen.getByRole('button', { name: 'Share Playlist' }))
    expect(findField(within(await screen.findByRole('dialog'))).value).toBe('')
  })

  test('offers the manager’s own playlists first', async () => {
    const own = makePlaylist({ title: 'First aid', shared_with: [supervisor1.id] })
    api.answer(listPlaylists, [own, makePlaylist({ title: 'Fire safety' })])
    const dialog = await openDialog()
    const playlists = await dialog.findByRole('region', { name: 'One of your playlists' })
    expect(within(playlists).getByText('Shared with 1 supervisor')).toBeTruthy()
    expect(findField(dialog)).toBeTruthy()
    await user.click(within(playlists).getByRole('button', { name: 'Change sharing of First aid…' }))
    expect(onShare.mock.calls).toEqual([[own]])
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  test('requires an address and at least one supervisor', async () => {
    const dialog = await openDialog()
    await findChoice(/Supervisor One/)
    await user.type(findField(dialog), '   ')
    await user.click(dialog.getByRole('button', { name: 'Share' }))
    expect(dialog.getByText('Enter the URL of a YouTube playlist')).toBeTruthy()
    expect(dialog.getByText('At least one supervisor must be selected')).toBeTruthy()
    expect(document.activeElement).toBe(findField(dialog))
    expect(await findAccessibilityFaults()).toEqual([])
    await enterText(user, findField(dialog), url)
    expect(dialog.queryByText('Enter the URL of a YouTube playlist')).toBeNull()
    await user.click(dialog.getByRole('button', { name: 'Share' }))
    expect(dialog.getByText('At least one supervisor must be selected')).toBeTruthy()
    expect(api.callsOf(sharePlaylist)).toEqual([])
  })

  test.each([
    [() => api.refuse(sharePlaylist, 'not_found', 'This playlist is private.'), 'This playlist is private.'],
    [() => api.refuse(sharePlaylist, 'too_slow', 'YouTube took too long.'), 'YouTube took too long.'],
    [() => api.cut(sharePlaylist), 'Failed to share playlist'],
    [() => api.answer(sharePlaylist, new HttpResponse('<html>', { status: 502 })), 'Failed to share playlist'],
  ])('reports a failure with its reason and loses nothing', async (failCall, message) => {
    const dialog = await openDialog()
    await enterText(user, findField(dialog), url)
    await user.click(await findChoice(/Supervisor One/))
    await enterText(user, dialog.getByLabelText('Description (optional)'), 'For everybody')
    failCall()
    await user.click(dialog.getByRole('button', { name: 'Share with 1' }))
    expect((await dialog.findByText(message)).getAttribute('role')).toBe('alert')
    expect(findField(dialog).value).toBe(url)
    expect(dialog.getByDisplayValue('For everybody')).toBeTruthy()
    expect((await findChoice(/Supervisor One/)).checked).toBe(true)
    expect(screen.queryByText(successText)).toBeNull()
  })

  test('shows its progress, is sent once, and reports a failure even after the dialog was closed', async () => {
    let releaseAnswer = () => {}
    const pendingAnswer = new Promise<void>(resolve => {
      releaseAnswer = resolve
    })
    api.answer(sharePlaylist, async () => {
      await pendingAnswer
      return refusal('too_slow', 'YouTube took too long.')
    })
    const dialog = await openDialog()
    await enterText(user, findField(dialog), url)
    await user.click(await findChoice(/Supervisor One/))
    const form = findField(dialog).closest('form')!
    fireEvent.submit(form)
    fireEvent.submit(form)
    expect(await dialog.findByText(/Reading the playlist from YouTube and sharing it/)).toBeTruthy()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    releaseAnswer()
    expect((await screen.findByText('YouTube took too long.')).closest('[role="alert"]')).toBeTruthy()
    expect(api.callsOf(sharePlaylist)).toHaveLength(1)
    await user.click(screen.getByRole('button', { name: 'Share Playlist' }))
    const reopenedDialog = within(await screen.findByRole('dialog'))
    expect(findField(reopenedDialog).value).toBe(url)
    expect((await findChoice(/Supervisor One/)).checked).toBe(true)
  })

  test('without an API key explains it instead of a form, and focuses the first playlist', async () => {
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    api.answer(listPlaylists, [makePlaylist({ title: 'First aid' }), makePlaylist({ title: 'Fire safety' })])
    const dialog = await openDialog()
    expect((await dialog.findByText(/no YouTube API key is configured/)).textContent).toContain(
      'Ask your administrator',
    )
    expect(dialog.queryByLabelText('YouTube playlist URL')).toBeNull()
    expect(dialog.queryByRole('checkbox')).toBeNull()
    await waitFor(() => expect(document.activeElement).toBe(dialog.getByRole('button', { name: 'Share First aid' })))
    expect(await findAccessibilityFaults()).toEqual([])
  })
})

describe('the preview', () => {
  test('shows title, videos, length and left-out items, for this address only', async () => {
    const dialog = await openDialog()
    expect(dialog.getByRole<HTMLButtonElement>('button', { name: 'Look Up' }).disabled).toBe(true)
    await enterText(user, findField(dialog), url)
    await user.click(dialog.getByRole('button', { name: 'Look Up' }))
    expect(await dialog.findByText('Fire safety')).toBeTruthy()
    expect(dialog.getByText('2 videos')).toBeTruthy()
    expect(dialog.getByText('1h 05m')).toBeTruthy()
    expect(dialog.getByText(/^2 left out/)).toBeTruthy()
    expect(api.callsOf(previewImport).map(({ query }) => query)).toEqual([{ url }])
    await user.type(findField(dialog), '4')
    expect(dialog.queryByText('Fire safety')).toBeNull()
  })

  test('shows the server’s reason after a failure, and does not prevent sharing', async () => {
    api.refuse(previewImport, 'not_found', 'This playlist is private or does not exist.')
    const dialog = await openDialog()
    await enterText(user, findField(dialog), url)
    await user.click(dialog.getByRole('button', { name: 'Look Up' }))
    expect(await dialog.findByText('This playlist is private or does not exist.')).toBeTruthy()
    await user.click(await findChoice(/Supervisor One/))
    await user.click(dialog.getByRole('button', { name: 'Share with 1' }))
    expect(await screen.findByText(successText)).toBeTruthy()
  })

  test('can be repeated after a failure', async () => {
    api.refuse(previewImport, 'video_data_failed')
    const dialog = await openDialog()
    await enterText(user, findField(dialog), url)
    await user.click(dialog.getByRole('button', { name: 'Look Up' }))
    await dialog.findByText(/could not be read just now/)
    api.answer(previewImport, preview)
    await user.click(dialog.getByRole('button', { name: 'Look Up' }))
    expect(await dialog.findByText('Fire safety')).toBeTruthy()
  })
})

describe('the choice of supervisors', () => {
  test('can select all and none', async () => {
    await openDialog()
    const selectAll = await findChoice('Select all 3')
    await user.click(await findChoice(/Supervisor Two/))
    expect(selectAll.indeterminate).toBe(true)
    await user.click(selectAll)
    expect((await findChoice(/Supervisor Three/)).checked).toBe(true)
    expect(screen.getByRole('button', { name: 'Share with 3' })).toBeTruthy()
    await user.click(selectAll)
    expect(screen.getByRole('button', { name: 'Share' })).toBeTruthy()
  })

  test('offers a search among many, and “Select all” applies to the result', async () => {
    const manySupervisors = Array.from({ length: 10 }, (_, index) =>
      makeUser({ name: `Boss ${index}`, role: 'supervisor' }),
    )
    api.answer(listOwnSupervisors, [...manySupervisors, supervisor1, supervisor2])
    const dialog = await openDialog()
    await user.click(await findChoice(/Supervisor One/))
    await enterText(user, dialog.getByLabelText('Search supervisors'), 'boss')
    await user.click(await findChoice('Select all 10 found'))
    expect(screen.queryByRole('checkbox', { name: /Supervisor One/ })).toBeNull()
    expect(dialog.getByRole('button', { name: 'Share with 11' })).toBeTruthy()
  })

  test('is limited to the number that one call accepts', async () => {
    jest.replaceProperty(limits, 'shareMaxSupervisors', 2 as typeof limits.shareMaxSupervisors)
    const dialog = await openDialog()
    await user.click(await findChoice('Select all 3'))
    await user.click(dialog.getByRole('button', { name: 'Share with 3' }))
    expect(dialog.getByText('A playlist can be shared with at most 2 supervisors at a time')).toBeTruthy()
    expect(api.callsOf(sharePlaylist)).toEqual([])
  })

  test('without supervisors says how to get one', async () => {
    api.answer(listOwnSupervisors, [])
    const dialog = await openDialog()
    expect(await dialog.findByText(/You have no supervisors to share with yet/)).toBeTruthy()
  })

  test('drops supervisors who have left meanwhile', async () => {
    const dialog = await openDialog()
    await enterText(user, findField(dialog), url)
    await user.click(await findChoice(/Supervisor One/))
    await user.click(await findChoice(/Supervisor Two/))
    api.refuse(sharePlaylist, 'outside_team', 'Supervisor Two is no longer one of your supervisors.')
    api.answer(listOwnSupervisors, [supervisor1, supervisor3])
    await user.click(dialog.getByRole('button', { name: 'Share with 2' }))
    expect(await dialog.findByText('Supervisor Two is no longer one of your supervisors.')).toBeTruthy()
    expect(await dialog.findByRole('button', { name: 'Share with 1' })).toBeTruthy()
  })
})
