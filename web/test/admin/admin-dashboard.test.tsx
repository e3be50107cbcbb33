import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { changeRole, changeSupervisor, countUsers, listSupervisors, listUsers } from '@watchline/contracts/auth'
import type { User } from '@watchline/contracts/people'
import { AdminDashboard } from '../../src/features/admin/admin-dashboard.tsx'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()
const sam = aUser({ name: 'Sam', role: 'supervisor', user_count: 7 })
const sue = aUser({ name: 'Sue', role: 'supervisor', user_count: 10 })
const ada = aUser({ name: 'Ada Byron', supervisor_id: sam.id, supervisor_name: 'Sam' })
const ben = aUser({ name: 'Ben', supervisor_name: null })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, {
    total: 1_312,
    user: 1_200,
    supervisor: 90,
    manager: 20,
    director: 2,
    managed_supervisors: 40,
    pending_requests: 0,
  })
  api.answer(listSupervisors, [sam, sue])
  people([ada, ben, sam])
})
afterEach(cleanup)

function people(list: User[], headers: Record<string, string> = {}) {
  api.answer(listUsers, list, { 'x-total-count': String(list.length), ...headers })
}

const lastAsked = () => api.callsOf(listUsers).at(-1)?.query
const openUsers = () => renderScreen(<AdminDashboard onlinePanel={<p>who is online</p>} />, { at: '/admin?tab=users' })

describe('the figures', () => {
  test('stand above who is online', async () => {
    renderScreen(<AdminDashboard onlinePanel={<p>who is online</p>} />, { at: '/admin' })
    expect(await screen.findByRole('button', { name: /Total Users\s*1,312/ })).toBeTruthy()
    for (const name of [/^Supervisors\s*90/, /^Managers\s*20/, /^Directors\s*2/, /^Regular Users\s*1,200/])
      expect(screen.getByRole('button', { name })).toBeTruthy()
    expect(screen.getByText('who is online')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('are filters of the list', async () => {
    renderScreen(<AdminDashboard onlinePanel={<p>who is online</p>} />, { at: '/admin' })
    await user.click(await screen.findByRole('button', { name: /Managers\s*20/ }))
    await waitFor(() => expect(lastAsked()).toMatchObject({ role: 'manager' }))
    expect(screen.getByTestId('address').textContent).toBe('/admin?tab=users&role=manager')
    expect(screen.getByRole('button', { name: /Managers/ }).getAttribute('aria-pressed')).toBe('true')
  })

  test('that do not come can be asked for again', async () => {
    api.refuse(countUsers, 'unavailable')
    openUsers()
    expect(await screen.findByText('The figures could not be loaded. Please try again.')).toBeTruthy()
    api.answer(countUsers, {
      total: 3,
      user: 2,
      supervisor: 1,
      manager: 0,
      director: 0,
      managed_supervisors: 0,
      pending_requests: 0,
    })
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: /Total Users\s*3/ })).toBeTruthy()
  })
})

describe('all users', () => {
  test('are listed with picture or initials, name, e-mail, supervisor and role', async () => {
    openUsers()
    const row = (await screen.findByRole('button', { name: 'Manage Ada Byron' })).closest('tr') as HTMLElement
    expect(within(row).getByText('Ada Byron')).toBeTruthy()
    expect(within(row).getByText(ada.email)).toBeTruthy()
    expect(within(row).getAllByText('Sam').length).toBeGreaterThan(0)
    const unknown = screen.getByRole('button', { name: 'Manage Ben' }).closest('tr') as HTMLElement
    expect(within(unknown).getAllByText('Unknown').length).toBeGreaterThan(0)
    expect(await accessibilityFaults()).toEqual([])
  })

  test('are searched by the server', async () => {
    openUsers()
    await screen.findByText('Ada Byron')
    await user.type(screen.getByLabelText('Search'), ' ada ')
    await waitFor(() => expect(lastAsked()).toMatchObject({ search: 'ada' }))
  })

  test('come page by page, and a new question starts at the first', async () => {
    people([ada], { 'x-total-count': '60', 'x-next-cursor': 'second' })
    openUsers()
    expect(await screen.findByText('1–1 of 60')).toBeTruthy()
    people([ben], { 'x-total-count': '60' })
    await user.click(screen.getByRole('button', { name: 'Next' }))
    await waitFor(() => expect(lastAsked()).toMatchObject({ cursor: 'second' }))
    expect(await screen.findByText('26–26 of 60')).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Next' }).hasAttribute('disabled')).toBe(true)

    await user.selectOptions(screen.getByLabelText('Role'), 'director')
    await waitFor(() => expect(lastAsked()).toMatchObject({ role: 'director' }))
    expect(lastAsked()).not.toHaveProperty('cursor')
  })

  test('nobody found says what to do', async () => {
    people([])
    renderScreen(<AdminDashboard onlinePanel={null} />, { at: '/admin?tab=users&role=director' })
    expect(await screen.findByText('Nobody found')).toBeTruthy()
  })

  test('that fail to load keep the way back', async () => {
    api.refuse(listUsers, 'unavailable')
    openUsers()
    expect(await screen.findByText('Failed to load users. Please try again.')).toBeTruthy()
    people([ada])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByText('Ada Byron')).toBeTruthy()
  })
})

describe('managing a person', () => {
  async function manage(name: string) {
    openUsers()
    await user.click(await screen.findByRole('button', { name: `Manage ${name}` }))
    return within(await screen.findByRole('dialog'))
  }

  test('gives them a role, which the list then shows', async () => {
    const panel = await manage('Ben')
    const update = panel.getByRole('button', { name: 'Update Role' })
    expect(update.hasAttribute('disabled')).toBe(true)
    await user.selectOptions(panel.getByLabelText('Role'), 'manager')
    expect(panel.queryByRole('combobox', { name: 'Supervisor' })).toBeNull()

    const promoted = { ...ben, role: 'manager' as const }
    api.answer(changeRole, { success: true, user: promoted })
    people([ada, promoted, sam])
    await user.click(update)
    expect(await screen.findByText('Ben is now manager')).toBeTruthy()
    expect(api.callsOf(changeRole)[0]).toMatchObject({ params: { id: ben.id }, body: { role: 'manager' } })
    await waitFor(() => expect(panel.getByRole('button', { name: 'Update Role' }).hasAttribute('disabled')).toBe(true))
    await waitFor(() => expect(api.callsOf(countUsers).length).toBeGreaterThan(1))
  })

  test('says when the role could not be updated, and why', async () => {
    const panel = await manage('Ben')
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    api.refuse(changeRole, 'not_found', 'This person is gone')
    await user.click(panel.getByRole('button', { name: 'Update Role' }))
    expect(await screen.findByText('Failed to update user role')).toBeTruthy()
    expect(screen.getByText('This person is gone')).toBeTruthy()
  })

  test('puts a user into the team picked', async () => {
    const panel = await manage('Ben')
    api.answer(changeSupervisor, { success: true, user: { ...ben, supervisor_id: sam.id } })
    await user.click(panel.getByRole('combobox', { name: 'Supervisor' }))
    expect(await screen.findByRole('option', { name: 'Sue (10/10)' })).toBeTruthy()
    await user.click(screen.getByRole('option', { name: 'Sam (7/10)' }))
    await waitFor(() =>
      expect(api.callsOf(changeSupervisor)[0]).toMatchObject({
        params: { id: ben.id },
        query: { supervisor_id: sam.id },
      }),
    )
  })

  test('says that a supervisor is full', async () => {
    const panel = await manage('Ben')
    api.refuse(changeSupervisor, 'supervisor_full')
    await user.click(panel.getByRole('combobox', { name: 'Supervisor' }))
    await user.click(await screen.findByRole('option', { name: 'Sue (10/10)' }))
    expect(await screen.findByText('Failed to assign supervisor')).toBeTruthy()
    expect(screen.getByText('Supervisor already has 10 users')).toBeTruthy()
  })

  test('takes a user out of the team', async () => {
    const panel = await manage('Ada Byron')
    api.answer(changeSupervisor, { success: true, user: { ...ada, supervisor_id: null } })
    await waitFor(() =>
      expect(panel.getByRole<HTMLInputElement>('combobox', { name: 'Supervisor' }).value).toBe('Sam (7/10)'),
    )
    await user.click(panel.getByRole('button', { name: 'Take out of the team' }))
    await waitFor(() => expect(api.callsOf(changeSupervisor)[0]?.query).toEqual({ supervisor_id: '' }))
  })

  test('of another role waits for the role before the supervisor', async () => {
    const panel = await manage('Sam')
    expect(panel.queryByRole('combobox', { name: 'Supervisor' })).toBeNull()
    await user.selectOptions(panel.getByLabelText('Role'), 'user')
    expect(panel.getByRole('combobox', { name: 'Supervisor' }).hasAttribute('disabled')).toBe(true)
    expect(panel.getByText('Their team is left without a supervisor, and they leave their manager.')).toBeTruthy()
  })

  test('is accessible', async () => {
    await manage('Ada Byron')
    expect(await accessibilityFaults()).toEqual([])
  })
})
