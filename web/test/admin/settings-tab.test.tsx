import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { changeAdminPassword, getSystemStatus } from '@watchline/contracts/auth'
import { getVideoDataStatus } from '@watchline/contracts/playlist-imports'
import { HttpResponse } from 'msw'
import { SettingsTab } from '../../src/features/admin/settings/settings-tab.tsx'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi, setXsrfCookie } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()

beforeEach(() => {
  api.answer(getVideoDataStatus, { status: 'active' })
  api.answer(getSystemStatus, {
    database: 'connected',
    authentication: { status: 'active', provider: 'Corporate Login' },
  })
})
afterEach(cleanup)

const open = () => renderScreen(<SettingsTab />, { at: '/admin?tab=settings' })
const card = (name: string) => within(screen.getByRole('region', { name }))

describe('the status cards', () => {
  test('say that all is well, and leave nothing to do', async () => {
    open()
    expect(await card('Video data').findByText('Active')).toBeTruthy()
    expect(await card('Database').findByText('Connected')).toBeTruthy()
    expect(await card('Authentication').findByText('Active')).toBeTruthy()
    expect(card('Authentication').getByText('People sign in with Corporate Login.')).toBeTruthy()
    expect(screen.queryByText('What to do:')).toBeNull()
    expect(await accessibilityFaults()).toEqual([])
  })

  test('say what is missing, and which variables to set', async () => {
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    api.answer(getSystemStatus, {
      database: 'disconnected',
      authentication: { status: 'needs_update', provider: 'Development sign-in' },
    })
    open()
    expect(await card('Video data').findByText('Not configured')).toBeTruthy()
    expect(card('Video data').getByText('YOUTUBE_API_KEY')).toBeTruthy()
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    expect(card('Database').getByText('MONGO_URL')).toBeTruthy()
    expect(await card('Authentication').findByText('Needs Update')).toBeTruthy()
    for (const name of ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'])
      expect(card('Authentication').getByText(name)).toBeTruthy()
    expect(await accessibilityFaults()).toEqual([])
  })

  test.each([
    ['says that it is away', () => api.refuse(getSystemStatus, 'unavailable')],
    ['is too slow for the gateway', () => api.refuse(getSystemStatus, 'too_slow')],
    [
      'is hidden by a proxy’s page',
      () => api.answer(getSystemStatus, new HttpResponse('Bad Gateway', { status: 502 })),
    ],
    ['gives no answer', () => api.cut(getSystemStatus)],
  ])('call the database disconnected when the service in front of it %s', async (_, fail) => {
    fail()
    open()
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    expect(card('Authentication').getByText('Not known')).toBeTruthy()
    expect(
      card('Authentication').getByText(/it does not answer without the database|Watchline could not be reached/),
    ).toBeTruthy()
    expect(await card('Video data').findByText('Active')).toBeTruthy()
  })

  test('call the database disconnected when no answer comes in time', async () => {
    const never = Promise.withResolvers<never>()
    api.answer(getSystemStatus, () => never.promise)
    api.answer(getVideoDataStatus, () => never.promise)
    const late = jest.spyOn(AbortSignal, 'timeout').mockImplementation(ms => {
      asked.push(ms)
      return AbortSignal.abort(new DOMException('late', 'TimeoutError'))
    })
    const asked: number[] = []
    try {
      open()
      expect(await card('Database').findByText('Disconnected')).toBeTruthy()
      expect(card('Authentication').getByText('Not known')).toBeTruthy()
      expect(await card('Video data').findByText(/no answer came within 10 seconds\./)).toBeTruthy()
      expect(new Set(asked)).toEqual(new Set([10_000]))
    } finally {
      late.mockRestore()
    }
  })

  test('claim nothing about what could not be checked', async () => {
    api.refuse(getSystemStatus, 'internal')
    api.refuse(getVideoDataStatus, 'internal')
    open()
    await waitFor(() => expect(screen.getAllByText('Not known')).toHaveLength(3))
    expect(screen.queryByText('Disconnected')).toBeNull()
  })

  test('are told to a screen reader in one sentence', async () => {
    open()
    const words = 'Video data: Active, Database: Connected, Authentication: Active'
    await waitFor(() => expect(screen.getByRole('status').textContent).toBe(words))
  })

  test('are checked again by the button', async () => {
    api.refuse(getSystemStatus, 'unavailable')
    open()
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    api.answer(getSystemStatus, {
      database: 'connected',
      authentication: { status: 'active', provider: 'Corporate Login' },
    })
    api.answer(getVideoDataStatus, { status: 'not_configured' })
    await user.click(screen.getByRole('button', { name: 'Check again' }))
    expect(await card('Database').findByText('Connected')).toBeTruthy()
    expect(await card('Video data').findByText('Not configured')).toBeTruthy()
  })

  test('do not keep what was true before a failure', async () => {
    open()
    expect(await card('Database').findByText('Connected')).toBeTruthy()
    api.cut(getSystemStatus)
    await user.click(screen.getByRole('button', { name: 'Check again' }))
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    expect(card('Authentication').getByText('Not known')).toBeTruthy()
  })
})

test('the audit log and the import are a link away', async () => {
  open()
  await card('Database').findByText('Connected')
  await user.click(screen.getByRole('link', { name: 'Audit log' }))
  expect(screen.getByTestId('address').textContent).toBe('/admin?tab=settings&view=audit')
  await user.click(screen.getByRole('link', { name: 'Import people' }))
  expect(screen.getByTestId('address').textContent).toBe('/admin?tab=users&view=import')
})

describe('the password', () => {
  beforeEach(() => setXsrfCookie('there'))

  async function change(fields: { current?: string; wanted?: string; confirmation?: string } = {}) {
    const { current = 'old password', wanted = 'new password', confirmation = wanted } = fields
    const type = async (label: string, text: string) => text && (await user.type(screen.getByLabelText(label), text))
    await type('Current password', current)
    await type('New password', wanted)
    await type('Confirm new password', confirmation)
    await user.click(screen.getByRole('button', { name: 'Change password' }))
  }
  const shown = () =>
    ['Current password', 'New password', 'Confirm new password'].map(
      label => screen.getByLabelText<HTMLInputElement>(label).value,
    )

  test('is changed, said so, and forgotten by the page', async () => {
    api.answer(changeAdminPassword, { success: true })
    open()
    await card('Database').findByText('Connected')
    await change()
    expect(await screen.findByText('Your password is changed')).toBeTruthy()
    expect(api.callsOf(changeAdminPassword).map(call => call.body)).toEqual([
      { current_password: 'old password', new_password: 'new password' },
    ])
    expect(shown()).toEqual(['', '', ''])
    expect(await accessibilityFaults()).toEqual([])
  })

  test.each([
    [{ wanted: 'seven77' }, 'Password must be at least 8 characters long'],
    [{ confirmation: 'other words' }, 'Passwords do not match'],
    [{ current: '' }, 'Enter your current password'],
  ])('with %j is stopped here', async (fields, text) => {
    open()
    await change(fields)
    expect(await screen.findByText(text)).toBeTruthy()
    expect(api.callsOf(changeAdminPassword)).toEqual([])
  })

  test.each([
    [
      'the current one is wrong',
      () => api.refuse(changeAdminPassword, 'invalid_credentials', 'The current password is wrong'),
      'The current password is wrong',
    ],
    [
      'there were too many tries',
      () => api.refuse(changeAdminPassword, 'too_many', undefined, { 'retry-after': '840' }),
      'Too many attempts. Please try again in 14 minutes.',
    ],
    ['nobody answers', () => api.cut(changeAdminPassword), 'Failed to change your password'],
  ])('stays when %s, with what was typed', async (_, fail, text) => {
    fail()
    open()
    await change()
    expect((await screen.findByRole('alert')).textContent).toBe(text)
    expect(shown()).toEqual(['old password', 'new password', 'new password'])
  })
})
