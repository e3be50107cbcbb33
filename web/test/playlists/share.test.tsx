import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listOwnSupervisors } from '@watchline/contracts/organisation'
import { listPlaylists, sharePlaylistWith, unsharePlaylist } from '@watchline/contracts/playlists'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { aPlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = fakeApi()
const user = userEvent.setup()
const manager1 = aUser({ name: 'Manager One', role: 'manager' })
const supervisor1 = aUser({ name: 'Supervisor One', role: 'supervisor', manager_id: manager1.id })
const supervisor2 = aUser({ name: 'Supervisor Two', role: 'supervisor', manager_id: manager1.id })
const safety = aPlaylist({
  title: 'Fire safety',
  created_by: manager1.id,
  shared_with: [supervisor1.id],
  assigned_users: ['trainee1'],
})
const fresh = aPlaylist({ title: 'Brand new', created_by: manager1.id })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listOwnSupervisors, [supervisor1, supervisor2])
  api.answer(listPlaylists, [safety, fresh])
})
afterEach(cleanup)

async function open(title: string) {
  renderPlaylistsScreen(manager1)
  await user.click(await screen.findByRole('button', { name: title }))
  return screen.findByRole('dialog', { name: title })
}

async function openShare(title: string) {
  const below = await open(title)
  await user.click(within(below).getByRole('button', { name: 'Share' }))
  const dialog = await screen.findByRole('dialog', { name: `Share “${title}”` })
  await within(dialog).findByRole('checkbox', { name: /Supervisor One/ })
  return dialog
}

const box = (name: RegExp) => screen.getByRole<HTMLInputElement>('checkbox', { name })
const save = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Save' })

describe('a manager’s playlists', () => {
  test('say with whom they are shared', async () => {
    renderPlaylistsScreen(manager1)
    const rowOf = async (title: string) => (await screen.findByRole('button', { name: title })).closest('tr')!
    expect(await within(await rowOf('Fire safety')).findByText('Supervisor One')).toBeTruthy()
    expect(within(await rowOf('Brand new')).getByText('Nobody yet')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('are shared, not assigned', async () => {
    const dialog = await open('Fire safety')
    expect(within(dialog).queryByRole('button', { name: 'Assign' })).toBeNull()
    expect(within(dialog).getByText('Shared with 1 supervisor')).toBeTruthy()
    expect(await within(dialog).findByText('Supervisor One')).toBeTruthy()
    expect(within(dialog).getByText('They have assigned it to 1 person.')).toBeTruthy()
    for (const name of ['Share', 'Edit', 'Delete']) expect(within(dialog).getByRole('button', { name })).toBeTruthy()
  })

  test('are watched by their manager, who has no tasks', async () => {
    const onStart = jest.fn<(playlistId: string) => void>()
    renderPlaylistsScreen(manager1, onStart)
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Fire safety' }))
    expect(dialog.queryByRole('button', { name: 'Start Task' })).toBeNull()
    await user.click(dialog.getByRole('button', { name: 'Watch' }))
    expect(onStart).toHaveBeenCalledWith(safety.id)
  })

  test('tell when they are deleted that supervisors lose them, too', async () => {
    const dialog = await open('Fire safety')
    await user.click(within(dialog).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText(/It also leaves the lists of the 1 supervisor it is shared with\./)).toBeTruthy()
  })
})

describe('sharing', () => {
  test('adds those who are chosen', async () => {
    const dialog = await openShare('Fire safety')
    expect(box(/Supervisor One/).checked).toBe(true)
    expect(save().disabled).toBe(true)
    expect(await accessibilityFaults()).toEqual([])
    await user.click(box(/Supervisor Two/))
    const after = { ...safety, shared_with: [supervisor1.id, supervisor2.id], revision: 2 }
    api.answer(sharePlaylistWith, after)
    api.answer(listPlaylists, [after, fresh])
    await user.dblClick(save())
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

  test('is taken back only after a question', async () => {
    await openShare('Fire safety')
    await user.click(box(/Supervisor One/))
    await user.click(save())
    const question = await screen.findByRole('dialog', { name: 'Take this playlist back?' })
    expect(question.textContent).toContain(
      'Supervisor One will no longer see “Fire safety”. What they assigned stays assigned.',
    )
    expect(await accessibilityFaults()).toEqual([])
    expect(api.callsOf(unsharePlaylist)).toEqual([])
    const after = { ...safety, shared_with: [], revision: 2 }
    api.answer(unsharePlaylist, after)
    api.answer(listPlaylists, [after, fresh])
    await user.click(within(question).getByRole('button', { name: 'Take Back' }))
    expect(await screen.findByText('Playlist taken back from Supervisor One')).toBeTruthy()
    expect(api.callsOf(unsharePlaylist)[0]?.body).toEqual({ supervisor_ids: [supervisor1.id] })
    expect(await screen.findByText('Shared with nobody yet')).toBeTruthy()
  })

  test('that is not taken back after all changes nothing', async () => {
    await openShare('Fire safety')
    await user.click(box(/Supervisor One/))
    await user.click(save())
    await screen.findByRole('dialog', { name: 'Take this playlist back?' })
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Take this playlist back?' })).toBeNull())
    expect(screen.getByRole('dialog', { name: 'Share “Fire safety”' })).toBeTruthy()
    expect(box(/Supervisor One/).checked).toBe(false)
    expect(api.callsOf(unsharePlaylist)).toEqual([])
  })

  test('that is done in part says what is left, and does only that again', async () => {
    await openShare('Fire safety')
    await user.click(box(/Supervisor One/))
    await user.click(box(/Supervisor Two/))
    api.answer(sharePlaylistWith, { ...safety, shared_with: [supervisor1.id, supervisor2.id], revision: 2 })
    api.cut(unsharePlaylist)
    await user.click(save())
    await user.click(await screen.findByRole('button', { name: 'Take Back' }))
    expect(
      await screen.findByText('The playlist could not be taken back from Supervisor One. Please try again.'),
    ).toBeTruthy()
    api.answer(unsharePlaylist, { ...safety, shared_with: [supervisor2.id], revision: 3 })
    await user.click(save())
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
  ])('that fails keeps what was chosen and says why', async (fail, words) => {
    fail()
    await openShare('Brand new')
    await user.click(box(/Supervisor Two/))
    await user.click(save())
    expect(await screen.findByText(words)).toBeTruthy()
    expect(box(/Supervisor Two/).checked).toBe(true)
  })

  test('without supervisors says how to get some', async () => {
    api.answer(listOwnSupervisors, [])
    const below = await open('Brand new')
    await user.click(within(below).getByRole('button', { name: 'Share' }))
    expect(await screen.findByText('You have no supervisors yet')).toBeTruthy()
  })

  test('tries again to load the supervisors', async () => {
    api.refuse(listOwnSupervisors, 'unavailable')
    const below = await open('Brand new')
    await user.click(within(below).getByRole('button', { name: 'Share' }))
    expect(await screen.findByText('Your supervisors could not be loaded. Please try again.')).toBeTruthy()
    api.answer(listOwnSupervisors, [supervisor1])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('checkbox', { name: /Supervisor One/ })).toBeTruthy()
  })

  test('among many is searched', async () => {
    const many = Array.from({ length: 12 }, (_, index) => aUser({ name: `Supervisor ${index}`, role: 'supervisor' }))
    api.answer(listOwnSupervisors, [...many, supervisor1])
    await openShare('Brand new')
    await user.type(screen.getByLabelText('Search', { selector: '[role="dialog"] input' }), 'one')
    expect(screen.getAllByRole('checkbox')).toHaveLength(1)
  })
})
