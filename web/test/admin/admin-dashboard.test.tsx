import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listAudit } from '@watchline/contracts/audit'
import { getTeam } from '@watchline/contracts/engagement'
import { countUsers, listManagers, listSupervisors, listUsers } from '@watchline/contracts/organisation'
import { listErasures } from '@watchline/contracts/privacy'
import { listSupervisorRequests } from '@watchline/contracts/supervisor-requests'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeam } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeCounts, openAdmin } from './_admin.tsx'

const api = createFakeApi()
const user = userEvent.setup()

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(countUsers, makeCounts())
  api.answer(getTeam, makeTeam([]))
  api.answer(listUsers, [makeUser({ name: 'Trainee One' })])
})
afterEach(cleanup)

const address = () => screen.getByTestId('address').textContent

describe('the figures', () => {
  test('are shown above the people who are online', async () => {
    openAdmin()
    expect(await screen.findByRole('button', { name: /Total Users\s*1,312/ })).toBeTruthy()
    for (const name of [/^Supervisors\s*90/, /^Managers\s*20/, /^Directors\s*2/, /^Regular Users\s*1,200/])
      expect(screen.getByRole('button', { name })).toBeTruthy()
    expect(screen.getByText('who is online')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('show the average completion of all users, if it is known and there are any', async () => {
    api.answer(getTeam, makeTeam([], { team_count: 1_200, average_completion: 62 }))
    openAdmin()
    expect(await screen.findByRole('button', { name: /^Regular Users\s*1,200\s*average completion 62%$/ })).toBeTruthy()
    cleanup()
    for (const setAnswer of [() => api.answer(getTeam, makeTeam([])), () => api.refuse(getTeam, 'unavailable')]) {
      setAnswer()
      openAdmin()
      expect(await screen.findByRole('button', { name: /^Regular Users\s*1,200$/ })).toBeTruthy()
      cleanup()
    }
  })

  test('say how many deactivated people the list has beside them', async () => {
    api.answer(countUsers, makeCounts({ deactivated: { user: 10, supervisor: 1, manager: 0, director: 0 } }))
    api.answer(getTeam, makeTeam([], { team_count: 1_200, average_completion: 62 }))
    openAdmin()
    for (const name of [
      /^Total Users\s*1,312\s*without administrators; 11 more are deactivated$/,
      /^Supervisors\s*90\s*1 more is deactivated$/,
      /^Managers\s*20$/,
      /^Regular Users\s*1,200\s*average completion 62%; 10 more are deactivated$/,
    ])
      expect(await screen.findByRole('button', { name })).toBeTruthy()
  })

  test('filter the list of people', async () => {
    openAdmin()
    await user.click(await screen.findByRole('button', { name: /Managers\s*20/ }))
    await waitFor(() => expect(api.callsOf(listUsers).at(-1)?.query).toMatchObject({ role: 'manager' }))
    expect(address()).toBe('/admin?tab=users&role=manager')
    expect(screen.getByRole('button', { name: /Managers/ }).getAttribute('aria-pressed')).toBe('true')
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(countUsers, 'unavailable')
    openAdmin('/admin?tab=users')
    expect(await screen.findByText('Couldn’t load the figures.')).toBeTruthy()
    api.answer(countUsers, makeCounts({ total: 3 }))
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: /Total Users\s*3/ })).toBeTruthy()
  })
})

describe('the tabs', () => {
  test('are named in the address; an unknown name opens the first tab', async () => {
    api.answer(listSupervisors, [])
    openAdmin('/admin?tab=nonsense')
    expect(screen.getByRole('tab', { name: "Who's Online" }).getAttribute('aria-selected')).toBe('true')
    await user.click(screen.getByRole('tab', { name: 'Supervisors' }))
    expect(address()).toBe('/admin?tab=supervisors')
    expect(await screen.findByText('No supervisors assigned yet')).toBeTruthy()
    await user.click(screen.getByRole('tab', { name: "Who's Online" }))
    expect(address()).toBe('/admin')
  })

  test('contain the reports, and a link can name a saved report', async () => {
    openAdmin('/admin?tab=reports&report=saved')
    await screen.findByText('reports')
    expect(screen.getByRole('tab', { name: 'Reports' }).getAttribute('aria-selected')).toBe('true')
    expect(address()).toBe('/admin?tab=reports&report=saved')
    await user.click(screen.getByRole('tab', { name: "Who's Online" }))
    await user.click(screen.getByRole('tab', { name: 'Reports' }))
    expect(address()).toBe('/admin?tab=reports')
  })

  test('are reached with the arrow keys', async () => {
    openAdmin()
    screen.getByRole('tab', { name: "Who's Online" }).focus()
    await user.keyboard('{ArrowRight}')
    expect(address()).toBe('/admin?tab=users')
    expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'All Users' }))
  })

  test('show the number of pending requests at Managers, and no number without any', async () => {
    api.answer(countUsers, makeCounts({ pending_requests: 3 }))
    openAdmin()
    expect(await screen.findByRole('tab', { name: /^Managers ?3 pending requests$/ })).toBeTruthy()
    cleanup()
    api.answer(countUsers, makeCounts())
    openAdmin()
    await screen.findByText('1,312')
    expect(screen.getByRole('tab', { name: 'Managers' })).toBeTruthy()
  })
})

describe('a view that replaces a tab', () => {
  test('is the audit log, with a link back to the settings', async () => {
    api.answer(listAudit, [])
    api.answer(listErasures, [], { 'x-total-count': '0' })
    openAdmin('/admin?tab=settings&view=audit')
    expect(screen.getByRole('tab', { name: 'Settings' }).getAttribute('aria-selected')).toBe('true')
    expect((await screen.findByRole('link', { name: 'Back to Settings' })).getAttribute('href')).toBe(
      '/admin?tab=settings',
    )
    await waitFor(() => expect(api.callsOf(listAudit).length).toBeGreaterThan(0))
  })

  test('is the import, to and from All Users; the focus moves along', async () => {
    openAdmin('/admin?tab=users')
    await user.click(await screen.findByRole('link', { name: 'Import people' }))
    expect(address()).toBe('/admin?tab=users&view=import')
    const backLink = await screen.findByRole('link', { name: 'Back to All Users' })
    expect(screen.queryByLabelText('Role')).toBeNull()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('tabpanel', { name: 'All Users' })))
    await user.click(backLink)
    expect(await screen.findByText('Trainee One')).toBeTruthy()
    expect(address()).toBe('/admin?tab=users')
  })

  test('is closed by choosing its tab', async () => {
    openAdmin('/admin?tab=users&view=import')
    await user.click(screen.getByRole('tab', { name: 'All Users' }))
    expect(await screen.findByText('Trainee One')).toBeTruthy()
  })

  test('is ignored under another tab', async () => {
    api.answer(listManagers, [])
    api.answer(listSupervisorRequests, [])
    openAdmin('/admin?tab=managers&view=audit')
    expect(await screen.findByText('No managers yet')).toBeTruthy()
  })
})
