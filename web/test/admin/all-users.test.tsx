import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { limits } from '@watchline/contracts/limits'
import { countUsers, listUsers } from '@watchline/contracts/organisation'
import type { User } from '@watchline/contracts/people'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { counts, openAdmin } from './_admin.tsx'

const api = fakeApi()
const user = userEvent.setup()
const supervisor1 = aUser({ name: 'Supervisor One', role: 'supervisor', user_count: 7 })
const trainee1 = aUser({ name: 'Trainee One', supervisor_id: supervisor1.id, supervisor_name: 'Supervisor One' })
const trainee2 = aUser({ name: 'Trainee Two', supervisor_name: null })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, counts())
  people([trainee1, trainee2, supervisor1])
})
afterEach(cleanup)

function people(list: User[], headers: Record<string, string> = {}) {
  api.answer(listUsers, list, { 'x-total-count': String(list.length), ...headers })
}

const lastAsked = () => api.callsOf(listUsers).at(-1)?.query
const address = () => screen.getByTestId('address').textContent
const rowOf = async (name: string) =>
  within((await screen.findByRole('button', { name: `Manage ${name}` })).closest('tr') as HTMLElement)

test('people are listed with picture or initials, name, e-mail, supervisor and role', async () => {
  openAdmin('/admin?tab=users')
  const row = await rowOf('Trainee One')
  expect(row.getByText('Trainee One')).toBeTruthy()
  expect(row.getByText(trainee1.email)).toBeTruthy()
  expect(row.getByText('TO')).toBeTruthy()
  expect(row.getByText('Supervisor One')).toBeTruthy()
  expect(row.getAllByText('user').length).toBeGreaterThan(0)
  expect((await rowOf('Trainee Two')).getByText('Unknown')).toBeTruthy()
  expect((await rowOf('Supervisor One')).queryByText('Unknown')).toBeNull()
  expect(screen.getByText('3 users')).toBeTruthy()
  expect(await accessibilityFaults()).toEqual([])
})

test('who was brought in by an import and has not come yet is marked', async () => {
  people([aUser({ name: 'Trainee Three', invited: true }), aUser({ name: 'Trainee Four', invited: false })])
  openAdmin('/admin?tab=users')
  expect((await rowOf('Trainee Three')).getByText('Invited')).toBeTruthy()
  expect((await rowOf('Trainee Four')).queryByText('Invited')).toBeNull()
})

test('they are searched by the server when the typing rests, and the address keeps the search', async () => {
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee One')
  await user.type(screen.getByLabelText('Search'), ' one ')
  await waitFor(() => expect(lastAsked()).toMatchObject({ search: 'one' }))
  const searches = new Set(api.callsOf(listUsers).map(({ query }) => query.search))
  expect(searches).toEqual(new Set([undefined, 'one']))
  await waitFor(() => expect(address()).toBe('/admin?tab=users&search=one'))
  await user.clear(screen.getByLabelText('Search'))
  await waitFor(() => expect(address()).toBe('/admin?tab=users'))
})

test('search and role stand in the address, and a role keeps the search', async () => {
  openAdmin('/admin?tab=users&role=director&search=one')
  await screen.findByText('Trainee One')
  expect(lastAsked()).toMatchObject({ role: 'director', search: 'one' })
  expect(screen.getByLabelText<HTMLInputElement>('Search').value).toBe('one')
  await user.click(await screen.findByRole('button', { name: /^Supervisors/ }))
  await waitFor(() => expect(lastAsked()).toMatchObject({ role: 'supervisor', search: 'one' }))
  await user.selectOptions(screen.getByLabelText('Role'), 'all')
  await waitFor(() => expect(address()).toBe('/admin?tab=users&search=one'))
})

test('they come page by page, and a new question starts at the first', async () => {
  people([trainee1], { 'x-total-count': '60', 'x-next-cursor': 'second' })
  openAdmin('/admin?tab=users')
  expect(await screen.findByText('1–1 of 60 users · page 1 of 3')).toBeTruthy()
  people([trainee2], { 'x-total-count': '60' })
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(lastAsked()).toMatchObject({ cursor: 'second', limit: '25' }))
  expect(await screen.findByText('26–26 of 60 users · page 2 of 3')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Next' }).hasAttribute('disabled')).toBe(true)

  await user.selectOptions(screen.getByLabelText('Role'), 'director')
  await waitFor(() => expect(lastAsked()).toMatchObject({ role: 'director' }))
  expect(lastAsked()).not.toHaveProperty('cursor')
})

test('a page that was emptied meanwhile has the way back', async () => {
  people([trainee1], { 'x-total-count': '26', 'x-next-cursor': 'second' })
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee One')
  people([])
  await user.click(screen.getByRole('button', { name: 'Next' }))
  expect(await screen.findByText('Nobody is left on this page')).toBeTruthy()
  people([trainee1])
  await user.click(screen.getByRole('button', { name: 'Previous' }))
  expect(await screen.findByText('Trainee One')).toBeTruthy()
})

test('nobody found says what to do, and nobody at all how people come', async () => {
  people([])
  openAdmin('/admin?tab=users&role=director')
  expect(await screen.findByText('Nobody found')).toBeTruthy()
  cleanup()
  openAdmin('/admin?tab=users')
  expect(await screen.findByText('No users yet')).toBeTruthy()
})

test('a list that fails to load can be asked for again', async () => {
  api.refuse(listUsers, 'unavailable')
  openAdmin('/admin?tab=users')
  expect(await screen.findByText('Failed to load users. Please try again.')).toBeTruthy()
  people([trainee1])
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('Trainee One')).toBeTruthy()
})

test('what was loaded stays when it cannot be loaded again', async () => {
  openAdmin('/admin?tab=users')
  await screen.findByText('Trainee One')
  api.refuse(listUsers, 'unavailable')
  await user.type(screen.getByLabelText('Search'), 'x')
  expect(await screen.findByText('Failed to load users. Please try again.')).toBeTruthy()
  expect(screen.getByText('Below is the last data that could be loaded.')).toBeTruthy()
  expect(screen.getByText('Trainee One')).toBeTruthy()
})

test('a search is never longer than the server takes', async () => {
  openAdmin(`/admin?tab=users&search=${'a'.repeat(limits.nameMaxLength + 5)}`)
  await screen.findByText('Trainee One')
  expect(lastAsked()?.search).toHaveLength(limits.nameMaxLength)
})
