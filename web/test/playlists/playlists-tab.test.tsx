import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { unassignPlaylist } from '@watchline/contracts/assignments'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { aPlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = fakeApi()
const user = userEvent.setup()
const supervisor1 = aUser({ name: 'Supervisor One', role: 'supervisor' })
const trainee1 = aUser({ name: 'Trainee One', supervisor_id: supervisor1.id })
const trainee2 = aUser({ name: 'Trainee Two', supervisor_id: supervisor1.id })
const safety = aPlaylist({
  title: 'Fire safety',
  created_by: supervisor1.id,
  assigned_users: [trainee1.id, trainee2.id],
})
const calls = aPlaylist({ title: 'Customer calls', created_by: supervisor1.id, assigned_users: [trainee1.id] })
const onStart = jest.fn<(playlistId: string) => void>()

beforeEach(() => {
  onStart.mockClear()
  setXsrfCookie('there')
  api.answer(listTeam, [trainee1, trainee2])
  api.answer(listPlaylists, [safety, calls])
})
afterEach(cleanup)

const show = () => renderPlaylistsScreen(supervisor1, onStart)

describe('playlists', () => {
  test('are shown with videos, duration, assignments and age', async () => {
    show()
    const row = (await screen.findByRole('button', { name: 'Fire safety' })).closest('tr') as HTMLTableRowElement
    expect([...row.cells].map(cell => cell.querySelector('[aria-hidden]')?.textContent ?? cell.textContent)).toEqual([
      'Fire safety',
      '2',
      '1h 05m',
      '2',
      'Nov 2, 2026',
    ])
    expect(await accessibilityFaults()).toEqual([])
  })

  test('without any, it is said what they are for', async () => {
    api.answer(listPlaylists, [])
    show()
    expect(await screen.findByText('No playlists yet')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'New playlist' })).toBeTruthy()
  })

  test('that are many are searched and paged', async () => {
    api.answer(
      listPlaylists,
      Array.from({ length: 30 }, (_, index) => aPlaylist({ title: `Course ${index}` })),
    )
    show()
    expect(await screen.findByText('1–25 of 30')).toBeTruthy()
    await user.click(screen.getByRole('button', { name: 'Next' }))
    expect(await screen.findByRole('button', { name: 'Course 29' })).toBeTruthy()
    await user.type(screen.getByLabelText('Search'), 'course 1')
    expect(await screen.findByRole('button', { name: 'Course 1' })).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Course 2' })).toBeNull()
  })

  test('that are more than one answer holds are fetched stretch by stretch', async () => {
    api.answer(listPlaylists, [safety], { 'x-next-cursor': 'older' })
    show()
    expect(await screen.findByText('These are the newest 1 playlists.')).toBeTruthy()
    api.answer(listPlaylists, [calls])
    await user.click(screen.getByRole('button', { name: 'Older playlists' }))
    expect(await screen.findByRole('button', { name: 'Customer calls' })).toBeTruthy()
    expect(api.callsOf(listPlaylists).at(-1)?.query).toMatchObject({ cursor: 'older' })
    expect(screen.queryByRole('button', { name: 'Older playlists' })).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Newer playlists' }))
    expect(await screen.findByRole('button', { name: 'Fire safety' })).toBeTruthy()
  })

  test('of one’s manager say so in the list', async () => {
    api.answer(listPlaylists, [safety, aPlaylist({ title: 'From above', shared_with: [supervisor1.id] })])
    show()
    const row = (await screen.findByRole('button', { name: 'From above' })).closest('tr') as HTMLElement
    expect(within(row).getByText('Shared by your manager')).toBeTruthy()
    expect(screen.getAllByText('Shared by your manager')).toHaveLength(1)
  })

  test('that cannot be loaded are tried again, and stay when they were there', async () => {
    api.refuse(listPlaylists, 'unavailable')
    show()
    expect(await screen.findByText('The playlists could not be loaded. Please try again.')).toBeTruthy()
    api.answer(listPlaylists, [safety])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: 'Fire safety' })).toBeTruthy()
  })

  test('open to their videos, their people and what can be done', async () => {
    show()
    const opener = await screen.findByRole('button', { name: 'Fire safety' })
    await user.click(opener)
    const dialog = await screen.findByRole('dialog', { name: 'Fire safety' })
    expect(within(dialog).getByText('1:00:00')).toBeTruthy()
    expect(within(dialog).getByText('5:05')).toBeTruthy()
    expect(within(dialog).getByText('Assigned to 2 people')).toBeTruthy()
    expect(await within(dialog).findByText('Trainee Two')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
    await user.click(within(dialog).getByRole('button', { name: 'Start Task' }))
    expect(onStart).toHaveBeenCalledWith(safety.id)
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(opener))
  })

  test('are taken from somebody only after a question', async () => {
    show()
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    await user.click(await screen.findByRole('button', { name: 'Unassign Trainee Two' }))
    const question = await screen.findByRole('dialog', { name: 'Unassign this task?' })
    expect(within(question).getByText(/What Trainee Two has watched is kept/)).toBeTruthy()
    expect(api.callsOf(unassignPlaylist)).toEqual([])

    const left = { ...safety, assigned_users: [trainee1.id] }
    api.answer(unassignPlaylist, { success: true, unassigned: 1, playlist: left })
    api.answer(listPlaylists, [left, calls])
    await user.click(within(question).getByRole('button', { name: 'Unassign' }))
    expect(await screen.findByText('Task unassigned from Trainee Two')).toBeTruthy()
    expect(api.callsOf(unassignPlaylist)[0]).toMatchObject({
      params: { id: safety.id },
      body: { assigned_users: [trainee2.id] },
    })
    expect(await screen.findByText('Assigned to 1 person')).toBeTruthy()
    const below = screen.getByRole('dialog', { name: 'Fire safety' })
    await waitFor(() => expect(below.contains(document.activeElement)).toBe(true))
  })

  test('that cannot be taken away say why', async () => {
    api.refuse(unassignPlaylist, 'outside_team')
    show()
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    await user.click(await screen.findByRole('button', { name: 'Unassign Trainee Two' }))
    await user.click(await screen.findByRole('button', { name: 'Unassign' }))
    expect(await screen.findByText('Only members of your own team can be assigned.')).toBeTruthy()
  })
})
