import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listOwnSupervisors } from '@watchline/contracts/organisation'
import { listPlaylists, sharePlaylistWith, unsharePlaylist } from '@watchline/contracts/playlists'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const manager1 = makeUser({ name: 'Manager One', role: 'manager' })
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor', manager_id: manager1.id })
const supervisor2 = makeUser({ name: 'Supervisor Two', role: 'supervisor', manager_id: manager1.id })
const safety = makePlaylist({
  title: 'Fire safety',
  created_by: manager1.id,
  shared_with: [supervisor1.id],
  assigned_users: ['trainee1'],
})
const unsharedPlaylist = makePlaylist({ title: 'Brand new', created_by: manager1.id })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listOwnSupervisors, [supervisor1, supervisor2])
  api.answer(listPlaylists, [safety, unsharedPlaylist])
})
afterEach(cleanup)

async function openPlaylist(title: string) {
  renderPlaylistsScreen(manager1)
  await user.click(await screen.findByRole('button', { name: title }))
  return screen.findByRole('dialog', { name: title })
}

async function openShareDialog(title: string) {
  const playlistDialog = await openPlaylist(title)
  await user.click(within(playlistDialog).getByRole('button', { name: 'Share' }))
  const dialog = await screen.findByRole('dialog', { name: `Share “${title}”` })
  await within(dialog).findByRole('checkbox', { name: /Supervisor One/ })
  return dialog
}

const findCheckbox = (name: RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name })
const findSaveButton = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })

describe('a manager’s playlists', () => {
  test('show with whom they are shared', async () => {
    renderPlaylistsScreen(manager1)
    const findRow = async (title: string) => (await screen.findByRole('button', { name: title })).closest('tr')!
    expect(await within(await findRow('Fire safety')).findByText('Supervisor One')).toBeTruthy()
    expect(within(await findRow('Brand new')).getByText('Nobody yet')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('mark addresses of supervisors that nobody has verified', async () => {
    api.answer(listOwnSupervisors, [supervisor1, { ...supervisor2, email_verified: false }])
    await openShareDialog('Fire safety')
    expect(findCheckbox(/Supervisor Two.*Unverified/)).toBeTruthy()
    expect(findCheckbox(/^(?!.*Unverified).*Supervisor One/)).toBeTruthy()
  })

  test('can be shared, not assigned', async () => {
    const dialog = await openPlaylist('Fire safety')
    expect(within(dialog).queryByRole('button', { name: 'Assign' })).toBeNull()
    expect(within(dialog).getByText('Shared with 1 supervisor')).toBeTruthy()
    expect(await within(dialog).findByText('Supervisor One')).toBeTruthy()
    expect(within(dialog).getByText('They have assigned it to 1 person.')).toBeTruthy()
    for (const name of ['Share', 'Edit', 'Delete']) expect(within(dialog).getByRole('button', { name })).toBeTruthy()
  })

  test('can be watched by their manager, who has no tasks', async () => {
    const onStart = jest.fn<(playlistId: string) => void>()
    renderPlaylistsScreen(manager1, onStart)
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Fire safety' }))
    expect(dialog.queryByRole('button', { name: 'Start Task' })).toBeNull()
    await user.click(dialog.getByRole('button', { name: 'Watch' }))
    expect(onStart).toHaveBeenCalledWith(safety.id)
  })

  test('warn before deletion that supervisors lose them, too', async () => {
    const dialog = await openPlaylist('Fire safety')
    await user.click(within(dialog).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText(/It also leaves the lists of the 1 supervisor it is shared with\./)).toBeTruthy()
  })
})

describe('sharing a playlist', () => {
  test('adds the chosen supervisors', async () => {
    const dialog = await openShareDialog('Fire safety')
    expect(findCheckbox(/Supervisor One/).checked).toBe(true)
    expect(findSaveButton().disabled).toBe(true)
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(findCheckbox(/Supervisor Two/))
    const updatedPlaylist = { ...safety, shared_with: [supervisor1.id, supervisor2.id], revision: 2 }
    api.answer(sharePlaylistWith, updatedPlaylist)
    api.answer(listPlaylists, [updatedPlaylist, unsharedPlaylist])
    await user.dblClick(findSaveButton())
    expect(await screen.findByText('Playlist shared successfully with selected supervisors!')).toBeTruthy()
    expect(api.callsOf(sharePlaylistWith)).toHaveLength(1)
    expect(api.callsOf(sharePlaylistWith)[0]).toMatchObject({
      params: { id: safety.id },
      body: { supervisor_ids: [supervisor2.id] },
    })
    await waitFor(() => expect(dialog.isConnected).toBe(false))
    expect(await screen.findByText('Shared with 2 supervisors')).toBeTruthy()
    expect(await screen.findByTitle('Supervisor One, Supervisor Two')).toBeTruthy()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Share' })))
  })

  test('asks before it is taken back', async () => {
    await openShareDialog('Fire safety')
    await user.click(findCheckbox(/Supervisor One/))
    await user.click(findSaveButton())
    const confirmDialog = await screen.findByRole('dialog', { name: 'Take this playlist back?' })
    expect(confirmDialog.textContent).toContain(
      'Supervisor One will no longer see “Fire safety”. Their assignments stay.',
    )
    expect(await findAccessibilityFaults()).toEqual([])
    expect(api.callsOf(unsharePlaylist)).toEqual([])
    const updatedPlaylist = { ...safety, shared_with: [], revision: 2 }
    api.answer(unsharePlaylist, updatedPlaylist)
    api.answer(listPlaylists, [updatedPlaylist, unsharedPlaylist])
    await user.click(within(confirmDialog).getByRole('button', { name: 'Take Back' }))
    expect(await screen.findByText('Playlist taken back from Supervisor One')).toBeTruthy()
    expect(api.callsOf(unsharePlaylist)[0]?.body).toEqual({ supervisor_ids: [supervisor1.id] })
    expect(await screen.findByText('Shared with nobody yet')).toBeTruthy()
  })

  test('stays as it is if the question is cancelled', async () => {
    await openShareDialog('Fire safety')
    await user.click(findCheckbox(/Supervisor One/))
    await user.click(findSaveButton())
    await screen.findByRole('dialog', { name: 'Take this playlist back?' })
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Take this playlist back?' })).toBeNull())
    expect(screen.getByRole('dialog', { name: 'Share “Fire safety”' })).toBeTruthy()
    expect(findCheckbox(/Supervisor One/).checked).toBe(false)
    expect(api.callsOf(unsharePlaylist)).toEqual([])
  })

  test('after a partial failure repeats only the part that failed', async () => {
    await openShareDialog('Fire safety')
    await user.click(findCheckbox(/Supervisor One/))
    await user.click(findCheckbox(/Supervisor Two/))
    api.answer(sharePlaylistWith, { ...safety, shared_with: [supervisor1.id, supervisor2.id], revision: 2 })
    api.cut(unsharePlaylist)
    await user.click(findSaveButton())
    await user.click(await screen.findByRole('button', { name: 'Take Back' }))
    expect(
      await screen.findByText('The playlist could not be taken back from Supervisor One. Please try again.'),
    ).toBeTruthy()
    api.answer(unsharePlaylist, { ...safety, shared_with: [supervisor2.id], revision: 3 })
    await user.click(findSaveButton())
    await user.click(await screen.findByRole('button', { name: 'Take Back' }))
    expect(await screen.findByText('Playlist taken back from Supervisor One')).toBeTruthy()
    expect(api.callsOf(sharePlaylistWith)).toHaveLength(1)
  })

  test.each([
    [
      () => api.refuse(sharePlaylistWith, 'outside_team', 'Supervisor Two is not your supervisor.'),
      'Supervisor Two is not your supervisor.',
    ],
    [() => api.cut(sharePlaylistWith), 'Failed to share playlist'],
  ])('keeps the choice after a failure and gives the reason', async (failCall, text) => {
    failCall()
    await openShareDialog('Brand new')
    await user.click(findCheckbox(/Supervisor Two/))
    await user.click(findSaveButton())
    expect(await screen.findByText(text)).toBeTruthy()
    expect(findCheckbox(/Supervisor Two/).checked).toBe(true)
  })

  test('without supervisors says how to get some', async () => {
    api.answer(listOwnSupervisors, [])
    const playlistDialog = await openPlaylist('Brand new')
    await user.click(within(playlistDialog).getByRole('button', { name: 'Share' }))
    expect(await screen.findByText('You have no supervisors yet')).toBeTruthy()
    expect(screen.getByRole('link', { name: 'My Supervisors' })).toBeTruthy()
  })

  test('can load the supervisors again after a failure', async () => {
    api.refuse(listOwnSupervisors, 'unavailable')
    const playlistDialog = await openPlaylist('Brand new')
    await user.click(within(playlistDialog).getByRole('button', { name: 'Share' }))
    expect(await screen.findByText('Couldn’t load your supervisors.')).toBeTruthy()
    api.answer(listOwnSupervisors, [supervisor1])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('checkbox', { name: /Supervisor One/ })).toBeTruthy()
  })

  test('offers a search among many supervisors', async () => {
    const manySupervisors = Array.from({ length: 12 }, (_, index) =>
      makeUser({ name: `Supervisor ${index}`, role: 'supervisor' }),
    )
    api.answer(listOwnSupervisors, [...manySupervisors, supervisor1])
    await openShareDialog('Brand new')
    await user.type(screen.getByLabelText('Search', { selector: '[role="dialog"] input' }), 'one')
    expect(screen.getAllByRole('checkbox')).toHaveLength(1)
  })
})
