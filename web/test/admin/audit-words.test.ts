import { expect, test } from '@jest/globals'
import { type AuditEntry, auditAction } from '@watchline/contracts/auth'
import { actionNames, commentOf, describeEntry } from '../../src/features/admin/audit-words.ts'
import { endOfDay, startOfDay } from '../../src/features/admin/days.ts'

const entry = (changes: Partial<AuditEntry>): AuditEntry => ({
  id: 'entry',
  at: '2026-11-20T10:00:00.000Z',
  action: 'role_changed',
  by: { id: 'admin', name: 'Alex' },
  subject: { id: 'ada', name: 'Ada', email: 'ada@example.org' },
  before: {},
  after: {},
  ...changes,
})
const sam = { supervisor_id: 'sam', supervisor_name: 'Sam' }
const sue = { supervisor_id: 'sue', supervisor_name: 'Sue' }
const nobody = { supervisor_id: null, supervisor_name: null }
const mia = { manager_id: 'mia', manager_name: 'Mia' }

test.each<[string, Partial<AuditEntry>]>([
  [
    'Alex changed the role of Ada from user to supervisor; they left the team of Sam.',
    { before: { role: 'user', ...sam }, after: { role: 'supervisor', ...nobody } },
  ],
  [
    'Alex changed the role of Ada from supervisor to user; 7 users of their team were left without a supervisor; they left manager Mia.',
    { before: { role: 'supervisor', ...mia }, after: { role: 'user', freed_users: 7 } },
  ],
  [
    'Alex changed the role of Ada from manager to director; 1 supervisor of theirs was left without a manager; 2 pending requests were withdrawn.',
    { before: { role: 'manager' }, after: { role: 'director', freed_supervisors: 1, withdrawn_requests: 2 } },
  ],
  ['Alex put Ada into the team of Sam.', { action: 'supervisor_changed', before: nobody, after: sam }],
  [
    'Alex moved Ada from the team of Sam to the team of Sue.',
    { action: 'supervisor_changed', before: sam, after: sue },
  ],
  ['Alex took Ada out of the team of Sam.', { action: 'supervisor_changed', before: sam, after: nobody }],
  [
    'The system put supervisor Ada under manager Mia.',
    { action: 'manager_changed', by: null, before: { manager_id: null }, after: mia },
  ],
  [
    'Alex took supervisor Ada away from manager Mia.',
    { action: 'manager_changed', before: mia, after: { manager_id: null, manager_name: null } },
  ],
  [
    'Alex approved the request of manager Mia for supervisor Ada.',
    { action: 'request_approved', before: { status: 'pending' }, after: { status: 'approved', ...mia } },
  ],
  [
    'Alex rejected the request of manager Mia for supervisor Ada.',
    {
      action: 'request_rejected',
      before: { status: 'pending' },
      after: { status: 'rejected', requested_by: 'mia', requested_by_name: 'Mia' },
    },
  ],
  [
    'Alex brought in 12 people (10 users, 1 supervisor, and 1 manager) from the file people.csv.',
    {
      action: 'people_imported',
      subject: null,
      after: { file_name: 'people.csv', user: 10, supervisor: 1, manager: 1, director: 0 },
    },
  ],
  ['The administrator account of Ada was set up.', { action: 'admin_created', by: null }],
  ['Alex created the administrator account of Ada.', { action: 'admin_created' }],
  ['Alex signed in as administrator.', { action: 'admin_signed_in' }],
])('%s', (sentence, changes) => {
  expect(describeEntry(entry(changes))).toBe(sentence)
})

test('every act has a name and a sentence, whatever its facts are', () => {
  for (const action of auditAction.options) {
    expect(actionNames[action]).toBeTruthy()
    expect(describeEntry(entry({ action, by: null, subject: null }))).toMatch(/^\S.+\.$/)
  }
})

test('the administrator’s words are kept apart', () => {
  expect(commentOf(entry({ after: { comment: 'Welcome.' } }))).toBe('Welcome.')
  expect(commentOf(entry({ after: { comment: '' } }))).toBeUndefined()
})

test('a day is the person’s own, from its first moment to its last', () => {
  const day = '2026-11-20'
  expect(startOfDay(day)).toBe(new Date(2026, 10, 20).toISOString())
  expect(endOfDay(day)).toBe(new Date(new Date(2026, 10, 21).getTime() - 1).toISOString())
})
