import { afterEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type AuditEntry, listAudit } from '@watchline/contracts/audit'
import { AuditLog } from '../../src/features/admin/audit/audit-log.tsx'
import { accessibilityFaults } from '../support/accessibility.ts'
import { fakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = fakeApi()
const user = userEvent.setup()
const wide = window.matchMedia

afterEach(() => {
  cleanup()
  window.matchMedia = wide
})

let count = 0
function anEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
  count += 1
  return {
    id: `entry-${count}`,
    at: '2026-11-20T10:00:05.000Z',
    action: 'role_changed',
    by: { id: 'admin', name: 'Admin One' },
    subject: { id: 'trainee1', name: 'Trainee One', email: 'trainee1@example.org' },
    before: { role: 'user' },
    after: { role: 'supervisor' },
    ...changes,
  }
}

const signIn = anEntry({ action: 'admin_signed_in', before: {}, after: {} })
const rejected = anEntry({
  action: 'request_rejected',
  before: {},
  after: { manager_name: 'Manager One', comment: 'Not now' },
})

function entries(list: AuditEntry[], headers: Record<string, string> = {}) {
  api.answer(listAudit, list, { 'x-total-count': String(list.length), ...headers })
}
const open = (more = '') => renderScreen(<AuditLog />, { at: `/admin?tab=settings&view=audit${more}` })
const lastAsked = () => api.callsOf(listAudit).at(-1)?.query

test('each act is a sentence with its exact time and who it was done to', async () => {
  entries([anEntry(), rejected])
  open()
  const sentence = await screen.findByText('Admin One changed the role of Trainee One from user to supervisor.')
  const row = within(sentence.closest('tr') as HTMLElement)
  const exact = new Date('2026-11-20T10:00:05.000Z').toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'medium',
  })
  expect(row.getByText(exact).getAttribute('datetime')).toBe('2026-11-20T10:00:05.000Z')
  expect(row.getByText('trainee1@example.org')).toBeTruthy()
  expect(screen.getByText('“Not now”')).toBeTruthy()
  expect(await accessibilityFaults()).toEqual([])
})

test('on a phone it is a list', async () => {
  window.matchMedia = jest.fn((media: string) => ({ ...wide(media), matches: media.startsWith('(max-width') }))
  entries([anEntry(), signIn])
  open()
  const list = await screen.findByRole('list', { name: 'Audit log' })
  expect(within(list).getAllByRole('listitem')).toHaveLength(2)
  expect(screen.queryByRole('table')).toBeNull()
  expect(await accessibilityFaults()).toEqual([])
})

test('it is filtered by what was done and by days, and all of it stands in the address', async () => {
  entries([signIn])
  open()
  await screen.findByText('Admin One signed in as administrator.')
  await user.selectOptions(screen.getByLabelText('What was done'), 'Administrator signed in')
  await waitFor(() => expect(lastAsked()).toMatchObject({ action: 'admin_signed_in' }))
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-11-01' } })
  fireEvent.change(screen.getByLabelText('Until'), { target: { value: '2026-11-20' } })
  const asked = expect.objectContaining({
    action: 'admin_signed_in',
    from: new Date(2026, 10, 1).toISOString(),
    until: new Date(2026, 10, 20, 23, 59, 59, 999).toISOString(),
  })
  await waitFor(() => expect(api.callsOf(listAudit).map(({ query }) => query)).toContainEqual(asked))
  expect(screen.getByTestId('address').textContent).toBe(
    '/admin?tab=settings&view=audit&action=admin_signed_in&from=2026-11-01&until=2026-11-20',
  )
})

test('an address brings its filters back', async () => {
  entries([signIn])
  open('&action=admin_signed_in&from=2026-11-01&search=one')
  await screen.findByText('Admin One signed in as administrator.')
  expect(lastAsked()).toMatchObject({
    action: 'admin_signed_in',
    search: 'one',
    from: new Date(2026, 10, 1).toISOString(),
  })
  expect(screen.getByLabelText<HTMLInputElement>('From').value).toBe('2026-11-01')
})

test('what an address has wrong is left out', async () => {
  entries([signIn])
  open('&action=everything&from=yesterday')
  await screen.findByText('Admin One signed in as administrator.')
  expect(lastAsked()).not.toHaveProperty('action')
  expect(lastAsked()).not.toHaveProperty('from')
})

test('days the wrong way round are said', async () => {
  entries([])
  open('&from=2026-11-20&until=2026-11-01')
  expect(await screen.findByText('This day is before the first.')).toBeTruthy()
})

test('it is searched by the server when the typing rests', async () => {
  entries([signIn])
  open()
  await screen.findByText('Admin One signed in as administrator.')
  await user.type(screen.getByLabelText('Search'), 'one')
  await waitFor(() => expect(lastAsked()).toMatchObject({ search: 'one' }))
  expect(api.callsOf(listAudit).some(({ query }) => query.search === 'byr')).toBe(false)
})

test('it comes page by page', async () => {
  entries([signIn], { 'x-total-count': '60', 'x-next-cursor': 'second' })
  open()
  expect(await screen.findByText(/1–1 of 60 entries/)).toBeTruthy()
  entries([rejected], { 'x-total-count': '60' })
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(lastAsked()).toMatchObject({ cursor: 'second' }))
  await screen.findByText(/rejected the request of manager Manager One/)
  expect(screen.getByText(/26–26 of 60/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Next' }).hasAttribute('disabled')).toBe(true)
  await user.selectOptions(screen.getByLabelText('What was done'), 'Role changed')
  await waitFor(() => expect(lastAsked()).toMatchObject({ action: 'role_changed' }))
  expect(lastAsked()).not.toHaveProperty('cursor')
})

test('an empty log says what it is for, an empty answer what to try', async () => {
  entries([])
  open()
  expect(await screen.findByText('Nothing was done yet')).toBeTruthy()
  await user.selectOptions(screen.getByLabelText('What was done'), 'Role changed')
  expect(await screen.findByText('Nothing found')).toBeTruthy()
})

test('a failure can be tried again', async () => {
  api.refuse(listAudit, 'unavailable')
  open()
  expect(await screen.findByText('The audit log could not be loaded. Please try again.')).toBeTruthy()
  entries([signIn])
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('Admin One signed in as administrator.')).toBeTruthy()
})
