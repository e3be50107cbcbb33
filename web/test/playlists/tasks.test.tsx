import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { assignPlaylist, listTasks } from '@watchline/contracts/assignments'
import { listGroupAssignments } from '@watchline/contracts/group-assignments'
import { listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { HttpResponse } from 'msw'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor' })
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: supervisor1.id })
const trainee2 = makeUser({ name: 'Trainee Two', supervisor_id: supervisor1.id })
const trainee3 = makeUser({ name: 'Trainee Three', supervisor_id: supervisor1.id })
const safety = makePlaylist({ title: 'Fire safety', assigned_users: [trainee1.id] })
const unassignedPlaylist = makePlaylist({ title: 'Brand new' })
const onStart = jest.fn<(playlistId: string) => void>()

beforeEach(() => {
  onStart.mockClear()
  setXsrfCookie('there')
  api.answer(listGroupAssignments, [])
  api.answer(listTeam, [trainee1, trainee2, trainee3])
  api.answer(listPlaylists, [safety, unassignedPlaylist])
  api.answer(listTasks, [safety, unassignedPlaylist])
})
afterEach(cleanup)

async function openMenu(person = supervisor1) {
  renderPlaylistsScreen(person, onStart)
  await user.click(screen.getByRole('button', { name: 'Tasks Menu' }))
  return screen.findByRole('dialog', { name: 'Tasks Menu' })
}

async function openAssignDialog(title: string) {
  await openMenu()
  await user.click(await screen.findByRole('button', { name: `Assign: ${title}` }))
  return screen.findByRole('dialog', { name: `Assign “${title}”` })
}

const findTask = async (title: string) => {
  const tasks = await screen.findByRole('list', { name: 'Tasks' })
  return (await within(tasks).findByText(title)).closest('li') as HTMLElement
}

describe('the tasks menu', () => {
  test('lists the tasks with their status, and starts one', async () => {
    await openMenu()
    expect(within(await findTask('Fire safety')).getByText('Active')).toBeTruthy()
    expect(within(await findTask('Brand new')).getByText('Unassigned')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Start Task: Brand new' }))
    expect(onStart).toHaveBeenCalledWith(unassignedPlaylist.id)
  })

  test('are sorted as chosen, and the order is remembered for the person', async () => {
    api.answer(listTasks, [
      makePlaylist({ title: 'Course 10', total_duration: 60 }),
      makePlaylist({ title: 'Course 9', total_duration: 120 }),
    ])
    const titles = () =>
      within(screen.getByRole('list', { name: 'Tasks' }))
        .getAllByRole('listitem')
        .map(task => task.querySelector('strong')?.textContent)
    await openMenu()
    await user.selectOptions(await screen.findByLabelText('Sort by'), 'Shortest first')
    expect(titles()).toEqual(['Course 10', 'Course 9'])
    await user.selectOptions(screen.getByLabelText('Sort by'), 'Title')
    expect(titles()).toEqual(['Course 9', 'Course 10'])
    cleanup()
    await openMenu()
    await findTask('Course 9')
    expect(titles()).toEqual(['Course 9', 'Course 10'])
  })

  test('are sorted by the server if one answer does not hold all, from its first page on', async () => {
    api.answer(listTasks, ({ query }) => (query.sort === 'title' ? [unassignedPlaylist] : [safety]), {
      'x-next-cursor': 'next',
      'x-total-count': '1234',
    })
    const menu = await openMenu()
    await findTask('Fire safety')
    await user.click(await within(menu).findByRole('button', { name: 'Next' }))
    await waitFor(() => expect(api.callsOf(listTasks).at(-1)?.query).toMatchObject({ cursor: 'next' }))
    await user.selectOptions(within(menu).getByLabelText('Sort by'), 'Title, Z to A')
    await findTask('Brand new')
    expect(api.callsOf(listTasks).at(-1)?.query).toEqual({ limit: '25', sort: 'title', order: 'desc' })
    expect(within(menu).getByText('1–1 of 1,234 tasks · page 1 of 50')).toBeTruthy()
    await user.selectOptions(within(menu).getByLabelText('Sort by'), 'Assigned to most people first')
    await waitFor(() => expect(api.callsOf(listTasks).at(-1)?.query).toMatchObject({ sort: 'assigned', order: 'desc' }))
  })

  test('of a director in several pages are sorted by assignments, too, as chosen before', async () => {
    const director = makeUser({ role: 'director' })
    await openMenu(director)
    await user.selectOptions(await screen.findByLabelText('Sort by'), 'Assigned to most people first')
    cleanup()
    const headers = { 'x-next-cursor': 'next', 'x-total-count': '1234' }
    api.answer(listPlaylists, ({ query }) => (query.sort === 'assigned' ? [safety] : [unassignedPlaylist]), headers)
    const menu = await openMenu(director)
    await findTask('Fire safety')
    expect(within(menu).getByLabelText<HTMLSelectElement>('Sort by').value).toBe('mostAssigned')
    const first = { limit: '25', sort: 'assigned', order: 'desc' }
    const queries = () => api.callsOf(listPlaylists).map(call => call.query)
    expect(queries()).toContainEqual(first)
    await user.click(within(menu).getByRole('button', { name: 'Next' }))
    await waitFor(() => expect(queries()).toContainEqual({ ...first, cursor: 'next' }))
    expect(await within(menu).findByText('26–26 of 1,234 tasks · page 2 of 50')).toBeTruthy()
  })

  test.each(['forbidden', 'not_found'] as const)('lists the playlists if the person has no tasks (%s)', async code => {
    api.refuse(listTasks, code)
    await openMenu()
    expect(await findTask('Brand new')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Try Again' })).toBeNull()
  })

  test('lists the playlists of a director without a request for tasks', async () => {
    api.answer(listPlaylists, [unassignedPlaylist])
    await openMenu(makeUser({ role: 'director' }))
    expect(await findTask('Brand new')).toBeTruthy()
    expect(api.callsOf(listTasks)).toEqual([])
  })

  test('says who may see tasks if neither list is allowed', async () => {
    api.refuse(listTasks, 'forbidden')
    api.refuse(listPlaylists, 'forbidden')
    const menu = await openMenu()
    expect(await within(menu).findByText('Access denied. Please ensure you have supervisor role.')).toBeTruthy()
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(listTasks, 'internal')
    const menu = await openMenu()
    expect(await within(menu).findByText('Failed to load tasks. Please try again.')).toBeTruthy()
    api.answer(listTasks, [unassignedPlaylist])
    await user.click(within(menu).getByRole('button', { name: 'Try Again' }))
    expect(await findTask('Brand new')).toBeTruthy()
  })

  test('without any task says where tasks come from', async () => {
    api.answer(listTasks, [])
    await openMenu()
    expect(await screen.findByText(/Create a playlist/)).toBeTruthy()
    cleanup()
    await openMenu(makeUser({ role: 'supervisor', manager_id: 'manager1' }))
    expect(await screen.findByText(/Your manager has not shared a playlist with you yet/)).toBeTruthy()
    expect(screen.getByText(/Your own playlists are on the tab Playlists\./)).toBeTruthy()
  })

  test('has pages if one answer does not hold all, and keeps the focus on their buttons', async () => {
    const others = { undefined: 'second', second: 'third', third: undefined }
    api.answer(listTasks, ({ query }) => {
      const next = others[String(query.cursor) as keyof typeof others]
      return HttpResponse.json([query.cursor ? unassignedPlaylist : safety] as never, {
        headers: { 'x-total-count': '60', ...(next && { 'x-next-cursor': next }) },
      })
    })
    const menu = await openMenu()
    const press = async (name: string, position: RegExp) => {
      await user.click(within(menu).getByRole('button', { name }))
      await within(menu).findByText(position)
      expect(document.activeElement).toBe(within(menu).getByRole('button', { name }))
    }
    await within(menu).findByText(/^1–1 of 60 tasks · page 1 of 3$/)
    await press('Next', /page 2 of 3$/)
    await findTask('Brand new')
    await press('Next', /page 3 of 3$/)
    await press('Previous', /page 2 of 3$/)
    await press('Next', /page 3 of 3$/)
    await press('First', /page 1 of 3$/)
    await findTask('Fire safety')
  })

  test('searches a long list on the server', async () => {
    api.answer(listTasks, ({ query }) => (query.search ? [unassignedPlaylist] : [safety]), { 'x-next-cursor': 'older' })
    const menu = await openMenu()
    await findTask('Fire safety')
    await enterText(user, within(menu).getByLabelText('Search'), 'brand')
    expect(await findTask('Brand new')).toBeTruthy()
    expect(api.callsOf(listTasks).at(-1)?.query).toMatchObject({ search: 'brand' })
  })

  test('returns the focus to its button', async () => {
    await openMenu()
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Tasks Menu' })))
  })
})

describe('assigning a task', () => {
  test('offers the people without the task, and says how many the server added', async () => {
    const dialog = await openAssignDialog('Fire safety')
    expect(await within(dialog).findByRole('checkbox', { name: /Trainee Two/ })).toBeTruthy()
    expect(within(dialog).queryByRole('checkbox', { name: /Trainee One/ })).toBeNull()
    expect(within(dialog).queryByLabelText('Search')).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])

    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee Two/ }))
    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee Three/ }))
    const updatedPlaylist = { ...safety, assigned_users: [trainee1.id, trainee2.id, trainee3.id] }
    api.answer(assignPlaylist, { success: true, assigned: 1, playlist: updatedPlaylist })
    api.answer(listTasks, [updatedPlaylist, unassignedPlaylist])
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 2 people' }))
    expect(await screen.findByText('Task assigned to 1 team member(s) successfully!')).toBeTruthy()
    expect(api.callsOf(assignPlaylist)[0]).toMatchObject({
      params: { id: safety.id },
      body: { assigned_users: [trainee2.id, trainee3.id] },
    })
    await waitFor(() => expect(screen.queryByRole('dialog', { name: /^Assign/ })).toBeNull())
    expect(await within(await findTask('Fire safety')).findByText('assigned to 3 people')).toBeTruthy()
  })

  test('chooses everybody who is listed at once, or nobody', async () => {
    const dialog = await openAssignDialog('Fire safety')
    const everybody = await within(dialog).findByRole<HTMLInputElement>('checkbox', { name: 'Select all 2' })
    await user.click(everybody)
    api.answer(assignPlaylist, { success: true, assigned: 2, playlist: safety })
    expect(within(dialog).getByRole('button', { name: 'Assign to 2 people' })).toBeTruthy()
    await user.click(everybody)
    expect(within(dialog).getByRole('button', { name: 'Assign' })).toBeTruthy()
    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee Two/ }))
    expect(everybody.checked).toBe(false)
    await user.click(everybody)
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 2 people' }))
    await screen.findByText('Task assigned to 2 team member(s) successfully!')
    expect(api.callsOf(assignPlaylist)[0]?.body).toEqual({ assigned_users: [trainee2.id, trainee3.id] })
  })

  test('marks addresses that nobody has verified', async () => {
    api.answer(listTeam, [trainee1, { ...trainee2, email_verified: false }, trainee3])
    const dialog = await openAssignDialog('Fire safety')
    expect(await within(dialog).findByRole('checkbox', { name: /Trainee Two.*Unverified/ })).toBeTruthy()
    expect(within(dialog).getByRole('checkbox', { name: /^(?!.*Unverified).*Trainee Three/ })).toBeTruthy()
  })

  test('sends a note to these people, and shows a refusal of it at its field', async () => {
    const dialog = await openAssignDialog('Brand new')
    await user.click(await within(dialog).findByLabelText(/^Trainee One/))
    await enterText(user, within(dialog).getByLabelText('Note'), ' Before Friday, please. ')
    api.answer(assignPlaylist, () =>
      HttpResponse.json(
        {
          code: 'invalid',
          detail: 'Invalid',
          errors: [{ path: 'note', message: 'must have at most 1000 characters' }],
        },
        { status: 422 },
      ),
    )
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    expect(await within(dialog).findByText('The note must have at most 1000 characters')).toBeTruthy()
    api.answer(assignPlaylist, { success: true, assigned: 1, playlist: unassignedPlaylist })
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    await screen.findByText('Task assigned to 1 team member(s) successfully!')
    expect(api.callsOf(assignPlaylist).at(-1)?.body).toEqual({
      assigned_users: [trainee1.id],
      note: 'Before Friday, please.',
    })
  })

  test('requires at least one person', async () => {
    const dialog = await openAssignDialog('Brand new')
    await within(dialog).findByRole('checkbox', { name: /Trainee Two/ })
    await user.click(within(dialog).getByRole('button', { name: 'Assign' }))
    expect(await within(dialog).findByText('At least one team member must be selected')).toBeTruthy()
    expect(api.callsOf(assignPlaylist)).toEqual([])
    await user.click(within(dialog).getByRole('checkbox', { name: /Trainee Two/ }))
    expect(within(dialog).queryByText('At least one team member must be selected')).toBeNull()
  })

  test('says when everybody has the task', async () => {
    api.answer(listTasks, [{ ...safety, assigned_users: [trainee1.id, trainee2.id, trainee3.id] }])
    const dialog = await openAssignDialog('Fire safety')
    expect(await within(dialog).findByText('All team members are already assigned to this task')).toBeTruthy()
  })

  test('is not the next step for a task that everybody has', async () => {
    api.answer(listTasks, [{ ...safety, assigned_users: [trainee1.id, trainee2.id, trainee3.id] }, unassignedPlaylist])
    await openMenu()
    const variantOf = (title: string) => screen.getByRole('button', { name: `Assign: ${title}` }).dataset.variant
    await waitFor(() => expect(variantOf('Fire safety')).toBe('default'))
    expect(variantOf('Brand new')).toBe('filled')
  })

  test('lists people in the order of the server, which also cuts the list into pages', async () => {
    api.answer(
      listTeam,
      [9, 10, 1].map(number => makeUser({ name: `Trainee ${number}` })),
    )
    const dialog = await openAssignDialog('Brand new')
    await within(dialog).findByRole('checkbox', { name: /Trainee 10/ })
    const names = within(dialog)
      .getAllByText(/^Trainee \d/)
      .map(name => name.textContent)
    expect(names).toEqual(['Trainee 9', 'Trainee 10', 'Trainee 1'])
  })

  test('without a team says so', async () => {
    api.answer(listTeam, [])
    const dialog = await openAssignDialog('Fire safety')
    expect(await within(dialog).findByText('No team members assigned')).toBeTruthy()
  })

  test.each([
    [() => api.refuse(assignPlaylist, 'outside_team'), 'Only members of your own team can be assigned.'],
    [() => api.cut(assignPlaylist), 'Failed to assign task'],
  ])('keeps the choice after a failure and gives the reason', async (failCall, message) => {
    const dialog = await openAssignDialog('Brand new')
    await user.click(await within(dialog).findByRole('checkbox', { name: /Trainee Two/ }))
    failCall()
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 1 person' }))
    expect(await within(dialog).findByText(message)).toBeTruthy()
    expect(within(dialog).getByRole<HTMLInputElement>('checkbox', { name: /Trainee Two/ }).checked).toBe(true)
  })

  test('searches on the server among many people and keeps the choice', async () => {
    const manyMembers = Array.from({ length: 12 }, (_, index) => makeUser({ name: `Member ${index}` }))
    api.answer(listTeam, ({ query }) => (query.search ? [trainee3] : manyMembers))
    const dialog = await openAssignDialog('Brand new')
    await user.click(await within(dialog).findByRole('checkbox', { name: /Member 11/ }))
    await enterText(user, within(dialog).getByLabelText('Search'), 'three')
    await user.click(await within(dialog).findByRole('checkbox', { name: /Trainee Three/ }))
    expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ search: 'three', role: 'user' })
    api.answer(assignPlaylist, { success: true, assigned: 2, playlist: unassignedPlaylist })
    await user.click(within(dialog).getByRole('button', { name: 'Assign to 2 people' }))
    await screen.findByText('Task assigned to 2 team member(s) successfully!')
    expect(api.callsOf(assignPlaylist)[0]?.body).toEqual({ assigned_users: [manyMembers[11]?.id, trainee3.id] })
  })

  test('keeps a chosen person visible during a search, so that the choice can be undone', async () => {
    const manyMembers = Array.from({ length: 12 }, (_, index) => makeUser({ name: `Member ${index}` }))
    api.answer(listTeam, ({ query }) => (query.search ? [trainee1] : manyMembers))
    const dialog = await openAssignDialog('Fire safety')
    await user.click(await within(dialog).findByRole('checkbox', { name: /Member 11/ }))
    await user.type(within(dialog).getByLabelText('Search'), 'one')
    const notice = 'Everybody found under that name is already assigned to this task.'
    expect(await within(dialog).findByText(notice)).toBeTruthy()
    await user.click(within(dialog).getByRole('checkbox', { name: /Member 11/ }))
    expect(within(dialog).queryByRole('checkbox')).toBeNull()
    expect(within(dialog).getByRole('button', { name: 'Assign' })).toBeTruthy()
  })

  test('skips pages of people who all have the task, and ends when nobody is left', async () => {
    const pages = [[trainee1], [trainee2], [trainee3]]
    api.answer(listTeam, ({ query }) => {
      const page = Number(query.cursor ?? 0)
      return HttpResponse.json(pages[page] as never, {
        headers: page + 1 < pages.length ? { 'x-next-cursor': String(page + 1) } : {},
      })
    })
    api.answer(listTasks, [{ ...safety, assigned_users: [trainee1.id, trainee2.id] }])
    const dialog = await openAssignDialog('Fire safety')
    expect(await within(dialog).findByRole('checkbox', { name: /Trainee Three/ })).toBeTruthy()
    cleanup()
    api.answer(listTasks, [{ ...safety, assigned_users: [trainee1.id, trainee2.id, trainee3.id] }])
    const secondDialog = await openAssignDialog('Fire safety')
    expect(await within(secondDialog).findByText('All team members are already assigned to this task')).toBeTruthy()
  })

  test('shows long lists in steps and says if there are more people', async () => {
    const manyMembers = Array.from({ length: 120 }, (_, index) => makeUser({ name: `Member ${index}.` }))
    api.answer(listTeam, manyMembers, { 'x-next-cursor': 'next' })
    const dialog = await openAssignDialog('Brand new')
    await within(dialog).findByText('Member 99.')
    expect(within(dialog).queryByText('Member 100.')).toBeNull()
    await user.click(within(dialog).getByRole('button', { name: 'Show more' }))
    expect(await within(dialog).findByText('Member 119.')).toBeTruthy()
    expect(within(dialog).getByText('There are more people: search to find them.')).toBeTruthy()
  })
})
