import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeam } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { countUsers, listUsers } from '@watchline/contracts/organisation'
import type { User } from '@watchline/contracts/people'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeam } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeCounts, openAdmin } from './_admin.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({ name: 'Supervisor One', role: 'supervisor', user_count: 7 })
const trainee1 = makeUser({ name: 'Trainee One', supervisor_id: supervisor1.id, supervisor_name: 'Supervisor One' })
const trainee2 = makeUser({ name: 'Trainee Two', supervisor_name: null })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, makeCounts())
  api.answer(getTeam, makeTeam([]))
  answerPeople([trainee1, trainee2, supervisor1])
})
afterEach(cleanup)

function answerPeople(list: User[], headers: Record<string, string> = {}) {
  api.answer(listUsers, list, { 'x-total-count': String(list.length), ...headers })
}

const lastQuery = () => api.callsOf(listUsers).at(-1)?.query
const address = () => screen.getByTestId('address').textContent
const findRow = async (name: string) =>
  within((await screen.findByRole('button', { name: `Manage ${name}` })).closest('tr') as HTMLElement)

test('the list shows picture or initials, name, email, supervisor and role', async () => {
  openAdmin('/admin?tab=users')
  const row = await findRow('Trainee One')
  expect(row.getByText('Trainee One')).toBeTruthy()
  expect(row.getByText(trainee1.email)).toBeTruthy()
  expect(row.getByText('TO')).toBeTruthy()
  expect(row.getByText('Supervisor One')).toBeTruthy()
  expect(row.getAllByText('user').length).toBeGreaterThan(0)
  expect((await findRow('Trainee Two')).getByText('Unknown')).toBeTruthy()
  expect((await findRow('Supervisor One')).queryByText('Unknown')).toBeNull()
  expect(screen.getByText('3 users')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('an invited person is marked until the first sign-in', async () => {
  answerPeople([makeUser({ name: 'Trainee Three', invited: true }), makeUser({ name: 'Trainee Four', invited: false })])
  openAdmin('/admin?tab=users')
  expect((await findRow('Trainee Three')).getByText('Invited')).toBeTruthy()
  expect((await findRow('Trainee Four')).queryByText('Invited')).toBeNull()
})

test('the server searches once the typing pauses, and the address keeps the search', async () => {
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee One')
  await enterText(user, screen.getByLabelText('Search'), ' one ')
  await waitFor(() => expect(lastQuery()).toMatchObject({ search: 'one' }))
  const searches = new Set(api.callsOf(listUsers).map(({ query }) => query.search))
  expect(searches).toEqual(new Set([undefined, 'one']))
  await waitFor(() => expect(address()).toBe('/admin?tab=users&search=one'))
  await user.clear(screen.getByLabelText('Search'))
  await waitFor(() => expect(address()).toBe('/admin?tab=users'))
})

test('the address keeps search and role, and choosing a role keeps the search', async () => {
  openAdmin('/admin?tab=users&role=director&search=one')
  await screen.findByText('Trainee One')
  expect(lastQuery()).toMatchObject({ role: 'director', search: 'one' })
  expect(screen.getByLabelText<HTMLInputElement>('Search').value).toBe('one')
  await user.click(await screen.findByRole('button', { name: /^Supervisors/ }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ role: 'supervisor', search: 'one' }))
  await user.selectOptions(screen.getByLabelText('Role'), 'all')
  await waitFor(() => expect(address()).toBe('/admin?tab=users&search=one'))
})

test('the list has pages, and another filter starts at the first page', async () => {
  answerPeople([trainee1], { 'x-total-count': '60', 'x-next-cursor': 'second' })
  openAdmin('/admin?tab=users')
  expect(await screen.findByText('1–1 of 60 users · page 1 of 3')).toBeTruthy()
  answerPeople([trainee2], { 'x-total-count': '60' })
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ cursor: 'second', limit: '25' }))
  expect(await screen.findByText('26–26 of 60 users · page 2 of 3')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled')).toBe('true')

  await user.selectOptions(screen.getByLabelText('Role'), 'director')
  await waitFor(() => expect(lastQuery()).toMatchObject({ role: 'director' }))
  expect(lastQuery()).not.toHaveProperty('cursor')
})

test('the headers sort the whole list on the server, from its first page, and the order is remembered', async () => {
  answerPeople([trainee1], { 'x-total-count': '60', 'x-next-cursor': 'second' })
  openAdmin('/admin?tab=users')
  await screen.findByText('1–1 of 60 users · page 1 of 3')
  expect(lastQuery()).toMatchObject({ sort: 'name', order: 'asc' })
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await screen.findByText(/page 2 of 3/)
  await user.click(screen.getByRole('button', { name: 'Joined' }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ sort: 'joined', order: 'desc' }))
  expect(lastQuery()).not.toHaveProperty('cursor')
  expect(await screen.findByText(/page 1 of 3/)).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Joined' }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ sort: 'joined', order: 'asc' }))
  expect(screen.getByRole('columnheader', { name: /Joined/ }).getAttribute('aria-sort')).toBe('ascending')
  // This order is still in the cache, so no call follows.
  await user.click(screen.getByRole('button', { name: 'Person' }))
  expect(screen.getByRole('columnheader', { name: /Person/ }).getAttribute('aria-sort')).toBe('ascending')
  await user.click(screen.getByRole('button', { name: 'Role' }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ sort: 'role', order: 'asc' }))
  cleanup()
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee One')
  expect(lastQuery()).toMatchObject({ sort: 'role', order: 'asc' })
})

test('the list shows people without a team, and the tab opens with its last filter', async () => {
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee One')
  await user.selectOptions(screen.getByLabelText('Team'), 'No team')
  await waitFor(() => expect(lastQuery()).toMatchObject({ without_team: 'true' }))
  expect(address()).toBe('/admin?tab=users&team=none')
  expect(screen.getByRole('button', { name: /^Total Users/ }).getAttribute('aria-pressed')).toBe('false')

  await user.click(screen.getByRole('tab', { name: "Who's Online" }))
  await user.click(screen.getByRole('tab', { name: 'All Users' }))
  await waitFor(() => expect(address()).toBe('/admin?tab=users&team=none'))
  await waitFor(() => expect(screen.getByLabelText<HTMLSelectElement>('Team').value).toBe('none'))

  // Only users can lack a team.
  await user.selectOptions(screen.getByLabelText('Role'), 'supervisor')
  await waitFor(() => expect(address()).toBe('/admin?tab=users&role=supervisor'))
  expect(screen.getByLabelText<HTMLSelectElement>('Team').disabled).toBe(true)
  await user.click(await screen.findByRole('button', { name: /^Total Users/ }))
  await waitFor(() => expect(address()).toBe('/admin?tab=users'))
  expect(lastQuery()).not.toHaveProperty('without_team')
})

test('a page that has become empty offers the way back', async () => {
  answerPeople([trainee1], { 'x-total-count': '26', 'x-next-cursor': 'second' })
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee One')
  answerPeople([])
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(await screen.findByText('Nobody is left on this page')).toBeTruthy()
  answerPeople([trainee1])
  await user.click(screen.getByRole('button', { name: 'Previous' }))
  expect(await screen.findByText('Trainee One')).toBeTruthy()
})

test('an empty list explains whether nobody matches or nobody exists', async () => {
  answerPeople([])
  openAdmin('/admin?tab=users&role=director')
  expect(await screen.findByText('Nobody found')).toBeTruthy()
  cleanup()
  openAdmin('/admin?tab=users')
  expect(await screen.findByText('No users yet')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Choose a file' }).getAttribute('href')).toMatch(/view=import$/)
})

test('the list can be loaded again after a failure', async () => {
  api.refuse(listUsers, 'unavailable')
  openAdmin('/admin?tab=users')
  expect(await screen.findByText('Couldn’t load the users.')).toBeTruthy()
  answerPeople([trainee1])
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('Trainee One')).toBeTruthy()
})

test('the loaded list stays if reloading fails', async () => {
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee One')
  api.refuse(listUsers, 'unavailable')
  await user.type(screen.getByLabelText('Search'), 'x')
  expect(await screen.findByText('Couldn’t load the users.')).toBeTruthy()
  expect(screen.getByText('Showing the last loaded data.')).toBeTruthy()
  expect(screen.getByText('Trainee One')).toBeTruthy()
})

test('a search is never longer than the server accepts', async () => {
  openAdmin(`/admin?tab=users&search=${'a'.repeat(limits.nameMaxLength + 5)}`)
  await screen.findByText('Trainee One')
  expect(lastQuery()?.search).toHaveLength(limits.nameMaxLength)
})
