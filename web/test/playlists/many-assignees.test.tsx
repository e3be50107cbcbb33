import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type ListedAssignment, listAssignees, listTasks } from '@watchline/contracts/assignments'
import { listGroupAssignments } from '@watchline/contracts/group-assignments'
import { limits } from '@watchline/contracts/limits'
import { listOwnSupervisors, listTeam } from '@watchline/contracts/organisation'
import { listPlaylists } from '@watchline/contracts/playlists'
import { HttpResponse } from 'msw'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makePlaylist } from '../support/playlists.ts'
import { renderPlaylistsScreen } from './_playlists-screen.tsx'

// More people have the playlist than its answer lists, so the server is asked about each person.

const api = createFakeApi()
const user = userEvent.setup()
const director = makeUser({ role: 'director' })
const [one, two] = [makeUser({ name: 'Trainee One' }), makeUser({ name: 'Trainee Two' })]
const safety = makePlaylist({ title: 'Fire safety', assigned_users: ['somebody'], assigned_count: 2_500 })
const calls = makePlaylist({ title: 'Customer calls', assigned_users: ['somebody', one.id] })

const makeAssignee = (user_id: string): ListedAssignment => ({
  ...{ user_id, status: 'completed', assigned_by: director.id, assigned_date: '2026-11-03T08:00:00.000Z' },
  ...{ completed_at: '2026-11-20T08:00:00.000Z', due: null },
})

/** The server knows that these people have the playlists. */
function answerAssignees(...ids: string[]): void {
  api.answer(listAssignees, ({ query }) => {
    const requestedIds = new Set(query.user_ids?.split(','))
    return ids.filter(id => requestedIds.has(id)).map(makeAssignee)
  })
}

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listGroupAssignments, [])
  api.answer(listTeam, [one, two])
  api.answer(listPlaylists, [calls, safety])
  api.refuse(listTasks, 'forbidden')
  answerAssignees(one.id)
})
afterEach(cleanup)

async function openPlaylist() {
  renderPlaylistsScreen(director)
  await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
  return screen.findByRole('dialog', { name: 'Fire safety' })
}

async function openAssignDialog() {
  const playlistDialog = await openPlaylist()
  await user.click(within(playlistDialog).getByRole('button', { name: 'Assign' }))
  return screen.findByRole('dialog', { name: 'Assign “Fire safety”' })
}

describe('a playlist of many people', () => {
  test('shows their number in the list, which is sorted by it', async () => {
    renderPlaylistsScreen(director)
    const row = (await screen.findByRole('button', { name: 'Fire safety' })).closest('tr')!
    expect(row.cells[3]?.textContent).toBe('2,500')
    await user.click(screen.getByRole('button', { name: 'Assigned' }))
    const titles = screen.getAllByRole('row').flatMap(found => found.querySelector('td button')?.textContent ?? [])
    expect(titles).toEqual(['Fire safety', 'Customer calls'])
  })

  test('shows their number in the tasks menu and before its deletion', async () => {
    renderPlaylistsScreen(director)
    await user.click(screen.getByRole('button', { name: 'Tasks Menu' }))
    expect(await screen.findByText('assigned to 2,500 people')).toBeTruthy()
    cleanup()
    const dialog = await openPlaylist()
    await user.click(within(dialog).getByRole('button', { name: 'Delete' }))
    expect(await screen.findByText(/disappears for the 2,500 people/)).toBeTruthy()
  })

  test('tells a manager to how many people it is assigned', async () => {
    const manager = makeUser({ role: 'manager' })
    api.answer(listOwnSupervisors, [])
    api.answer(listPlaylists, [{ ...safety, created_by: manager.id }])
    renderPlaylistsScreen(manager)
    await user.click(await screen.findByRole('button', { name: 'Fire safety' }))
    expect(await screen.findByText('They have assigned it to 2,500 people.')).toBeTruthy()
  })

  test('lists those of the team who have it, with the state of their task', async () => {
    const dialog = await openPlaylist()
    expect(within(dialog).getByText('Assigned to 2,500 people')).toBeTruthy()
    expect(await within(dialog).findByText('Trainee One')).toBeTruthy()
    expect(within(dialog).getByText(/^✓ Completed/)).toBeTruthy()
    expect(within(dialog).queryByText('Trainee Two')).toBeNull()
    expect(within(dialog).getByText('and 2,499 people not in this list')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('finds people beyond the first page of the team by a search', async () => {
    api.answer(listTeam, ({ query }) =>
      HttpResponse.json((query.search ? [two] : [one]) as never, { headers: { 'x-next-cursor': 'next' } }),
    )
    answerAssignees(two.id)
    const dialog = await openPlaylist()
    expect(await within(dialog).findByText('2,500 people not in this list')).toBeTruthy()
    await user.type(within(dialog).getByLabelText('Search people'), 'two')
    expect(await within(dialog).findByText('Trainee Two')).toBeTruthy()
    expect(within(dialog).getByRole('button', { name: 'Exceptions' })).toBeTruthy()
    expect(within(dialog).getByRole('button', { name: 'Unassign Trainee Two' })).toBeTruthy()
    answerAssignees()
    await user.clear(within(dialog).getByLabelText('Search people'))
    await user.type(within(dialog).getByLabelText('Search people'), 'else')
    expect(await within(dialog).findByText('Nobody who has this task is found under that name.')).toBeTruthy()
  })

  test('lists deactivated people, who are in no team, unless a search excludes them', async () => {
    api.answer(listTeam, [one], { 'x-next-cursor': 'next' })
    const former = { ...makeAssignee('former'), name: 'Former Person', deactivated: { name: 'Former Person' } }
    api.answer(listAssignees, ({ query }) => (query.deactivated ? [former] : [makeAssignee(one.id)]))
    const dialog = await openPlaylist()
    expect(await within(dialog).findByText('Former Person')).toBeTruthy()
    expect(within(dialog).getByText('Deactivated: cannot complete this task')).toBeTruthy()
    expect(within(dialog).getByText('and 2,498 people not in this list')).toBeTruthy()
    await user.type(within(dialog).getByLabelText('Search people'), 'trainee')
    await waitFor(() => expect(within(dialog).queryByText('Former Person')).toBeNull())
    expect(await within(dialog).findByText('Trainee One')).toBeTruthy()
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(listAssignees, 'unavailable')
    const dialog = await openPlaylist()
    expect(await within(dialog).findByText('Couldn’t load the due dates.')).toBeTruthy()
    answerAssignees(two.id)
    await user.click(within(dialog).getByRole('button', { name: 'Try Again' }))
    expect(await within(dialog).findByText('Trainee Two')).toBeTruthy()
  })

  test('is the next step to assign until the whole team has it', async () => {
    const dialog = await openPlaylist()
    await within(dialog).findByText('Trainee One')
    expect(within(dialog).getByRole('button', { name: 'Assign' }).dataset.variant).toBe('filled')
    cleanup()
    answerAssignees(one.id, two.id)
    const secondDialog = await openPlaylist()
    const findButton = () => within(secondDialog).getByRole('button', { name: 'Assign' })
    await waitFor(() => expect(findButton().dataset.variant).toBe('default'))
  })
})

test('people of a short list are there, whatever page of the team has them', async () => {
  const few = makePlaylist({ title: 'Fire safety', assigned_users: ['beyond', one.id] })
  api.answer(listPlaylists, [few])
  api.answer(listTeam, [one, two], { 'x-next-cursor': 'next' })
  api.answer(listAssignees, [
    { ...makeAssignee('beyond'), name: 'Zoe Beyond', status: 'assigned', completed_at: null },
    { ...makeAssignee(one.id), name: one.name },
  ])
  const dialog = await openPlaylist()
  expect(await within(dialog).findByText('Zoe Beyond')).toBeTruthy()
  expect(within(dialog).queryByText(/not in this list/)).toBeNull()
  expect(within(dialog).queryByLabelText('Search people')).toBeNull()
  await user.click(within(dialog).getByRole('button', { name: 'Due dates' }))
  const dueDialog = await screen.findByRole('dialog', { name: 'Due dates of “Fire safety”' })
  expect(within(dueDialog).getByText('Zoe Beyond')).toBeTruthy()
})

describe('the dialog to assign it', () => {
  test('hides the people who have it', async () => {
    const dialog = await openAssignDialog()
    expect(await within(dialog).findByRole('checkbox', { name: /Trainee Two/ })).toBeTruthy()
    expect(within(dialog).queryByText('Trainee One')).toBeNull()
  })

  test('asks about as many people at once as a query may name', async () => {
    const members = Array.from({ length: limits.idListMax + 5 }, (_, index) => makeUser({ name: `Member ${index}.` }))
    api.answer(listTeam, members)
    answerAssignees(...members.slice(1).map(({ id }) => id))
    const dialog = await openAssignDialog()
    expect(await within(dialog).findByText('Member 0.')).toBeTruthy()
    expect(within(dialog).queryByText(/^Member [1-9]/)).toBeNull()
    const requests = api.callsOf(listAssignees).map(({ query }) => query.user_ids?.split(',') ?? [])
    expect(new Set(requests.flat())).toEqual(new Set(members.map(({ id }) => id)))
    for (const ids of requests) expect(ids.length).toBeLessThanOrEqual(limits.idListMax)
  })

  test('can be loaded again if the server does not say who has it', async () => {
    api.refuse(listAssignees, 'unavailable')
    const dialog = await openAssignDialog()
    expect(await within(dialog).findByText('Couldn’t load the team.')).toBeTruthy()
    answerAssignees(one.id)
    const retryButton = within(dialog).getByRole('button', { name: 'Try Again' })
    await waitFor(() => expect(retryButton.getAttribute('aria-disabled')).toBeNull())
    await user.click(retryButton)
    expect(await within(dialog).findByRole('checkbox', { name: /Trainee Two/ })).toBeTruthy()
  })

  test('asks for a search instead of reading thousands of people who have it', async () => {
    api.answer(listTeam, ({ query }) =>
      HttpResponse.json((query.search ? [two] : [one]) as never, {
        headers: { 'x-next-cursor': String(Number(query.cursor ?? 0) + 1) },
      }),
    )
    const dialog = await openAssignDialog()
    expect(await within(dialog).findByText(/^Thousands of people at the top of the list/)).toBeTruthy()
    expect(within(dialog).getByText('There are more people: search to find them.')).toBeTruthy()
    await user.type(within(dialog).getByLabelText('Search'), 'two')
    expect(await within(dialog).findByRole('checkbox', { name: /Trainee Two/ })).toBeTruthy()
  })
})
