import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeam } from '@watchline/contracts/engagement'
import { changeRole, countUsers, listManagers, listSupervisors, listTeam } from '@watchline/contracts/organisation'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeam } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeCounts, openAdmin } from './_admin.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor1 = makeUser({
  name: 'Supervisor One',
  role: 'supervisor',
  user_count: 7,
  manager_id: 'm',
  manager_name: 'Manager One',
})
const supervisor2 = makeUser({ name: 'Supervisor Two', role: 'supervisor', user_count: 10, manager_name: null })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, makeCounts())
  api.answer(getTeam, makeTeam([]))
  api.answer(listSupervisors, [supervisor1, supervisor2], { 'x-total-count': '2' })
  api.answer(listManagers, [], { 'x-total-count': '0' })
})
afterEach(cleanup)

const lastQuery = () => api.callsOf(listSupervisors).at(-1)?.query
const findRow = async (name: string) =>
  within((await screen.findByRole('button', { name: `Manage ${name}` })).closest('tr') as HTMLElement)

test('the list shows each supervisor’s manager and how full the team is', async () => {
  openAdmin('/admin?tab=supervisors')
  const row = await findRow('Supervisor One')
  expect(row.getByText(supervisor1.email)).toBeTruthy()
  expect(row.getByText('Manager One')).toBeTruthy()
  expect(row.getAllByText('7/10 users').length).toBeGreaterThan(0)
  const fullRow = await findRow('Supervisor Two')
  expect(fullRow.getByText('None')).toBeTruthy()
  expect(fullRow.getAllByText('10/10 users').length).toBeGreaterThan(0)
  expect(fullRow.getAllByText('· full').length).toBeGreaterThan(0)
  expect(await findAccessibilityFaults()).toEqual([])
})

test('the size of a team opens the list of its people, who can be managed', async () => {
  const trainee = makeUser({ name: 'Trainee One', supervisor_id: supervisor1.id })
  api.answer(listTeam, [trainee])
  openAdmin('/admin?tab=supervisors')
  const row = await findRow('Supervisor One')
  await user.click(row.getAllByRole('button', { name: '7/10 users: show the team of Supervisor One' })[0]!)
  const dialog = within(await screen.findByRole('dialog', { name: 'Team of Supervisor One' }))
  const member = await dialog.findByRole('button', { name: /Trainee One/ })
  expect(api.callsOf(listTeam).at(-1)?.query).toMatchObject({ supervisor_id: supervisor1.id, role: 'user' })
  await user.click(member)
  const panel = within(await screen.findByRole('dialog', { name: 'Manage person' }))
  expect(panel.getByText(trainee.email)).toBeTruthy()
})

test('the list is searched on the server and has pages', async () => {
  api.answer(listSupervisors, [supervisor1], { 'x-total-count': '3120', 'x-next-cursor': 'second' })
  openAdmin('/admin?tab=supervisors')
  expect(await screen.findByText('1–1 of 3,120 supervisors · page 1 of 125')).toBeTruthy()
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ cursor: 'second' }))
  await user.type(screen.getByLabelText('Search'), 'sup')
  await waitFor(() => expect(lastQuery()).toMatchObject({ limit: '25', search: 'sup' }))
  await waitFor(() => expect(screen.getByTestId('address').textContent).toBe('/admin?tab=supervisors&search=sup'))
})

test('an empty list leads to all users, an empty result says so', async () => {
  api.answer(listSupervisors, [])
  openAdmin('/admin?tab=supervisors')
  expect(await screen.findByText('No supervisors assigned yet')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Show all users' }).getAttribute('href')).toBe('/admin?tab=users')
  cleanup()
  openAdmin('/admin?tab=supervisors&search=x')
  expect(await screen.findByText('Nobody found')).toBeTruthy()
})

test('the list can be loaded again after a failure', async () => {
  api.cut(listSupervisors)
  openAdmin('/admin?tab=supervisors')
  expect(await screen.findByText('Couldn’t load the supervisors.')).toBeTruthy()
  expect(screen.getByText('Check your connection.')).toBeTruthy()
  api.answer(listSupervisors, [supervisor1])
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('Supervisor One')).toBeTruthy()
})

test('a supervisor with a new role leaves the list', async () => {
  openAdmin('/admin?tab=supervisors')
  await user.click(await screen.findByRole('button', { name: 'Manage Supervisor One' }))
  const panel = within(await screen.findByRole('dialog'))
  await user.selectOptions(panel.getByLabelText('Role'), 'manager')
  expect(panel.getByText('Their team is freed: 7 users will have no supervisor.')).toBeTruthy()
  api.answer(changeRole, { success: true, user: { ...supervisor1, role: 'manager' } })
  api.answer(listSupervisors, [supervisor2], { 'x-total-count': '1' })
  await user.click(panel.getByRole('button', { name: 'Save' }))
  expect(await screen.findByText('Supervisor One is now a manager')).toBeTruthy()
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Manage Supervisor One', hidden: true })).toBeNull())
  await user.keyboard('{Escape}')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  // The opener no longer exists, so the focus moves to the list.
  await waitFor(() => expect(document.activeElement).not.toBe(document.body))
  expect(document.activeElement?.contains(screen.getByRole('button', { name: 'Manage Supervisor Two' }))).toBe(true)
})
