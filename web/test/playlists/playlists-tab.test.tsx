import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listAssignees, unassignPlaylist } from '@watchline/contracts/assignments'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { prepareSignOut } from '../../src/api/before-sign-out.ts'
import { PlaylistsTab } from '../../src/features/playlists/list/playlists-tab.tsx'
import { PlaylistDialogs } from '../../src/features/playlists/playlist-dialogs.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderScreen } from '../support/render.tsx'
import { keepUndoPossible } from '../support/undo.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

keepUndoPossible()
const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: supervisor1.id })
const trainee2 = makeUser({ name: 'Trainee Two', supervisor_id: supervisor1.id })
const safety = makePlaylist({
  title: 'Fire safety',
  created_by: supervisor1.id,
  assigned_users: [trainee1.id, trainee2.id],
})
const callsPlaylist = makePlaylist({
  title: 'Customer calls',
  created_by: supervisor1.id,
  assigned_users: [trainee1.id],
})
const onStart = jest.fn<(playlistId: string) => void>()

beforeEach(() => {
  onStart.mockClear()
  setXsrfCookie('there')
  api.answer(listTeam, [trainee1, trainee2])
  api.answer(listAssignees, [])
  api.answer(listPlaylists, [safety, callsPlaylist])
})
afterEach(cleanup)

const renderTab = () => renderPlaylistsScreen(supervisor1, onStart)

describe('the list of playlists', () => {
  test('shows videos, duration, assignments and age', async () => {
    renderTab()
    const row = (await screen.findByRole('button', { name: 'Fire safety' })).closest('tr') as HTMLTableRowElement
    expect([...row.cells].map(cell => cell.querySelector('[aria-hidden]')?.textContent ?? cell.textContent)).toEqual([
      'Fire safety',
      '2',
      '1h 05m',
      '2',
      'Nov 2, 2026',
    ])
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('opens a playlist by a click anywhere on its row', async () => {
    renderTab()
    const row = (await screen.findByRole('button', { name: 'Fire safety' })).closest('tr') as HTMLTableRowElement
    await user.click(row.cells[2]!)
    expect(await screen.findByRole('dialog', { name: 'Fire safety' })).toBeTruthy()
  })

  test('is sorted by its headers, and the order is remembered for the person', async () => {
    api.answer(listPlaylists, [
      makePlaylist({ title: 'Course 10', total_duration: 60 }),
      makePlaylist({ title: 'Course 9', total_duration: 120 }),
      makePlaylist({ title: 'Alarms', total_duration: 30 }),
    ])
    const titles = () => screen.getAllByRole('row').flatMap(row => row.querySelector('td button')?.textContent ?? [])
    const renderRemembered = () =>
      renderScreen(
        <ChoiceOwner value={supervisor1.id}>
          <PlaylistDialogs person={supervisor1}>
            <PlaylistsTab />
          </PlaylistDialogs>
        </ChoiceOwner>,
      )
    renderRemembered()
    await user.click(await screen.findByRole('button', { name: 'Title' }))
    expect(titles()).toEqual(['Alarms', 'Course 9', 'Course 10'])
    await user.click(screen.getByRole('button', { name: 'Duration' }))
    expect(titles()).toEqual(['Course 9', 'Course 10', 'Alarms'])
    await user.click(screen.getByRole('button', { name: 'Duration' }))
    expect(titles()).toEqual(['Alarms', 'Course 10', 'Course 9'])
    expect(screen.getByRole('columnheader', { name: 'Duration' }).getAttribute('aria-sort')).toBe('ascending')
    cleanup()
    renderRemembered()
    await screen.findByRole('button', { name: 'Alarms' })
    expect(titles()).toEqual(['Alarms', 'Course 10', 'Course 9'])
  })

  test('explains its purpose while it is empty', async () => {
    api.answer(listPlaylists, [])
    renderTab()
    expect(await screen.findByText('No playlists yet')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Create the first playlist' }))
    expect(await screen.findByRole('dialog', { name: 'New playlist' })).toBeTruthy()
  })

  test('is searched and has pages', async () => {
    api.answer(
      listPlaylists,
      Array.from({ length: 30 }, (_, index) => makePlaylist({ title: `Course ${index}` })),
    )
    renderTab()
    expect(await screen.findByText('1–25 of 30')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(await screen.findByRole('button', { name: 'Course 29' })).toBeTruthy()
    await enterText(user, screen.getByLabelText('Search'), 'course 1')
    expect(await screen.findByRole('button', { name: 'Course 1' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Course 2' })).toBeNull()
  })

  test('is searched on the server if one answer does not hold all', async () => {
    api.answer(listPlaylists, ({ query }) => (query.search === 'calls' ? [callsPlaylist] : [safety]), {
      'x-next-cursor': 'older',
    })
    renderTab()
    await screen.findByRole('button', { name: 'Fire safety' })
    await enterText(user, screen.getByLabelText('Search'), 'calls')
    expect(await screen.findByRole('button', { name: 'Customer calls' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Fire safety' })).toBeNull()
  })

  test('is sorted and cut into pages by the server if one answer does not hold all', async () => {
    api.answer(listPlaylists, ({ query }) => (query.cursor || query.sort === 'title' ? [callsPlaylist] : [safety]), {
      'x-next-cursor': 'next',
      'x-total-count': '700',
    })
    renderTab()
    expect(await screen.findByText('1–1 of 700 playlists · page 1 of 28')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(await screen.findByRole('button', { name: 'Customer calls' })).toBeTruthy()
    expect(api.callsOf(listPlaylists).at(-1)?.query).toMatchObject({ limit: '25', cursor: 'next' })
    await user.click(screen.getByRole('button', { name: 'First' }))
    expect(await screen.findByRole('button', { name: 'Fire safety' })).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Title' }))
    expect(await screen.findByRole('button', { name: 'Customer calls' })).toBeTruthy()
    expect(api.callsOf(listPlaylists).at(-1)?.query).toEqual({ limit: '25', sort: 'title', order: 'asc' })
    await user.click(screen.getByRole('button', { name: 'Assigned' }))
    expect(await screen.findByRole('button', { name: 'Fire safety' })).toBeTruthy()
    expect(api.callsOf(listPlaylists).at(-1)?.query).toEqual({ limit: '25', sort: 'assigned', order: 'desc' })
  })

  test('marks the playlists that the manager shares', async () => {
    api.answer(listPlaylists, [safety, makePlaylist({ title: 'From above', shared_with: [supervisor1.id] })])
    renderTab()
    const row = (await screen.findByRole('button', { name: 'From above' })).closest('tr') as HTMLElement
    expect(within(row).getByText('Shared by your manager')).toBeTruthy()
    expect(screen.getAllByText('Shared by your manager')).toHaveLength(1)
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(listPlaylists, 'unavailable')
    renderTab()
    expect(await screen.findByText('Couldn’t load the playlists.')).toBeTruthy()
    api.answer(listPlaylists, [safety])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: 'Fire safety' })).toBeTruthy()
  })

  test('opens a playlist with its videos, people and actions', async () => {
    renderTab()
    const opener = await screen.findByRole('button', { name: 'Fire safety' })
    await user.click(opener)
    const dialog = await screen.findByRole('dialog', { name: 'Fire safety' })
    expect(within(dialog).getByText('1:00:00')).toBeTruthy()
    expect(within(dialog).getByText('5:05')).toBeTruthy()
    expect(within(dialog).getByText('Assigned to 2 people in your team')).toBeTruthy()
    expect(await within(dialog).findByText('Trainee Two')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(within(dialog).getByRole('button', { name: 'Start Task' }))
    expect(onStart).toHaveBeenCalledWith(safety.id)
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(opener))
  })

  test('unassigns a person, which can be undone before it is sent', async () => {
    renderTab()
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    await user.click(await screen.findByRole('button', { name: 'Unassign Trainee Two' }))
    expect(screen.getByText('Loses this task. Credited watch time is kept.')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Undo unassigning Trainee Two' }))
    await act(prepareSignOut)
    expect(api.callsOf(unassignPlaylist)).toEqual([])

    const updatedPlaylist = { ...safety, assigned_users: [trainee1.id] }
    api.answer(unassignPlaylist, { success: true, unassigned: 1, playlist: updatedPlaylist })
    api.answer(listPlaylists, [updatedPlaylist, callsPlaylist])
    await user.click(screen.getByRole('button', { name: 'Unassign Trainee Two' }))
    await act(prepareSignOut)
    expect(await screen.findByText('Task unassigned from Trainee Two')).toBeTruthy()
    expect(api.callsOf(unassignPlaylist)).toMatchObject([
      { params: { id: safety.id }, body: { assigned_users: [trainee2.id] } },
    ])
    expect(await screen.findByText('Assigned to 1 person in your team')).toBeTruthy()
    const playlistDialog = screen.getByRole('dialog', { name: 'Fire safety' })
    await waitFor(() => expect(playlistDialog.contains(document.activeElement)).toBe(true))
  })

  test('sends what waits when the dialog is closed, and reports a failure with its reason', async () => {
    api.refuse(unassignPlaylist, 'outside_team')
    renderTab()
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    await user.click(await screen.findByRole('button', { name: 'Unassign Trainee Two' }))
    expect(api.callsOf(unassignPlaylist)).toEqual([])
    await user.keyboard('{Escape}')
    expect(await screen.findByText('Only members of your own team can be assigned.')).toBeTruthy()
    expect(api.callsOf(unassignPlaylist)).toHaveLength(1)
  })
})
