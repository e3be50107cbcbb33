import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ResponseOf } from '@watchline/contracts/operation'
import { changeRole, countUsers, listManagers, listUsers } from '@watchline/contracts/organisation'
import {
  listSupervisorRequests,
  reviewSupervisorRequest,
  type SupervisorRequest,
} from '@watchline/contracts/supervisor-requests'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { aUser } from '../support/people.ts'
import { counts, openAdmin } from './_admin.tsx'

const api = fakeApi()
const user = userEvent.setup()
const manager1 = aUser({
  name: 'Manager One',
  role: 'manager',
  supervisor_count: 3,
  created_at: '2026-03-05T12:00:00.000Z',
})

function aRequest(changes: Partial<SupervisorRequest> = {}): SupervisorRequest {
  return {
    id: 'request-1',
    manager_id: manager1.id,
    manager_name: 'Manager One',
    supervisor_id: 'supervisor-1',
    supervisor_name: 'Supervisor One',
    reason: 'We open a second site.',
    status: 'pending',
    requested_at: '2026-11-20T09:00:00.000Z',
    reviewed_at: null,
    comment: '',
    ...changes,
  }
}

function requests(list: SupervisorRequest[]) {
  api.answer(listSupervisorRequests, list, { 'x-total-count': String(list.length) })
  api.answer(countUsers, counts({ pending_requests: list.length }))
}

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listManagers, [manager1], { 'x-total-count': '1' })
  requests([aRequest()])
})
afterEach(cleanup)

const openManagers = () => openAdmin('/admin?tab=managers')
const approve = 'Approve the request of Manager One for Supervisor One'
const reject = 'Reject the request of Manager One for Supervisor One'

describe('the statistics', () => {
  test('are managers, supervisors under them, and their average to one decimal', async () => {
    openManagers()
    const figures = within(await screen.findByRole('region', { name: 'Manager statistics' }))
    expect(await figures.findByText('20')).toBeTruthy()
    expect(figures.getByText('31')).toBeTruthy()
    expect(figures.getByText('1.6')).toBeTruthy()
  })

  test('without managers there is nothing to divide by', async () => {
    api.answer(countUsers, counts({ manager: 0, managed_supervisors: 0 }))
    openManagers()
    const figures = within(await screen.findByRole('region', { name: 'Manager statistics' }))
    expect(await figures.findAllByText('0')).toHaveLength(3)
  })
})

describe('active managers', () => {
  test('are listed with the day they joined and the number of their supervisors', async () => {
    openManagers()
    const row = within((await screen.findByRole('button', { name: 'Manage Manager One' })).closest('tr') as HTMLElement)
    expect(row.getByText(manager1.email)).toBeTruthy()
    expect(row.getAllByText(/Mar 5, 2026/).length).toBeGreaterThan(0)
    expect(row.getByText('3')).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('are searched by the server', async () => {
    openManagers()
    await screen.findByText('1 manager')
    await user.type(screen.getByLabelText('Search'), 'man')
    await waitFor(() => expect(api.callsOf(listManagers).at(-1)?.query).toEqual({ limit: '25', search: 'man' }))
  })

  test('get another role in the side panel, which says what that does', async () => {
    openManagers()
    await user.click(await screen.findByRole('button', { name: 'Manage Manager One' }))
    const panel = within(await screen.findByRole('dialog'))
    expect(panel.getByText('Changing from Manager role will remove supervisor assignments')).toBeTruthy()
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    api.answer(changeRole, { success: true, user: { ...manager1, role: 'director' } })
    api.answer(listManagers, [])
    const asked = api.callsOf(listSupervisorRequests).length
    await user.click(panel.getByRole('button', { name: 'Update Role' }))
    expect(await screen.findByText('No managers yet')).toBeTruthy()
    // Their own pending requests are withdrawn with the role.
    await waitFor(() => expect(api.callsOf(listSupervisorRequests).length).toBeGreaterThan(asked))
  })

  test('that fail to load can be asked for again', async () => {
    api.refuse(listManagers, 'unavailable')
    openManagers()
    expect(await screen.findByText('Failed to load managers. Please try again.')).toBeTruthy()
    api.answer(listManagers, [manager1])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: 'Manage Manager One' })).toBeTruthy()
  })
})

describe('pending supervisor requests', () => {
  test('say who asks for whom, why and when', async () => {
    requests([aRequest(), aRequest({ id: 'request-2', supervisor_name: 'Supervisor Two', reason: '' })])
    openManagers()
    const list = within(await screen.findByRole('list', { name: 'Pending supervisor requests' }))
    const [first, second] = list.getAllByRole('listitem').map(item => within(item))
    expect(first?.getByText('Manager One')).toBeTruthy()
    expect(first?.getByText('Supervisor One')).toBeTruthy()
    expect(first?.getByText('We open a second site.')).toBeTruthy()
    expect(first?.getByText(/Nov 20, 2026|ago/, { selector: '[aria-hidden]' })).toBeTruthy()
    expect(second?.getByText('No reason given')).toBeTruthy()
    expect(await screen.findByRole('tab', { name: 'Managers 2 pending requests' })).toBeTruthy()
  })

  test.each([
    { name: approve, action: 'approve', comment: 'Approved by admin', status: 'approved' },
    { name: reject, action: 'reject', comment: 'Rejected by admin', status: 'rejected' },
  ] as const)('$status, one leaves the list and the count', async ({ name, action, comment, status }) => {
    openManagers()
    const button = await screen.findByRole('button', { name })
    api.answer(reviewSupervisorRequest, { success: true, request: aRequest({ status, comment }) })
    requests([])
    await user.click(button)
    expect(await screen.findByText(`Supervisor request ${status} successfully!`)).toBeTruthy()
    expect(api.callsOf(reviewSupervisorRequest)).toMatchObject([
      { params: { id: 'request-1' }, body: { action, comment } },
    ])
    expect(await screen.findByText(/No pending requests/)).toBeTruthy()
    expect(await screen.findByRole('tab', { name: 'Managers' })).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Pending supervisor requests' }))
  })

  test('have their buttons disabled while one is being answered', async () => {
    openManagers()
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: approve })
    const held = Promise.withResolvers<ResponseOf<typeof reviewSupervisorRequest>>()
    api.answer(reviewSupervisorRequest, () => held.promise)
    await user.click(button)
    await waitFor(() => expect(button.disabled).toBe(true))
    expect(screen.getByRole<HTMLButtonElement>('button', { name: reject }).disabled).toBe(true)
    await user.click(button)
    held.resolve({ success: true, request: aRequest({ status: 'approved' }) })
    expect(await screen.findByText('Supervisor request approved successfully!')).toBeTruthy()
    expect(api.callsOf(reviewSupervisorRequest)).toHaveLength(1)
  })

  test('that were taken meanwhile stay, with the server’s reason', async () => {
    openManagers()
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: approve })
    api.refuse(reviewSupervisorRequest, 'conflict', 'This supervisor already has a manager.')
    const asked = api.callsOf(listSupervisorRequests).length
    await user.click(button)
    expect(await screen.findByText('Failed to approve supervisor request')).toBeTruthy()
    expect(screen.getByText('This supervisor already has a manager.')).toBeTruthy()
    await waitFor(() => expect(api.callsOf(listSupervisorRequests).length).toBeGreaterThan(asked))
    await waitFor(() => expect(button.disabled).toBe(false))
    expect(document.activeElement).toBe(button)
  })

  test('that somebody else answered say so, and go', async () => {
    openManagers()
    const button = await screen.findByRole('button', { name: reject })
    api.refuse(reviewSupervisorRequest, 'already_reviewed')
    requests([])
    await user.click(button)
    expect(await screen.findByText('Failed to reject supervisor request')).toBeTruthy()
    expect(screen.getByText('This has already been answered.')).toBeTruthy()
    expect(await screen.findByText(/No pending requests/)).toBeTruthy()
  })

  test('that fail to load say so, and the rest of the tab stands', async () => {
    api.refuse(listSupervisorRequests, 'unavailable')
    openManagers()
    expect(await screen.findByText('Failed to load supervisor requests. Please try again.')).toBeTruthy()
    expect(screen.queryByRole('list', { name: 'Pending supervisor requests' })).toBeNull()
    expect(await screen.findByRole('button', { name: 'Manage Manager One' })).toBeTruthy()
    requests([aRequest()])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: approve })).toBeTruthy()
  })
})

describe('quick actions', () => {
  test('lead to where they are done', async () => {
    openManagers()
    const actions = within(await screen.findByRole('region', { name: 'Quick actions' }))
    const ways = actions.getAllByRole('link').map(link => [link.firstChild?.textContent, link.getAttribute('href')])
    expect(ways).toEqual([
      ['Assign users to supervisors', '/admin?tab=users&role=user'],
      ['Promote someone to manager', '/admin?tab=users'],
      ['Import people', '/admin?tab=users&view=import'],
      ['See what was changed', '/admin?tab=settings&view=audit'],
    ])
    api.answer(listUsers, [aUser({ name: 'Trainee One' })])
    await user.click(actions.getByRole('link', { name: /Assign users to supervisors/ }))
    expect(await screen.findByText('Trainee One')).toBeTruthy()
    expect(api.callsOf(listUsers).at(-1)?.query).toMatchObject({ role: 'user' })
    expect(document.activeElement).toBe(screen.getByRole('tabpanel', { name: 'All Users' }))
  })
})
