import { expect, test } from '@jest/globals'
import { type AuditEntry, auditAction } from '@watchline/contracts/audit'
import { actionNames, auditComment, describeEntry } from '../../src/features/admin/audit/describe-entry.ts'
import { formatExactTime } from '../../src/ui/dates/format.ts'
import { endOfDay, startOfDay } from '../../src/ui/dates/parse-day.ts'

const makeEntry = (changes: Partial<AuditEntry>): AuditEntry => ({
  id: 'entry',
  at: '2026-11-20T10:00:00.000Z',
  action: 'role_changed',
  by: { id: 'admin', name: 'Admin One' },
  subject: { id: 'trainee1', name: 'Trainee One', email: 'trainee1@example.org' },
  before: {},
  after: {},
  ...changes,
})
const supervisor1 = { supervisor_id: 'supervisor1', supervisor_name: 'Supervisor One' }
const supervisor2 = { supervisor_id: 'supervisor2', supervisor_name: 'Supervisor Two' }
const noSupervisor = { supervisor_id: null, supervisor_name: null }
const manager1 = { manager_id: 'manager1', manager_name: 'Manager One' }

const warehouse = { group_id: 'group', group_name: 'Warehouse' }

test.each<[string, Partial<AuditEntry>]>([
  ['Admin One created the group “Warehouse”.', { action: 'group_created', after: { ...warehouse, assigners: 0 } }],
  [
    'Admin One renamed the group “Warehouse” to “Stock”.',
    { action: 'group_changed', before: warehouse, after: { group_id: 'group', group_name: 'Stock' } },
  ],
  [
    'Admin One changed the supervisors who may assign to the group “Warehouse”, now 2 supervisors.',
    { action: 'group_changed', before: { ...warehouse, assigners: 1 }, after: { ...warehouse, assigners: 2 } },
  ],
  [
    'Admin One deleted the group “Warehouse” with 12 members.',
    { action: 'group_deleted', before: { ...warehouse, members: 12 } },
  ],
  [
    'Admin One added Trainee One to the group “Warehouse”.',
    { action: 'group_members_changed', after: { ...warehouse, members_added: 1 } },
  ],
  [
    'Admin One removed 40 people from the group “Warehouse”.',
    { action: 'group_members_changed', subject: null, after: { ...warehouse, members_removed: 40 } },
  ],
  ['Admin One exported all that is recorded of Trainee One.', { action: 'exported' }],
  [
    'Admin One changed the words of “Task overdue”; subject “Overdue” became “Late”.',
    {
      action: 'mail_wording_changed',
      subject: null,
      before: { kind: 'task_overdue', subject: 'Overdue' },
      after: { kind: 'task_overdue', subject: 'Late' },
    },
  ],
  [
    'Admin One restored the default words of “Task overdue”.',
    { action: 'mail_wording_changed', subject: null, after: { kind: 'task_overdue', restored: 'default' } },
  ],
  [
    'Admin One changed the words of “Task overdue” in Deutsch (German); subject “Overdue” became “Überfällig”.',
    {
      action: 'mail_wording_changed',
      subject: null,
      before: { kind: 'task_overdue', language: 'de', subject: 'Overdue' },
      after: { kind: 'task_overdue', language: 'de', subject: 'Überfällig' },
    },
  ],
  [
    'Admin One removed the words of “Task overdue” in Deutsch (German).',
    {
      action: 'mail_wording_changed',
      subject: null,
      after: { kind: 'task_overdue', language: 'de', restored: 'default' },
    },
  ],
  [
    'Admin One changed the languages of mails; the default language from English to Deutsch (German); further languages from none to Français (French), English.',
    {
      action: 'mail_wording_changed',
      subject: null,
      before: { default_language: 'en', languages: '' },
      after: { default_language: 'de', languages: 'fr, en' },
    },
  ],
  ['Admin One erased a person.', { action: 'erased', after: { erasure_id: 'erasure' } }],
  ['A person was erased again after a restore.', { action: 'erased', by: null, after: { erasure_id: 'erasure' } }],
  ['Admin One invited Trainee One to become an administrator.', { action: 'admin_invited' }],
  [
    'Trainee One became an administrator by the invitation of Admin One.',
    { action: 'admin_created', after: { role: 'admin', invited_by_id: 'admin', invited_by_name: 'Admin One' } },
  ],
  [
    'Trainee One became an administrator by the invitation of Admin One; 2 users of their team were left without a supervisor.',
    {
      action: 'admin_created',
      before: { role: 'supervisor' },
      after: { role: 'admin', invited_by_id: 'admin', invited_by_name: 'Admin One', freed_users: 2 },
    },
  ],
  [
    'The sign-in provider made Trainee One an administrator; they left the team of Supervisor One.',
    { action: 'admin_granted', by: null, before: { role: 'user', ...supervisor1 }, after: { role: 'admin' } },
  ],
  [
    'Admin One removed the administrator Trainee One; 1 open invitation was withdrawn; 2 sign-ins were ended.',
    { action: 'admin_removed', after: { role: 'user', withdrawn_invitations: 1, ended_sessions: 2 } },
  ],
  ['The sign-in provider no longer names Trainee One an administrator.', { action: 'admin_removed', by: null }],
  ['Admin One signed in with a passkey.', { action: 'admin_signed_in', after: { second_factor: 'passkey' } }],
  [
    'Admin One added an authenticator app (Phone) to their sign-in.',
    { action: 'second_factor_added', after: { kind: 'totp', name: 'Phone' } },
  ],
  [
    'The operator removed all second factors of the administrator Trainee One.',
    { action: 'second_factor_removed', by: null, before: { second_factors: 1 } },
  ],
  [
    'Admin One changed the role of Trainee One from user to supervisor; they left the team of Supervisor One.',
    { before: { role: 'user', ...supervisor1 }, after: { role: 'supervisor', ...noSupervisor } },
  ],
  [
    'Admin One changed the role of Trainee One from supervisor to user; 7 users of their team were left without a supervisor; they left manager Manager One.',
    { before: { role: 'supervisor', ...manager1 }, after: { role: 'user', freed_users: 7 } },
  ],
  [
    'Admin One changed the role of Trainee One from manager to director; 1 supervisor of theirs was left without a manager; 2 pending requests were withdrawn.',
    { before: { role: 'manager' }, after: { role: 'director', freed_supervisors: 1, withdrawn_requests: 2 } },
  ],
  [
    'Admin One put Trainee One into the team of Supervisor One.',
    { action: 'supervisor_changed', before: noSupervisor, after: supervisor1 },
  ],
  [
    'Admin One moved Trainee One from the team of Supervisor One to the team of Supervisor Two.',
    { action: 'supervisor_changed', before: supervisor1, after: supervisor2 },
  ],
  [
    'Admin One took Trainee One out of the team of Supervisor One.',
    { action: 'supervisor_changed', before: supervisor1, after: noSupervisor },
  ],
  [
    'The operator changed the role of Trainee One from user to director.',
    { by: null, actor: 'operator', before: { role: 'user' }, after: { role: 'director' } },
  ],
  [
    '12 sign-ins to the administrator account of Trainee One failed, from 203.0.113.7, 203.0.113.8.',
    { action: 'admin_sign_in_failed', by: null, after: { attempts: 12, networks: '203.0.113.7, 203.0.113.8' } },
  ],
  [
    '1 sign-in to unknown administrator accounts failed.',
    { action: 'admin_sign_in_failed', by: null, subject: null, after: { attempts: 1 } },
  ],
  [
    'An old copy of a sign-in of Trainee One was used; 1 sign-in was ended.',
    { action: 'refresh_token_reused', by: null, after: { device: 'Firefox on Windows', ended_sessions: 1 } },
  ],
  [
    `The operator restored the backup of ${formatExactTime('2026-11-20T10:00:00.000Z')}; the last entry before was number 560.`,
    {
      action: 'restored',
      ...{ actor: 'operator', by: null, subject: null },
      after: { backup_at: '2026-11-20T10:00:00.000Z', replaced_seq: 560, replaced_hash: 'h' },
    },
  ],
  [
    'Admin One exported 1,200 entries of the audit log.',
    { action: 'audit_exported', subject: null, after: { format: 'jsonl', entries: 1_200, from: null, until: null } },
  ],
  [
    'The system put supervisor Trainee One under manager Manager One.',
    { action: 'manager_changed', by: null, before: { manager_id: null }, after: manager1 },
  ],
  [
    'Admin One took supervisor Trainee One away from manager Manager One.',
    { action: 'manager_changed', before: manager1, after: { manager_id: null, manager_name: null } },
  ],
  [
    'Admin One put supervisor Trainee One under manager Manager One; 1 pending request was withdrawn.',
    { action: 'manager_changed', before: { manager_id: null }, after: { ...manager1, withdrawn_requests: 1 } },
  ],
  [
    'Admin One put supervisor Trainee One under manager Manager One; 2 other requests for the supervisor were declined.',
    { action: 'manager_changed', before: { manager_id: null }, after: { ...manager1, declined_requests: 2 } },
  ],
  ['Admin One changed their password.', { action: 'password_changed' }],
  [
    'Admin One changed their password; 2 sign-ins elsewhere were ended.',
    { action: 'password_changed', after: { ended_sessions: 2 } },
  ],
  [
    'The operator set a new password for the administrator Trainee One; 1 sign-in was ended.',
    { action: 'password_changed', by: null, after: { ended_sessions: 1 } },
  ],
  [
    'Admin One approved the request of manager Manager One for supervisor Trainee One.',
    { action: 'request_approved', before: { status: 'pending' }, after: { status: 'approved', ...manager1 } },
  ],
  [
    'Admin One rejected the request of manager Manager One for supervisor Trainee One.',
    {
      action: 'request_rejected',
      before: { status: 'pending' },
      after: { status: 'rejected', requested_by: 'manager1', requested_by_name: 'Manager One' },
    },
  ],
  [
    'Admin One imported 12 people (10 users, 1 supervisor, and 1 manager) from the file people.csv.',
    {
      action: 'people_imported',
      subject: null,
      after: { file_name: 'people.csv', user: 10, supervisor: 1, manager: 1, director: 0 },
    },
  ],
  [
    'Admin One changed the sign-in rules from 1 rule to 2 rules; added “groups contains a: user”.',
    {
      action: 'claim_rules_changed',
      subject: null,
      before: { rules: 1 },
      after: { rules: 2, added: 'groups contains a: user', removed: null },
    },
  ],
  [
    'A rule for groups = leads changed the role of Trainee One from user to supervisor.',
    {
      action: 'role_changed',
      by: null,
      before: { role: 'user' },
      after: { role: 'supervisor', claim: 'groups', claim_value: 'leads' },
    },
  ],
  [
    'A rule for groups = a could not put Trainee One into the team of Supervisor One, because the team is full.',
    {
      action: 'claim_rule_not_applied',
      by: null,
      after: {
        claim: 'groups',
        claim_value: 'a',
        reason: 'full',
        supervisor_id: 'supervisor1',
        supervisor_name: 'Supervisor One',
      },
    },
  ],
  [
    'A rule for groups = b could not put Trainee One under manager Manager One, because Manager One is no active manager.',
    {
      action: 'claim_rule_not_applied',
      by: null,
      after: { claim: 'groups', claim_value: 'b', reason: 'not_a_leader', manager_name: 'Manager One' },
    },
  ],
  ['The administrator account of Trainee One was set up.', { action: 'admin_created', by: null }],
  ['Admin One created the administrator account of Trainee One.', { action: 'admin_created' }],
  ['Admin One signed in.', { action: 'admin_signed_in' }],
])('%s', (sentence, changes) => {
  expect(describeEntry(makeEntry(changes))).toBe(sentence)
})

test('every action has a name and a sentence, whatever its details', () => {
  for (const action of auditAction.options) {
    expect(actionNames[action]).toBeTruthy()
    expect(describeEntry(makeEntry({ action, by: null, subject: null }))).toMatch(/^\S.+\.$/)
  }
})

test('the administrator’s comment is separate from the sentence', () => {
  expect(auditComment(makeEntry({ after: { comment: 'Welcome.' } }))).toBe('Welcome.')
  expect(auditComment(makeEntry({ after: { comment: '' } }))).toBeUndefined()
})

test('a day lasts from its first to its last moment in local time', () => {
  const day = '2026-11-20'
  expect(startOfDay(day)).toBe(new Date(2026, 10, 20).toISOString())
  expect(endOfDay(day)).toBe(new Date(new Date(2026, 10, 21).getTime() - 1).toISOString())
})
