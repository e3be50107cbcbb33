import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { type AuditEntry, listAudit } from '@watchline/contracts/audit'
import { type Erasure, eraseUser, listErasures } from '@watchline/contracts/privacy'
import { getSecondFactors } from '@watchline/contracts/second-factors'
import { AuditLog } from '../../src/features/admin/audit/audit-log.tsx'
import { ChoiceOwner } from '../../src/ui/lists/remembered-choice.ts'
import { findAccessibilityFaults } from '../support/accessibility.ts'
import { createFakeApi } from '../support/fake-api.ts'
import { renderScreen } from '../support/render.tsx'

const api = createFakeApi()
beforeEach(() => {
  api.answer(listErasures, [], { 'x-total-count': '0' })
  api.answer(getSecondFactors, { sign_in: 'password', required: false, factors: [], recovery_codes_left: 0 })
})
const user = userEvent.setup()
const realMatchMedia = window.matchMedia

afterEach(() => {
  cleanup()
  window.matchMedia = realMatchMedia
})

let count = 0
function makeEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
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

const signInEntry = makeEntry({ action: 'admin_signed_in', before: {}, after: {} })
const rejectionEntry = makeEntry({
  action: 'request_rejected',
  before: {},
  after: { manager_name: 'Manager One', comment: 'Not now' },
})

function answerEntries(list: AuditEntry[], headers: Record<string, string> = {}) {
  api.answer(listAudit, list, { 'x-total-count': String(list.length), ...headers })
}
const openAuditLog = (filters = '') => renderScreen(<AuditLog />, { at: `/admin?tab=settings&view=audit${filters}` })
const lastQuery = () => api.callsOf(listAudit).at(-1)?.query

test('people whom only the audit log names can be erased there', async () => {
  const subject = { id: 'mistake1', name: 'Mistaken One', email: 'mistaken@example.org' }
  answerEntries([
    makeEntry({ action: 'deleted', subject, before: { role: 'user' }, after: {} }),
    makeEntry({ action: 'deleted', subject: { ...subject, name: 'Erased person', email: '' }, before: {}, after: {} }),
    makeEntry({ action: 'deactivated', before: {}, after: {} }),
  ])
  const services = { auth: null, 'playback-session': null, engagement: null, notification: null, chat: null }
  const by = { id: 'admin', name: 'Admin One' }
  const erasure = { id: 'e1', person_id: subject.id, erased_at: '2026-11-20T10:00:05.000Z', by, services }
  api.answer(eraseUser, { success: true, erasure: { ...erasure, completed_at: null } })
  openAuditLog()
  await user.click(await screen.findByRole('button', { name: 'Erase…' }))
  await user.type(await screen.findByRole('textbox', { name: /mistaken@example.org/ }), subject.email)
  await user.type(screen.getByLabelText('Your password'), 'my password')
  await user.click(screen.getByRole('button', { name: 'Erase' }))
  await waitFor(() =>
    expect(api.callsOf(eraseUser).at(-1)).toMatchObject({
      params: { id: subject.id },
      body: { confirm_email: subject.email, password: 'my password' },
    }),
  )
})

test('each entry is a sentence with its exact time and the person concerned', async () => {
  answerEntries([makeEntry(), rejectionEntry])
  openAuditLog()
  const sentence = await screen.findByText('Admin One changed the role of Trainee One from user to supervisor.')
  const row = within(sentence.closest('tr') as HTMLElement)
  const exactTime = new Date('2026-11-20T10:00:05.000Z').toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'medium',
  })
  expect(row.getByText(exactTime).getAttribute('datetime')).toBe('2026-11-20T10:00:05.000Z')
  expect(row.getByText('trainee1@example.org')).toBeTruthy()
  expect(screen.getByText('“Not now”')).toBeTruthy()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('a phone shows a list instead of a table', async () => {
  window.matchMedia = jest.fn((media: string) => ({
    ...realMatchMedia(media),
    matches: media.startsWith('(max-width'),
  }))
  answerEntries([makeEntry(), signInEntry])
  openAuditLog()
  const list = await screen.findByRole('list', { name: 'Audit log' })
  expect(within(list).getAllByRole('listitem')).toHaveLength(2)
  expect(screen.queryByRole('table')).toBeNull()
  expect(await findAccessibilityFaults()).toEqual([])
})

test('the log is filtered by action and days, and the address keeps the filters', async () => {
  answerEntries([signInEntry])
  openAuditLog()
  await screen.findByText('Admin One signed in.')
  await user.selectOptions(screen.getByLabelText('Action'), 'Administrator signed in')
  await waitFor(() => expect(lastQuery()).toMatchObject({ action: 'admin_signed_in' }))
  fireEvent.change(screen.getByLabelText('From'), { target: { value: '2026-11-01' } })
  fireEvent.change(screen.getByLabelText('Until'), { target: { value: '2026-11-20' } })
  const expectedQuery = expect.objectContaining({
    action: 'admin_signed_in',
    from: new Date(2026, 10, 1).toISOString(),
    until: new Date(2026, 10, 20, 23, 59, 59, 999).toISOString(),
  })
  await waitFor(() => expect(api.callsOf(listAudit).map(({ query }) => query)).toContainEqual(expectedQuery))
  expect(screen.getByTestId('address').textContent).toBe(
    '/admin?tab=settings&view=audit&action=admin_signed_in&from=2026-11-01&until=2026-11-20',
  )
})

test('the filters are restored from the address', async () => {
  answerEntries([signInEntry])
  openAuditLog('&action=admin_signed_in&from=2026-11-01&search=one')
  await screen.findByText('Admin One signed in.')
  expect(lastQuery()).toMatchObject({
    action: 'admin_signed_in',
    search: 'one',
    from: new Date(2026, 10, 1).toISOString(),
  })
  expect(screen.getByLabelText<HTMLInputElement>('From').value).toBe('2026-11-01')
})

test('the order and the last filter are remembered; the address decides before them', async () => {
  const openRemembered = (filters = '') =>
    renderScreen(
      <ChoiceOwner value="admin-1">
        <AuditLog />
      </ChoiceOwner>,
      { at: `/admin?tab=settings&view=audit${filters}` },
    )
  answerEntries([signInEntry])
  openRemembered()
  await screen.findByText('Admin One signed in.')
  expect(lastQuery()).toMatchObject({ order: 'desc' })
  await user.click(screen.getByRole('button', { name: 'When' }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ order: 'asc' }))
  await user.selectOptions(screen.getByLabelText('Action'), 'Role changed')
  await waitFor(() => expect(lastQuery()).toMatchObject({ action: 'role_changed' }))
  cleanup()
  openRemembered()
  await screen.findByText('Admin One signed in.')
  expect(lastQuery()).toMatchObject({ order: 'asc', action: 'role_changed' })
  cleanup()
  openRemembered('&action=admin_signed_in')
  await screen.findByText('Admin One signed in.')
  expect(lastQuery()).toMatchObject({ action: 'admin_signed_in' })
})

test('changes are shown at first; sign-ins and setup can be switched on', async () => {
  answerEntries([makeEntry()])
  openAuditLog()
  await screen.findByText(/^Admin One changed the role/)
  expect(lastQuery()).toMatchObject({ sign_ins: 'false', setup: 'false' })
  await user.click(screen.getByRole('checkbox', { name: 'Sign-ins' }))
  await waitFor(() => expect(lastQuery()).not.toHaveProperty('sign_ins'))
  expect(lastQuery()).toMatchObject({ setup: 'false' })
  await user.click(screen.getByRole('checkbox', { name: 'Demo and setup entries' }))
  await waitFor(() => expect(lastQuery()).not.toHaveProperty('setup'))
})

test('invalid filters in the address are ignored', async () => {
  answerEntries([signInEntry])
  openAuditLog('&action=everything&from=yesterday')
  await screen.findByText('Admin One signed in.')
  expect(lastQuery()).not.toHaveProperty('action')
  expect(lastQuery()).not.toHaveProperty('from')
})

test('an end before the beginning is reported', async () => {
  answerEntries([])
  openAuditLog('&from=2026-11-20&until=2026-11-01')
  expect(await screen.findByText('This day is before the first.')).toBeTruthy()
})

test('the server searches once the typing pauses', async () => {
  answerEntries([signInEntry])
  openAuditLog()
  await screen.findByText('Admin One signed in.')
  await user.type(screen.getByLabelText('Search'), 'one')
  await waitFor(() => expect(lastQuery()).toMatchObject({ search: 'one' }))
  expect(api.callsOf(listAudit).some(({ query }) => query.search === 'byr')).toBe(false)
})

test('the log has pages', async () => {
  answerEntries([signInEntry], { 'x-total-count': '60', 'x-next-cursor': 'second' })
  openAuditLog()
  expect(await screen.findByText(/1–1 of 60 entries/)).toBeTruthy()
  answerEntries([rejectionEntry], { 'x-total-count': '60' })
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await waitFor(() => expect(lastQuery()).toMatchObject({ cursor: 'second' }))
  await screen.findByText(/rejected the request of manager Manager One/)
  expect(screen.getByText(/26–26 of 60/)).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled')).toBe('true')
  await user.selectOptions(screen.getByLabelText('Action'), 'Role changed')
  await waitFor(() => expect(lastQuery()).toMatchObject({ action: 'role_changed' }))
  expect(lastQuery()).not.toHaveProperty('cursor')
})

test('an empty log explains its purpose, an empty result suggests what to do', async () => {
  answerEntries([])
  openAuditLog()
  expect(await screen.findByText('Nothing was done yet')).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Show all users' })).toBeTruthy()
  await user.selectOptions(screen.getByLabelText('Action'), 'Role changed')
  expect(await screen.findByText('Nothing found')).toBeTruthy()
})

test('the log can be loaded again after a failure', async () => {
  api.refuse(listAudit, 'unavailable')
  openAuditLog()
  expect(await screen.findByText('Couldn’t load the audit log.')).toBeTruthy()
  answerEntries([signInEntry])
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  expect(await screen.findByText('Admin One signed in.')).toBeTruthy()
})

test('the receipts of erasures say which parts of Watchline are still at work', async () => {
  const at = '2026-11-20T10:00:05.000Z'
  const services = { auth: at, 'playback-session': at, engagement: at, notification: at, chat: null }
  const erasure: Erasure = {
    id: 'erasure1',
    person_id: 'person1',
    erased_at: at,
    by: { id: 'admin', name: 'Admin One' },
    services,
    completed_at: null,
  }
  const done = {
    ...erasure,
    id: 'erasure2',
    person_id: 'person2',
    services: { ...services, chat: at },
    completed_at: at,
  }
  api.answer(listAudit, [], { 'x-total-count': '0' })
  api.answer(listErasures, [erasure, done], { 'x-total-count': '2' })
  openAuditLog()
  expect(await screen.findByText('4 of 5 parts done; still at work: chat')).toBeTruthy()
  expect(screen.getByText(/^Done Nov 20, 2026/)).toBeTruthy()
})

test('the receipts of erasures can be loaded again after a failure', async () => {
  api.answer(listAudit, [], { 'x-total-count': '0' })
  api.refuse(listErasures, 'unavailable')
  openAuditLog()
  expect(await screen.findByText('Couldn’t load the receipts of erasures.')).toBeTruthy()
  api.answer(listErasures, [], { 'x-total-count': '0' })
  await user.click(screen.getByRole('button', { name: 'Try Again' }))
  await waitFor(() => expect(screen.queryByRole('heading', { name: 'Erased people' })).toBeNull())
})
