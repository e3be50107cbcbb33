import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { changeRole, countUsers, listManagers, listSupervisors } from '@watchline/contracts/organisation'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { counts, openAdmin } from './_admin.tsx'

const api = fakeApi()
const user = userEvent.setup()
const supervisor1 = aUser({
  name: 'Supervisor One',
  role: 'supervisor',
  user_count: 7,
  manager_id: 'm',
  manager_name: 'Manager One',
})
const supervisor2 = aUser({ name: 'Supervisor Two', role: 'supervisor', user_count: 10, manager_name: null })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, counts())
  api.answer(listSupervisors, [supervisor1, supervisor2], { 'x-total-count': '2' })
  api.answer(listManagers, [], { 'x-total-count': '0' })
})
afterEach(cleanup)

const lastAsked = () => api.callsOf(listSupervisors).at(-1)?.query
const rowOf = async (name: string) =>
  within((await screen.findByRole('button', { name: `Manage ${name}` })).closest('tr') as HTMLElement)

test('supervisors are listed with their manager and how much of their team is taken', async () => {
  openAdmin('/admin?tab=supervisors')
  const row = await rowOf('Supervisor One')
  expect(row.getByText(supervisor1.email)).toBeTruthy()
  expect(row.getByText('Manager One')).toBeTruthy()
  expect(row.getAllByText('7/10 users').length).toBeGreaterThan(0)
  const full = await rowOf('Supervisor Two')
  expect(full.getByText('None')).toBeTruthy()
  expect(full.getAllByText('10/10 users').length).toBeGreaterThan(0)
  expect(full.getAllByText('· full').length).toBeGreaterThan(0)
  expect(await accessibilityFaults()).toEqual([])
})

test('they are searched by the server and come page by page', async () => {
  api.answer(listSupervisors, [supervisor1], { 'x-total-count': '3120', 'x-next-cursor': 'second' })
  openAdmin('/admin?tab=supervisors')
  expect(await screen.findByText('1–1 of 3,120 supervisors · page 1 of 125')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(lastAsked()).toMatchObject({ cursor: 'second' }))
  await user.type(screen.getByLabelText('Search'), 'sup')
  await waitFor(() => expect(lastAsked()).toEqual({ limit: '25', search: 'sup' }))
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/admin?tab=supervisors&search=sup'))
})

test('none yet says so and leads to all users; none found says so', async () => {
  api.answer(listSupervisors, [])
  openAdmin('/admin?tab=supervisors')
  expect(await screen.findByText('No supervisors assigned yet')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Show all users' }).getAttribute('href')).toBe('/admin?tab=users')
  cleanup()
  openAdmin('/admin?tab=supervisors&search=x')
  expect(await screen.findByText('Nobody found')).toBeTruthy()
})

test('a list that fails to load can be asked for again', async () => {
  api.cut(listSupervisors)
  openAdmin('/admin?tab=supervisors')
  expect(await screen.findByText('Failed to load supervisors. Please try again.')).toBeTruthy()
  expect(screen.getByText('Network Error')).toBeTruthy()
  api.answer(listSupervisors, [supervisor1])
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('Supervisor One')).toBeTruthy()
})

test('a supervisor gets another role in the side panel and leaves the list', async () => {
  openAdmin('/admin?tab=supervisors')
  await user.click(await screen.findByRole('button', { name: 'Manage Supervisor One' }))
  const panel = within(await screen.findByRole('dialog'))
  await user.selectOptions(panel.getByLabelText('Role'), 'manager')
  expect(panel.getByText('Their team is freed: 7 users will have no supervisor.')).toBeTruthy()
  api.answer(changeRole, { success: true, user: { ...supervisor1, role: 'manager' } })
  api.answer(listSupervisors, [supervisor2], { 'x-total-count': '1' })
  await user.click(panel.getByRole('button', { name: 'Update Role' }))
  expect(await screen.findByText('Supervisor One is now manager')).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Manage Supervisor One', hidden: true })).toBeNull())
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  // The button that opened the panel is gone; the keyboard goes on at the list.
  await waitFor(() => expect(document.activeElement).not.toBe(document.body))
  expect(document.activeElement?.contains(screen.getByRole('button', { name: 'Manage Supervisor Two' }))).toBe(true)
})
