import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { cleanup, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { getSystemStatus } from '@watchline/contracts/auth'
import { getVideoDataStatus } from '@watchline/contracts/playback'
import { SettingsTab } from '../../src/features/admin/settings-tab.tsx'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi } from '../support/fake-api.ts'
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
    ['gives no answer', () => api.cut(getSystemStatus)],
  ])('call the database disconnected when the service in front of it %s', async (_, fail) => {
    fail()
    open()
    expect(await card('Database').findByText('Disconnected')).toBeTruthy()
    expect(card('Authentication').getByText('Not known')).toBeTruthy()
    expect(await card('Video data').findByText('Active')).toBeTruthy()
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
