import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeam } from '@watchline/contracts/engagement'
import type { ResponseOf } from '@watchline/contracts/operation'
import { changeRole, countUsers, listManagers, listUsers } from '@watchline/contracts/organisation'
import {
  listSupervisorRequests,
  reviewSupervisorRequest,
  type SupervisorRequest,
} from '@watchline/contracts/supervisor-requests'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeam } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { makeCounts, openAdmin } from './_admin.tsx'

const api = createFakeApi()
const user = userEvent.setup()
const manager1 = makeUser({
  name: 'Manager One',
  role: 'manager',
  supervisor_count: 3,
  created_at: '2026-03-05T12:00:00.000Z',
})

function makeRequest(changes: Partial<SupervisorRequest> = {}): SupervisorRequest {
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

function answerRequests(list: SupervisorRequest[]) {
  api.answer(listSupervisorRequests, list, { 'x-total-count': String(list.length) })
  api.answer(countUsers, makeCounts({ pending_requests: list.length }))
  api.answer(getTeam, makeTeam([]))
}

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listManagers, [manager1], { 'x-total-count': '1' })
  answerRequests([makeRequest()])
})
afterEach(cleanup)

const openManagers = () => openAdmin('/admin?tab=managers')
const approveLabel = 'Approve the request of Manager One for Supervisor One'
const rejectLabel = 'Reject the request of Manager One for Supervisor One'

describe('the statistics', () => {
  test('show managers, supervisors under a manager, and the average to one decimal', async () => {
    openManagers()
    const figures = within(await screen.findByRole('region', { name: 'Manager statistics' }))
    expect(await figures.findByText('20')).toBeTruthy()
    expect(figures.getByText('31')).toBeTruthy()
    expect(figures.getByText('1.6')).toBeTruthy()
  })

  test('show zeros without any manager', async () => {
    api.answer(countUsers, makeCounts({ manager: 0, managed_supervisors: 0 }))
    openManagers()
    const figures = within(await screen.findByRole('region', { name: 'Manager statistics' }))
    expect(await figures.findAllByText('0')).toHaveLength(3)
  })
})

test('pending requests can be listed newest first', async () => {
  answerRequests([makeRequest(), makeRequest({ id: 'request-2', supervisor_name: 'Supervisor Two' })])
  openManagers()
  await screen.findByRole('button', { name: approveLabel })
  expect(api.callsOf(listSupervisorRequests).at(-1)?.query).toMatchObject({ order: 'asc' })
  await user.selectOptions(screen.getByLabelText('Sort by'), 'Newest first')
  await waitFor(() => expect(api.callsOf(listSupervisorRequests).at(-1)?.query).toMatchObject({ order: 'desc' }))
})

describe('the list of managers', () => {
  test('is sorted by its headers on the server', async () => {
    openManagers()
    await screen.findByRole('button', { name: 'Manage Manager One' })
    await user.click(screen.getByRole('button', { name: 'Supervisors' }))
    await waitFor(() =>
      expect(api.callsOf(listManagers).at(-1)?.query).toMatchObject({ sort: 'team_size', order: 'desc' }),
    )
    await user.click(screen.getByRole('button', { name: 'Joined' }))
    await waitFor(() =>
      expect(api.callsOf(listManagers).at(-1)?.query).toMatchObject({ sort: 'joined', order: 'desc' }),
    )
  })

  test('shows the day each joined and the number of their supervisors', async () => {
    openManagers()
    const row = within((await screen.findByRole('button', { name: 'Manage Manager One' })).closest('tr') as HTMLElement)
    expect(row.getByText(manager1.email)).toBeTruthy()
    expect(row.getAllByText(/Mar 5, 2026/).length).toBeGreaterThan(0)
    expect(row.getByText('3')).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('is searched on the server', async () => {
    openManagers()
    await screen.findByText('1 manager')
    await user.type(screen.getByLabelText('Search'), 'man')
    await waitFor(() => expect(api.callsOf(listManagers).at(-1)?.query).toMatchObject({ limit: '25', search: 'man' }))
  })

  test('opens the panel, which warns before a change of role', async () => {
    openManagers()
    await user.click(await screen.findByRole('button', { name: 'Manage Manager One' }))
    const panel = within(await screen.findByRole('dialog'))
    expect(panel.getByText('Changing from Manager role will remove supervisor assignments')).toBeTruthy()
    await user.selectOptions(panel.getByLabelText('Role'), 'director')
    api.answer(changeRole, { success: true, user: { ...manager1, role: 'director' } })
    api.answer(listManagers, [])
    const callsBefore = api.callsOf(listSupervisorRequests).length
    await user.click(panel.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText('No managers yet')).toBeTruthy()
    expect(screen.getAllByRole('link', { name: 'Show all users', hidden: true })[0]?.getAttribute('href')).toMatch(
      /tab=users$/,
    )
    // The change of role withdraws the manager's pending requests.
    await waitFor(() => expect(api.callsOf(listSupervisorRequests).length).toBeGreaterThan(callsBefore))
  })

  test('can be loaded again after a failure', async () => {
    api.refuse(listManagers, 'unavailable')
    openManagers()
    expect(await screen.findByText('Couldn’t load the managers.')).toBeTruthy()
    api.answer(listManagers, [manager1])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: 'Manage Manager One' })).toBeTruthy()
  })
})

describe('pending supervisor requests', () => {
  test('show manager, supervisor, reason and time', async () => {
    answerRequests([makeRequest(), makeRequest({ id: 'request-2', supervisor_name: 'Supervisor Two', reason: '' })])
    openManagers()
    const list = within(await screen.findByRole('list', { name: 'Pending supervisor requests' }))
    const [firstRequest, secondRequest] = list.getAllByRole('listitem').map(item => within(item))
    expect(firstRequest?.getByText('Manager One')).toBeTruthy()
    expect(firstRequest?.getByText('Supervisor One')).toBeTruthy()
    expect(firstRequest?.getByText('We open a second site.')).toBeTruthy()
    expect(firstRequest?.getByText(/Nov 20, 2026|ago/, { selector: '[aria-hidden]' })).toBeTruthy()
    expect(secondRequest?.getByText('No reason given')).toBeTruthy()
    expect(await screen.findByRole('tab', { name: /^Managers ?2 pending requests$/ })).toBeTruthy()
  })

  test.each([
    { name: approveLabel, action: 'approve', comment: 'Approved by admin', status: 'approved' },
    { name: rejectLabel, action: 'reject', comment: 'Rejected by admin', status: 'rejected' },
  ] as const)('an $status request leaves the list and the count', async ({ name, action, comment, status }) => {
    openManagers()
    const button = await screen.findByRole('button', { name })
    api.answer(reviewSupervisorRequest, { success: true, request: makeRequest({ status, comment }) })
    answerRequests([])
    await user.click(button)
    expect(await screen.findByText(`Supervisor request ${status} successfully!`)).toBeTruthy()
    expect(api.callsOf(reviewSupervisorRequest)).toMatchObject([
      { params: { id: 'request-1' }, body: { action, comment } },
    ])
    expect(await screen.findByText(/No pending requests/)).toBeTruthy()
    expect(await screen.findByRole('tab', { name: 'Managers' })).toBeTruthy()
    expect(document.activeElement).toBe(screen.getByRole('heading', { name: 'Pending supervisor requests' }))
  })

  test('take one answer at a time', async () => {
    openManagers()
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: approveLabel })
    const pendingAnswer = Promise.withResolvers<ResponseOf<typeof reviewSupervisorRequest>>()
    api.answer(reviewSupervisorRequest, () => pendingAnswer.promise)
    await user.click(button)
    await waitFor(() => expect(button.getAttribute('aria-disabled')).toBe('true'))
    expect(document.activeElement).toBe(button)
    await user.click(screen.getByRole('button', { name: rejectLabel }))
    await user.click(button)
    pendingAnswer.resolve({ success: true, request: makeRequest({ status: 'approved' }) })
    expect(await screen.findByText('Supervisor request approved successfully!')).toBeTruthy()
    expect(api.callsOf(reviewSupervisorRequest)).toHaveLength(1)
  })

  test('stay after a conflict, with the server’s reason', async () => {
    openManagers()
    const button = await screen.findByRole<HTMLButtonElement>('button', { name: approveLabel })
    api.refuse(reviewSupervisorRequest, 'conflict', 'This supervisor already has a manager.')
    const callsBefore = api.callsOf(listSupervisorRequests).length
    await user.click(button)
    expect(await screen.findByText('Failed to approve supervisor request')).toBeTruthy()
    expect(screen.getByText('This supervisor already has a manager.')).toBeTruthy()
    await waitFor(() => expect(api.callsOf(listSupervisorRequests).length).toBeGreaterThan(callsBefore))
    await waitFor(() => expect(button.getAttribute('aria-disabled')).toBeNull())
    expect(document.activeElement).toBe(button)
  })

  test('disappear with an explanation if somebody else has answered them', async () => {
    openManagers()
    const button = await screen.findByRole('button', { name: rejectLabel })
    api.refuse(reviewSupervisorRequest, 'already_reviewed')
    answerRequests([])
    await user.click(button)
    expect(await screen.findByText('Failed to reject supervisor request')).toBeTruthy()
    expect(screen.getByText('This has already been answered.')).toBeTruthy()
    expect(await screen.findByText(/No pending requests/)).toBeTruthy()
  })

  test('report a loading failure, while the rest of the tab works', async () => {
    api.refuse(listSupervisorRequests, 'unavailable')
    openManagers()
    expect(await screen.findByText('Couldn’t load the supervisor requests.')).toBeTruthy()
    expect(screen.queryByRole('list', { name: 'Pending supervisor requests' })).toBeNull()
    expect(await screen.findByRole('button', { name: 'Manage Manager One' })).toBeTruthy()
    answerRequests([makeRequest()])
    await user.click(screen.getByRole('button', { name: 'Try Again' }))
    expect(await screen.findByRole('button', { name: approveLabel })).toBeTruthy()
  })
})

describe('quick actions', () => {
  test('lead to their screens', async () => {
    openManagers()
    const actions = within(await screen.findByRole('region', { name: 'Quick actions' }))
    const targets = actions.getAllByRole('link').map(link => [link.firstChild?.textContent, link.getAttribute('href')])
    expect(targets).toEqual([
      ['Assign users to supervisors', '/admin?tab=users&role=user'],
      ['Promote someone to manager', '/admin?tab=users'],
      ['Import people', '/admin?tab=users&view=import'],
      ['See what was changed', '/admin?tab=settings&view=audit'],
    ])
    api.answer(listUsers, [makeUser({ name: 'Trainee One' })])
    await user.click(actions.getByRole('link', { name: /Assign users to supervisors/ }))
    expect(await screen.findByText('Trainee One')).toBeTruthy()
    expect(api.callsOf(listUsers).at(-1)?.query).toMatchObject({ role: 'user' })
    expect(document.activeElement).toBe(screen.getByRole('tabpanel', { name: 'All Users' }))
  })
})
