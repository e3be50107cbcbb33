import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getTeamAnalytics, listTeams } from '@watchline/contracts/engagement'
import { limits } from '@watchline/contracts/limits'
import { listOwnSupervisors, listSupervisors } from '@watchline/contracts/organisation'
import { listOwnRequests, requestSupervisor } from '@watchline/contracts/supervisor-requests'
import { ManagementDashboard } from '../../src/features/management/management-dashboard.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { makeTeamAnalytics } from '../support/engagement.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { makeUser } from '../support/people.ts'
import { renderScreen } from '../support/render.tsx'
import { makeRequest, supervisor1 } from './_organisation.ts'

const api = createFakeApi()
const user = userEvent.setup()
const supervisor2 = makeUser({ name: 'Supervisor Two', role: 'supervisor', user_count: 4 })
const supervisor3 = makeUser({ name: 'Supervisor Three', role: 'supervisor', user_count: 0 })

beforeEach(() => {
  setXsrfCookie('there')
  api.answer(listOwnSupervisors, [supervisor1])
  api.answer(listOwnRequests, [])
  api.answer(getTeamAnalytics, makeTeamAnalytics([]))
  api.answer(listTeams, [])
  api.answer(listSupervisors, [supervisor2, supervisor3])
})
afterEach(cleanup)

async function openDialog() {
  renderScreen(
    <ManagementDashboard
      online={{ failed: false }}
      onlinePanel={null}
      analyticsPanel={null}
      playlistsPanel={null}
      onShare={() => {}}
      onOpenMember={() => {}}
    />,
  )
  await user.click(screen.getByRole('button', { name: 'Request Supervisor' }))
  return within(await screen.findByRole('dialog', { name: 'Request Supervisor' }))
}

const findChoice = (name: RegExp) => screen.findByRole<HTMLInputElement>('radio', { name })

describe('requesting a supervisor', () => {
  test('sends supervisor and reason, confirms it, and lists the request', async () => {
    const dialog = await openDialog()
    await user.click(await findChoice(/Supervisor Two.*4\/10 users/))
    expect(api.callsOf(listSupervisors)[0]?.query).toEqual({ available: 'true', limit: '50' })
    await enterText(user, dialog.getByLabelText('Reason (optional)'), ' Same floor ')
    expect(dialog.getByText(`12 of ${limits.reasonMaxLength.toLocaleString()} characters`)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    const request = makeRequest({
      supervisor_id: supervisor2.id,
      supervisor_name: supervisor2.name,
      reason: 'Same floor',
    })
    api.answer(requestSupervisor, { success: true, request })
    api.answer(listOwnRequests, [request])
    await user.click(dialog.getByRole('button', { name: 'Submit Request' }))
    expect(await screen.findByText('Supervisor request submitted for admin approval!')).toBeTruthy()
    expect(api.callsOf(requestSupervisor).map(({ body }) => body)).toEqual([
      { requested_supervisor_id: supervisor2.id, reason: 'Same floor' },
    ])
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(await screen.findByText('Your reason: Same floor')).toBeTruthy()
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Request Supervisor' })))
  })

  test('requires a supervisor, but no reason', async () => {
    const dialog = await openDialog()
    await findChoice(/Supervisor Three/)
    await user.click(dialog.getByRole('button', { name: 'Submit Request' }))
    expect(dialog.getByRole('alert').textContent).toBe('A supervisor must be selected')
    expect(api.callsOf(requestSupervisor)).toEqual([])
    await user.click(await findChoice(/Supervisor Three/))
    expect(dialog.queryByText('A supervisor must be selected')).toBeNull()
    api.answer(requestSupervisor, { success: true, request: makeRequest() })
    await user.click(dialog.getByRole('button', { name: 'Submit Request' }))
    await screen.findByText('Supervisor request submitted for admin approval!')
    expect(api.callsOf(requestSupervisor)[0]?.body).toEqual({ requested_supervisor_id: supervisor3.id, reason: '' })
  })

  test('does not offer supervisors with a pending request', async () => {
    api.answer(listOwnRequests, [
      makeRequest({ supervisor_id: supervisor2.id }),
      makeRequest({ supervisor_id: supervisor3.id, status: 'rejected' }),
    ])
    await openDialog()
    expect(await findChoice(/Supervisor Three/)).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('radio', { name: /Supervisor Two/ })).toBeNull())
  })

  test('says when nobody else can be requested', async () => {
    api.answer(listOwnRequests, [makeRequest({ supervisor_id: supervisor2.id })])
    api.answer(listSupervisors, [supervisor2])
    const dialog = await openDialog()
    expect(await dialog.findByText(/already requested every supervisor/)).toBeTruthy()
    cleanup()
    api.answer(listOwnRequests, [])
    api.answer(listSupervisors, [])
    await openDialog()
    expect(await screen.findByText(/Every supervisor already has a manager/)).toBeTruthy()
  })

  test('searches on the server and keeps the choice', async () => {
    api.answer(listSupervisors, ({ query }) => (query.search ? [supervisor3] : [supervisor2]))
    const dialog = await openDialog()
    await user.click(await findChoice(/Supervisor Two/))
    // In one step: a slow machine would also send the first letters.
    await enterText(user, dialog.getByLabelText('Search'), 'three')
    await user.keyboard('{Enter}')
    expect(await findChoice(/Supervisor Three/)).toBeTruthy()
    expect(api.callsOf(listSupervisors).at(-1)?.query.search).toBe('three')
    expect(api.callsOf(listSupervisors)).toHaveLength(2)
    expect((await findChoice(/Supervisor Two/)).checked).toBe(true)
    expect(api.callsOf(requestSupervisor)).toEqual([])
  })

  test('shows an explained empty list if the supervisors cannot be loaded', async () => {
    api.refuse(listSupervisors, 'unavailable')
    const dialog = await openDialog()
    expect(await dialog.findByText(/Couldn’t load the supervisors, so the list is empty/)).toBeTruthy()
    expect(screen.queryByRole('radio')).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
    api.answer(listSupervisors, [supervisor2])
    await user.click(dialog.getByRole('button', { name: 'Try Again' }))
    expect(await findChoice(/Supervisor Two/)).toBeTruthy()
  })

  test.each([
    [
      () => api.refuse(requestSupervisor, 'conflict', 'This supervisor already has a manager.'),
      'This supervisor already has a manager.',
    ],
    [() => api.cut(requestSupervisor), 'Failed to submit supervisor request'],
  ])('reports a failure with its reason and loses nothing', async (failCall, message) => {
    const dialog = await openDialog()
    await user.click(await findChoice(/Supervisor Two/))
    await enterText(user, dialog.getByLabelText('Reason (optional)'), 'Same floor')
    failCall()
    await user.click(dialog.getByRole('button', { name: 'Submit Request' }))
    expect((await dialog.findByText(message)).getAttribute('role')).toBe('alert')
    expect((await findChoice(/Supervisor Two/)).checked).toBe(true)
    expect(dialog.getByDisplayValue('Same floor')).toBeTruthy()
  })

  test('is sent once, however often the person clicks', async () => {
    const dialog = await openDialog()
    await user.click(await findChoice(/Supervisor Two/))
    api.answer(requestSupervisor, { success: true, request: makeRequest() })
    const form = dialog.getByRole('button', { name: 'Submit Request' }).closest('form')!
    fireEvent.submit(form)
    fireEvent.submit(form)
    await screen.findByText('Supervisor request submitted for admin approval!')
    expect(api.callsOf(requestSupervisor)).toHaveLength(1)
  })

  test('restores the text after the dialog was closed', async () => {
    const dialog = await openDialog()
    await enterText(user, dialog.getByLabelText('Reason (optional)'), 'Same floor')
    await user.keyboard('{Escape}')
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await user.click(screen.getByRole('button', { name: 'Request Supervisor' }))
    expect(await screen.findByDisplayValue('Same floor')).toBeTruthy()
  })
})
