import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { listAdministrators } from '@watchline/contracts/administrators'
import { changeAdminPassword, getSystemStatus } from '@watchline/contracts/auth'
import { clearBounce, getMailStatus, sendTestMail } from '@watchline/contracts/mail'
import { getVideoDataStatus } from '@watchline/contracts/playlist-imports'
import { getSecondFactors } from '@watchline/contracts/second-factors'
import { HttpResponse } from 'msw'
import { SettingsTab } from '../../src/features/admin/settings/settings-tab.tsx'
import { enterText } from '../_enter-text.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
const user = userEvent.setup()

const mails = {
  is_available: true,
  from: 'watchline@example.org',
  reads_reports: false,
  counts: { waiting: 0, unknown: 0, failed: 0 },
  latest_failures: [],
  bounces: [],
}

beforeEach(() => {
  api.answer(getMailStatus, mails)
  api.answer(listAdministrators, { administrators: [], invitations: [] })
  api.answer(getSecondFactors, { sign_in: 'password', required: false, factors: [], recovery_codes_left: 0 })
  api.answer(getVideoDataStatus, { status: 'active' })
  api.answer(getSystemStatus, {
    database: 'connected',
    authentication: { status: 'active', provider: 'Corporate Login' },
  })
})
afterEach(cleanup)

const openSettings = () => renderScreen(<SettingsTab />, { at: '/admin?tab=settings' })
const card = (name: string) => within(screen.getByRole('region', { name }))

describe('the status cards', () => {
  test('show that all is well, and nothing to do', async () => {
    openSettings()
    expect(await card('Video data').findByText('Active')).toBeTruthy()
    expect(await card('Database').findByText('Connected')).toBeTruthy()
    expect(await card('Authentication').findByText('Active')).toBeTruthy()
    expect(card('Authentication').getByText('People sign in with Corporate Login.')).toBeTruthy()
    expect(await card('Mail').findByText('Mails are sent from watchline@example.org.')).toBeTruthy()
    expect(screen.queryByText('What to do:')).toBeNull()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test('name what is missing, and the variables to set', async () => {
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    api.answer(getSystemStatus, {
      database: 'disconnected',
      authentication: { status: 'needs_update', provider: 'Development sign-in' },
    })
    openSettings()
    expect(await card('Video data').findByText('Not configured')).toBeTruthy()
    expect(card('Video data').getByText('YOUTUBE_API_KEY')).toBeTruthy()
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    expect(card('Database').getByText('MONGO_URL')).toBeTruthy()
    expect(await card('Authentication').findByText('Needs Update')).toBeTruthy()
    for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'])
      expect(card('Authentication').getByText(name)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test.each([
    ['is unavailable', () => api.refuse(getSystemStatus, 'unavailable')],
    ['is too slow for the gateway', () => api.refuse(getSystemStatus, 'too_slow')],
    [
      'is replaced by a proxy’s error page',
      () => api.answer(getSystemStatus, new HttpResponse('Bad Gateway', { status: 502 })),
    ],
    ['gives no answer', () => api.cut(getSystemStatus)],
  ])('show the database as disconnected if its service %s', async (_, failCall) => {
    failCall()
    openSettings()
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    expect(card('Authentication').getByText('Not known')).toBeTruthy()
    expect(card('Authentication').getByText(/it needs the database|Watchline could not be reached/)).toBeTruthy()
    expect(await card('Video data').findByText('Active')).toBeTruthy()
  })

  test('show the database as disconnected without an answer in time', async () => {
    const pendingAnswer = Promise.withResolvers<never>()
    api.answer(getSystemStatus, () => pendingAnswer.promise)
    api.answer(getVideoDataStatus, () => pendingAnswer.promise)
    const timeoutSpy = jest.spyOn(AbortSignal, 'timeout').mockImplementation(ms => {
      timeouts.push(ms)
      return AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    })
    const timeouts: number[] = []
    try {
      openSettings()
      expect(await card('Database').findByText('Disconnected')).toBeTruthy()
      expect(card('Authentication').getByText('Not known')).toBeTruthy()
      expect(await card('Video data').findByText(/no answer came within 10 seconds\./)).toBeTruthy()
      expect(new Set(timeouts)).toEqual(new Set([10_000]))
    } finally {
      timeoutSpy.mockRestore()
    }
  })

  test('show nothing as known that could not be checked', async () => {
    api.refuse(getSystemStatus, 'internal')
    api.refuse(getVideoDataStatus, 'internal')
    openSettings()
    await waitFor(() => expect(screen.getAllByText('Not known')).toHaveLength(3))
    expect(screen.queryByText('Disconnected')).toBeNull()
  })

  test('are announced to a screen reader in one sentence', async () => {
    openSettings()
    const announcement = 'Video data: Active, Database: Connected, Authentication: Active, Mail: Active'
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe(announcement))
  })

  test('are checked again by the button', async () => {
    api.refuse(getSystemStatus, 'unavailable')
    openSettings()
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    await card('Video data').findByText('Active')
    api.answer(getSystemStatus, {
      database: 'connected',
      authentication: { status: 'active', provider: 'Corporate Login' },
    })
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    await user.click(screen.getByRole('button', { name: 'Check again' }))
    expect(await card('Database').findByText('Connected')).toBeTruthy()
    expect(await card('Video data').findByText('Not configured')).toBeTruthy()
  })

  test('do not keep an earlier state after a failure', async () => {
    openSettings()
    expect(await card('Database').findByText('Connected')).toBeTruthy()
    api.cut(getSystemStatus)
    await user.click(screen.getByRole('button', { name: 'Check again' }))
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    expect(card('Authentication').getByText('Not known')).toBeTruthy()
  })
})

test('links lead to the audit log and the import', async () => {
  openSettings()
  await card('Database').findByText('Connected')
  await user.click(screen.getByRole('link', { name: 'Audit log' }))
  expect(screen.getByTestId('address').textContent).toBe('/admin?tab=settings&view=audit')
  await user.click(screen.getByRole('link', { name: 'Import people' }))
  expect(screen.getByTestId('address').textContent).toBe('/admin?tab=users&view=import')
})

describe('changing the password', () => {
  beforeEach(() => setXsrfCookie('there'))

  async function changePassword(fields: { current?: string; newPassword?: string; confirmation?: string } = {}) {
    const { current = 'old password', newPassword = 'new password', confirmation = newPassword } = fields
    const typeInto = async (label: string, text: string) =>
      text && (await enterText(user, screen.getByLabelText(label), text))
    await typeInto('Current password', current)
    await typeInto('New password', newPassword)
    await typeInto('Confirm new password', confirmation)
    await user.click(screen.getByRole('button', { name: 'Change password' }))
  }
  const fieldValues = () =>
    ['Current password', 'New password', 'Confirm new password'].map(
      label => screen.getByLabelText<HTMLInputElement>(label).value,
    )

  test('saves it, confirms it and clears the fields', async () => {
    api.answer(changeAdminPassword, { success: true })
    openSettings()
    await card('Database').findByText('Connected')
    await changePassword()
    expect(await screen.findByText('Your password is changed')).toBeTruthy()
    expect(api.callsOf(changeAdminPassword).map(call => call.body)).toEqual([
      { current_password: 'old password', new_password: 'new password' },
    ])
    expect(fieldValues()).toEqual(['', '', ''])
    expect(await findAccessibilityFaults()).toEqual([])
  })

  test.each([
    [{ newPassword: 'seven77' }, 'Password must be at least 8 characters long'],
    [{ confirmation: 'other words' }, 'Passwords do not match'],
    [{ current: '' }, 'Enter your current password'],
  ])('refuses %j before sending it', async (fields, text) => {
    openSettings()
    await changePassword(fields)
    expect(await screen.findByText(text)).toBeTruthy()
    expect(api.callsOf(changeAdminPassword)).toEqual([])
  })

  test.each([
    [
      'the current password is wrong',
      () => api.refuse(changeAdminPassword, 'invalid_credentials', 'The password is wrong'),
      'The password is wrong',
    ],
    [
      'there were too many attempts',
      () => api.refuse(changeAdminPassword, 'too_many', undefined, { 'retry-after': '840' }),
      'Too many attempts. Please try again in 14 minutes.',
    ],
    ['there is no answer', () => api.cut(changeAdminPassword), 'Failed to change your password'],
  ])('keeps the fields if %s', async (_, failCall, text) => {
    failCall()
    openSettings()
    await changePassword()
    expect((await screen.findByRole('alert')).textContent).toBe(text)
    expect(fieldValues()).toEqual(['old password', 'new password', 'new password'])
  })
})

describe('mails', () => {
  test('are promised by nothing without a mail server', async () => {
    api.answer(getMailStatus, { ...mails, is_available: false, from: undefined })
    openSettings()
    expect(await card('Mail').findByText('Not configured')).toBeTruthy()
    expect(card('Mail').getByText('SMTP_URL')).toBeTruthy()
    expect(screen.queryByRole('button', { name: 'Send me a test mail' })).toBeNull()
  })

  test('are tested, with the words of the mail server', async () => {
    openSettings()
    const button = await screen.findByRole('button', { name: 'Send me a test mail' })
    api.answer(sendTestMail, { success: true, address: 'admin@example.org', server_reply: '250 queued' })
    await user.click(button)
    expect(await screen.findByText(/Sent to admin@example.org. The mail server answered: 250 queued/)).toBeTruthy()
    api.refuse(sendTestMail, 'mail_refused')
    await user.click(button)
    expect(await screen.findByText('The mail server did not accept the mail.')).toBeTruthy()
  })

  test('that bounced are shown with their person, who can be tried again', async () => {
    const at = '2027-01-31T16:00:00.000Z'
    const bounce = {
      person_id: 'p1',
      person_name: 'Trainee 1',
      address: 'gone@example.org',
      at,
      server_reply: '550 no',
    }
    const failure = { id: 'm1', person_id: 'p1', kind: 'task_overdue' as const, state: 'failed' as const }
    api.answer(getMailStatus, {
      ...mails,
      counts: { waiting: 1, unknown: 2, failed: 1, unverified: 3 },
      latest_failures: [{ ...failure, attempts: 1, created_at: at, explanation: '550 no' }],
      bounces: [bounce],
    })
    api.answer(clearBounce, { success: true })
    openSettings()
    expect(await card('Mail').findByText(/Some did not reach their people/)).toBeTruthy()
    expect(screen.getByText(/One mail waits to be sent. The answer to 2 mails was lost/)).toBeTruthy()
    expect(screen.getByText(/3 mails were not sent because the sign-in provider has not confirmed/)).toBeTruthy()
    expect(screen.getByText(/gone@example.org/)).toBeTruthy()
    expect(await findAccessibilityFaults()).toEqual([])
    await user.click(screen.getByRole('button', { name: 'Try Trainee 1 again' }))
    expect(await screen.findByText('Trainee 1 gets mails again')).toBeTruthy()
  })

  test('that failed more than a week ago need nobody', async () => {
    const created_at = new Date(Date.now() - 8 * 24 * 3_600_000).toISOString()
    const failure = { id: 'm1', person_id: 'p1', kind: 'task_overdue' as const, state: 'failed' as const, attempts: 1 }
    const counts = { ...mails.counts, failed: 1 }
    api.answer(getMailStatus, { ...mails, counts, latest_failures: [{ ...failure, created_at }] })
    openSettings()
    expect(await card('Mail').findByText('Mails are sent from watchline@example.org.')).toBeTruthy()
    expect(await screen.findByText('Latest mails that failed')).toBeTruthy()
  })
})
