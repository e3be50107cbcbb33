import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listAudit } from '@watchline/contracts/audit'
import { countUsers, listManagers, listSupervisors, listUsers } from '@watchline/contracts/organisation'
import { listSupervisorRequests } from '@watchline/contracts/supervisor-requests'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { counts, openAdmin } from './_admin.tsx'

const api = fakeApi()
const user = userEvent.setup()

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, counts())
  api.answer(listUsers, [aUser({ name: 'Trainee One' })])
})
afterEach(cleanup)

const address = () => screen.getByTestId('address').textContent

describe('the figures', () => {
  test('stand above who is online', async () => {
    openAdmin()
    expect(await screen.findByRole('button', { name: /Total Users\s*1,312/ })).toBeTruthy()
    for (const name of [/^Supervisors\s*90/, /^Managers\s*20/, /^Directors\s*2/, /^Regular Users\s*1,200/])
      expect(screen.getByRole('button', { name })).toBeTruthy()
    expect(screen.getByText('who is online')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('are filters of the list', async () => {
    openAdmin()
    await user.click(await screen.findByRole('button', { name: /Managers\s*20/ }))
    await waitFor(() => expect(api.callsOf(listUsers).at(-1)?.query).toMatchObject({ role: 'manager' }))
    expect(address()).toBe('/admin?tab=users&role=manager')
    expect(screen.getByRole('button', { name: /Managers/ }).getAttribute('aria-pressed')).toBe('true')
  })

  test('that do not come can be asked for again', async () => {
    api.refuse(countUsers, 'unavailable')
    openAdmin('/admin?tab=users')
    expect(await screen.findByText('The figures could not be loaded. Please try again.')).toBeTruthy()
    api.answer(countUsers, counts({ total: 3 }))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: /Total Users\s*3/ })).toBeTruthy()
  })
})

describe('the tabs', () => {
  test('stand in the address, and an unknown one is the first', async () => {
    api.answer(listSupervisors, [])
    openAdmin('/admin?tab=nonsense')
    expect(screen.getByRole('tab', { name: 'Who’s Online' }).getAttribute('aria-selected')).toBe('true')
    await user.click(screen.getByRole('tab', { name: 'Supervisors' }))
    expect(address()).toBe('/admin?tab=supervisors')
    expect(await screen.findByText('No supervisors assigned yet')).toBeTruthy()
    await user.click(screen.getByRole('tab', { name: 'Who’s Online' }))
    expect(address()).toBe('/admin')
  })

  test('are walked with the keyboard', async () => {
    openAdmin()
    screen.getByRole('tab', { name: 'Who’s Online' }).focus()
    await user.keyboard('{ArrowRight}')
    expect(address()).toBe('/admin?tab=users')
    expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'All Users' }))
  })

  test('say how many requests wait, and nothing when none does', async () => {
    api.answer(countUsers, counts({ pending_requests: 3 }))
    openAdmin()
    expect(await screen.findByRole('tab', { name: 'Managers 3 pending requests' })).toBeTruthy()
    cleanup()
    api.answer(countUsers, counts())
    openAdmin()
    await screen.findByText('1,312')
    expect(screen.getByRole('tab', { name: 'Managers' })).toBeTruthy()
  })
})

describe('what takes a tab’s whole place', () => {
  test('the audit log, with the way back to the settings', async () => {
    api.answer(listAudit, [])
    openAdmin('/admin?tab=settings&view=audit')
    expect(screen.getByRole('tab', { name: 'Settings' }).getAttribute('aria-selected')).toBe('true')
    expect((await screen.findByRole('link', { name: 'Back to Settings' })).getAttribute('href')).toBe(
      '/admin?tab=settings',
    )
    await waitFor(() => expect(api.callsOf(listAudit).length).toBeGreaterThan(0))
  })

  test('the import, which All Users leads to and back from; the keyboard goes along', async () => {
    openAdmin('/admin?tab=users')
    await user.click(await screen.findByRole('link', { name: 'Import people' }))
    expect(address()).toBe('/admin?tab=users&view=import')
    const back = await screen.findByRole('link', { name: 'Back to All Users' })
    expect(screen.queryByLabelText('Role')).toBeNull()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('tabpanel', { name: 'All Users' })))
    await user.click(back)
    expect(await screen.findByText('Trainee One')).toBeTruthy()
    expect(address()).toBe('/admin?tab=users')
  })

  test('is left by the tab itself, too', async () => {
    openAdmin('/admin?tab=users&view=import')
    await user.click(screen.getByRole('tab', { name: 'All Users' }))
    expect(await screen.findByText('Trainee One')).toBeTruthy()
  })

  test('belongs to its own tab only', async () => {
    api.answer(listManagers, [])
    api.answer(listSupervisorRequests, [])
    openAdmin('/admin?tab=managers&view=audit')
    expect(await screen.findByText('No managers yet')).toBeTruthy()
  })
})
