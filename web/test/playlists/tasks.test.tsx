import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { assignPlaylist, listTasks } from '@watchline/contracts/assignments'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { HttpResponse } from 'msw'
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
const trainee3 = aUser({ name: 'Trainee Three', supervisor_id: supervisor1.id })
const safety = aPlaylist({ title: 'Fire safety', assigned_users: [trainee1.id] })
const fresh = aPlaylist({ title: 'Brand new' })
const onStart = jest.fn<(playlistId: string) => void>()

beforeEach(() => {
  onStart.mockClear()
  setXsrfCookie('there')
  api.answer(listTeam, [trainee1, trainee2, trainee3])
  api.answer(listPlaylists, [safety, fresh])
  api.answer(listTasks, [safety, fresh])
})
afterEach(cleanup)

async function openMenu(person = supervisor1) {
  renderPlaylistsScreen(person, onStart)
  await user.click(screen.getByRole('button', { name: 'Tasks Menu' }))
  return screen.findByRole('dialog', { name: 'Tasks Menu' })
}

async function openAssign(title: string) {
  await openMenu()
  await user.click(await screen.findByRole('button', { name: `Assign: ${title}` }))
  return screen.findByRole('dialog', { name: `Assign “${title}”` })
}

const taskOf = async (title: string) => {
  const tasks = await screen.findByRole('list', { name: 'Tasks' })
  return (await within(tasks).findByText(title)).closest('li') as HTMLElement
}

describe('the tasks menu', () => {
  test('lists the tasks with their status, and starts them', async () => {
    await openMenu()
    expect(within(await taskOf('Fire safety')).getByText('Active')).toBeTruthy()
    expect(within(await taskOf('Brand new')).getByText('Unassigned')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Start Task: Brand new' }))
    expect(onStart).toHaveBeenCalledWith(fresh.id)
  })

  test.each(['forbidden', 'not_found'] as const)(
    'without tasks of one’s own (%s) it lists the playlists',
    async code => {
      api.refuse(listTasks, code)
      await openMenu(aUser({ role: 'director' }))
      expect(await taskOf('Brand new')).toBeTruthy()
      expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull()
    },
  )

  test('says who may see tasks when neither is allowed', async () => {
    api.refuse(listTasks, 'forbidden')
    api.refuse(listPlaylists, 'forbidden')
    const menu = await openMenu()
    expect(await within(menu).findByText('Access denied. Please ensure you have supervisor role.')).toBeTruthy()
  })

  test('that fails is tried again', async () => {
    api.refuse(listTasks, 'internal')
    const menu = await openMenu()
    expect(await within(menu).findByText('Failed to load tasks. Please try again.')).toBeTruthy()
    api.answer(listTasks, [fresh])
    await user.click(within(menu).getByRole('button', { name: 'Try Again' }))
    expect(await taskOf('Brand new')).toBeTruthy()
  })

  test('without any task says where tasks come from', async () => {
    api.answer(listTasks, [])
    await openMenu()
    expect(await screen.findByText(/Create a playlist/)).toBeTruthy()
    cleanup()
    await openMenu(aUser({ role: 'supervisor', manager_id: 'manager1' }))
    expect(await screen.findByText(/Your manager has not shared a playlist with you yet/)).toBeTruthy()
  })

  test('gives the keyboard back to its button', async () => {
    await openMenu()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Tasks Menu' })))
  })
})

describe('assigning', () => {
  test('offers those who do not have the task yet, and tells how many were new to the server', async () => {
    const dialog = await openAssign('Fire safety')
    expect(await within(dialog).findByRole('checkbox', { name: /Trainee Two/ })).toBeTruthy()
    expect(within(dialog).queryByRole('checkbox', { name: /Trainee One/ })).toBeNull()
    expect(within(dialog).queryByLabelText('Search')).toBeNull()
    expect(await accessibilityFaults()).toEqual([])

    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee Two/ }))
    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee Three/ }))
    const after = { ...safety, assigned_users: [trainee1.id, trainee2.id, trainee3.id] }
    api.answer(assignPlaylist, { success: true, assigned: 1, playlist: after })
    api.answer(listTasks, [after, fresh])
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 2' }))
    expect(await screen.findByText('Task assigned to 1 team member(s) successfully!')).toBeTruthy()
    expect(api.callsOf(assignPlaylist)[0]).toMatchObject({
      params: { id: safety.id },
      body: { assigned_users: [trainee2.id, trainee3.id] },
    })
    await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Assign/ })).toBeNull())
    expect(await within(await taskOf('Fire safety')).findByText('assigned to 3')).toBeTruthy()
  })

  test('needs somebody', async () => {
    const dialog = await openAssign('Brand new')
    await within(dialog).findByRole('checkbox', { name: /Trainee Two/ })
    await user.click(within(dialog).getByRole('button', { name: 'Assign' }))
    expect(await within(dialog).findByText('At least one team member must be selected')).toBeTruthy()
    expect(api.callsOf(assignPlaylist)).toEqual([])
    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee Two/ }))
    expect(within(dialog).queryByText('At least one team member must be selected')).toBeNull()
  })

  test('to everybody there is, is done', async () => {
    api.answer(listTasks, [{ ...safety, assigned_users: [trainee1.id, trainee2.id, trainee3.id] }])
    const dialog = await openAssign('Fire safety')
    expect(await within(dialog).findByText('All team members are already assigned to this task')).toBeTruthy()
  })

  test('without a team says who gives one', async () => {
    api.answer(listTeam, [])
    const dialog = await openAssign('Fire safety')
    expect(await within(dialog).findByText('No team members assigned')).toBeTruthy()
  })

  test.each([
    [() => api.refuse(assignPlaylist, 'outside_team'), 'Only members of your own team can be assigned.'],
    [() => api.cut(assignPlaylist), 'Failed to assign task'],
  ])('that fails keeps what was chosen and says why', async (fail, message) => {
    const dialog = await openAssign('Brand new')
    await user.click(await within(dialog).findByRole('checkbox', { name: /Trainee Two/ }))
    fail()
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1' }))
    expect(await within(dialog).findByText(message)).toBeTruthy()
    expect(within(dialog).getByRole<HTMLInputElement>('checkbox', { name: /Trainee Two/ }).checked).toBe(true)
  })

  test('among many searches on the server and keeps who was chosen', async () => {
    const many = Array.from({ length: 12 }, (_, index) => aUser({ name: `Member ${index}` }))
    api.answer(listTeam, ({ query }) => (query.search ? [trainee3] : many))
    const dialog = await openAssign('Brand new')
    await user.click(await within(dialog).findByRole('checkbox', { name: /Member 11/ }))
    await user.type(within(dialog).getByLabelText('Search'), 'three')
    await user.click(await within(dialog).findByRole('checkbox', { name: /Trainee Three/ }))
    expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ search: 'three', role: 'user' })
    api.answer(assignPlaylist, { success: true, assigned: 2, playlist: fresh })
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 2' }))
    await screen.findByText('Task assigned to 2 team member(s) successfully!')
    expect(api.callsOf(assignPlaylist)[0]?.body).toEqual({ assigned_users: [many[11]?.id, trainee3.id] })
  })

  test('whoever is chosen stays in sight and can be left out again, whatever is searched for', async () => {
    const many = Array.from({ length: 12 }, (_, index) => aUser({ name: `Member ${index}` }))
    api.answer(listTeam, ({ query }) => (query.search ? [trainee1] : many))
    const dialog = await openAssign('Fire safety')
    await user.click(await within(dialog).findByRole('checkbox', { name: /Member 11/ }))
    await user.type(within(dialog).getByLabelText('Search'), 'one')
    const words = 'Everybody found under that name is already assigned to this task.'
    expect(await within(dialog).findByText(words)).toBeTruthy()
    await user.click(within(dialog).getByRole('checkbox', { name: /Member 11/ }))
    expect(within(dialog).queryByRole('checkbox')).toBeNull()
    expect(within(dialog).getByRole('button', { name: 'Assign' })).toBeTruthy()
  })

  test('passes over pages of whom all have the task, and is done when there is nobody left', async () => {
    const pages = [[trainee1], [trainee2], [trainee3]]
    api.answer(listTeam, ({ query }) => {
      const at = Number(query.cursor ?? 0)
      return HttpResponse.json(pages[at] as never, {
        headers: at + 1 < pages.length ? { 'x-next-cursor': String(at + 1) } : {},
      })
    })
    api.answer(listTasks, [{ ...safety, assigned_users: [trainee1.id, trainee2.id] }])
    const dialog = await openAssign('Fire safety')
    expect(await within(dialog).findByRole('checkbox', { name: /Trainee Three/ })).toBeTruthy()
    cleanup()
    api.answer(listTasks, [{ ...safety, assigned_users: [trainee1.id, trainee2.id, trainee3.id] }])
    const again = await openAssign('Fire safety')
    expect(await within(again).findByText('All team members are already assigned to this task')).toBeTruthy()
  })

  test('shows many in steps and says that there are more than were read', async () => {
    const many = Array.from({ length: 120 }, (_, index) => aUser({ name: `Member ${index}.` }))
    api.answer(listTeam, many, { 'x-next-cursor': 'next' })
    const dialog = await openAssign('Brand new')
    await within(dialog).findByText('Member 99.')
    expect(within(dialog).queryByText('Member 100.')).toBeNull()
    await user.click(within(dialog).getByRole('button', { name: 'Show more' }))
    expect(await within(dialog).findByText('Member 119.')).toBeTruthy()
    expect(within(dialog).getByText('There are more people: search to find them.')).toBeTruthy()
  })
})
