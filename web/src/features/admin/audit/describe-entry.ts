import type { AuditAction, AuditEntry } from '@watchline/contracts/audit'
import { mailKind } from '@watchline/contracts/mail'
import { assignableRole } from '@watchline/contracts/people'
import { formatCount, formatExactTime } from '../../../ui/dates/format.ts'
import { nameLanguage } from '../../../ui/dates/language-name.ts'
import { mailNames } from '../mails/mail-names.ts'
import { countPeople } from '../people/people-count.ts'

/** The name of each action in the filter, in the filter's order. */
export const actionNames: Record<AuditAction, string> = {
  role_changed: 'Role changed',
  supervisor_changed: 'Supervisor changed',
  manager_changed: 'Manager changed',
  signed_out_everywhere: 'Signed out everywhere',
  other_sessions_ended: 'Other sessions ended',
  deactivated: 'Account deactivated',
  reactivated: 'Account reactivated',
  exported: 'Personal data exported',
  erased: 'Person erased',
  deleted: 'Account deleted',
  request_approved: 'Request approved',
  request_rejected: 'Request rejected',
  people_imported: 'People imported',
  claim_rules_changed: 'Sign-in rules changed',
  claim_rule_not_applied: 'Sign-in rule not applied',
  group_created: 'Group created',
  group_changed: 'Group changed',
  group_deleted: 'Group deleted',
  group_members_changed: 'Group members changed',
  mail_wording_changed: 'Words of mails changed',
  reminder_settings_changed: 'Reminder settings changed',
  admin_created: 'Administrator created',
  admin_invited: 'Administrator invited',
  admin_invitation_withdrawn: 'Invitation withdrawn',
  admin_granted: 'Administrator by the sign-in provider',
  admin_removed: 'Administrator removed',
  admin_signed_in: 'Administrator signed in',
  password_changed: 'Password changed',
  admin_sign_in_failed: 'Administrator sign-in failed',
  refresh_token_reused: 'Copied sign-in ended',
  audit_exported: 'Audit log exported',
  restored: 'Backup restored',
  second_factor_added: 'Second factor added',
  second_factor_removed: 'Second factor removed',
  recovery_codes_replaced: 'Recovery codes replaced',
}

type Facts = AuditEntry['before']

/**
 * Describes an entry in one plain sentence: the actor, the person, both states and the
 * consequences.
 */
export function describeEntry(entry: AuditEntry): string {
  const sentence = mainClause(entry)
  const consequences = consequencesOf(entry)
  return `${[sentence, ...consequences].join('; ')}.`
}

function mainClause(entry: AuditEntry): string {
  const { action, by, subject, before, after } = entry
  const actorName = actorNameOf(entry)
  const subjectName = subject?.name ?? 'somebody'
  switch (action) {
    case 'admin_created':
      if (after.invited_by_name)
        return `${subjectName} became an administrator by the invitation of ${after.invited_by_name}`
      if (!by || by.id === subject?.id) return `The administrator account of ${subjectName} was set up`
      return `${actorName} created the administrator account of ${subjectName}`
    case 'admin_invited':
      return `${actorName} invited ${subjectName} to become an administrator`
    case 'admin_invitation_withdrawn':
      return `${actorName} withdrew the invitation of ${subjectName} to become an administrator`
    case 'admin_granted':
      return `The sign-in provider made ${subjectName} an administrator`
    case 'admin_removed':
      if (!by) return `The sign-in provider no longer names ${subjectName} an administrator`
      return by.id === subject?.id
        ? `${actorName} gave up the role of an administrator`
        : `${actorName} removed the administrator ${subjectName}`
    case 'admin_signed_in':
      return `${by?.name ?? subjectName} signed in${describeSecondStep(after)}`
    case 'second_factor_added':
      return `${actorName} added ${describeFactor(after)} to their sign-in`
    case 'second_factor_removed':
      return by
        ? `${actorName} removed ${describeFactor(before)} from their sign-in`
        : `The operator removed all second factors of the administrator ${subjectName}`
    case 'recovery_codes_replaced':
      return `${actorName} replaced their recovery codes`
    case 'password_changed':
      // Without an actor, the operator's command changed the password.
      return by
        ? `${actorName} changed their password`
        : `The operator set a new password for the administrator ${subjectName}`
    case 'role_changed':
      return `${actorName} changed the role of ${subjectName} from ${readFact(before, 'role') ?? 'none'} to ${readFact(after, 'role') ?? 'none'}`
    case 'supervisor_changed':
      return describeMove(
        `${actorName} $ ${subjectName}`,
        'the team of',
        nameOf(before, 'supervisor'),
        nameOf(after, 'supervisor'),
      )
    case 'manager_changed':
      return describeMove(
        `${actorName} $ supervisor ${subjectName}`,
        'manager',
        nameOf(before, 'manager'),
        nameOf(after, 'manager'),
      )
    case 'signed_out_everywhere':
      return `${actorName} signed ${subjectName} out everywhere`
    case 'other_sessions_ended':
      return `${actorName} signed in again at the sign-in provider and ended their other sessions`
    case 'deactivated':
      return `${actorName} deactivated ${subjectName}`
    case 'reactivated':
      return `${actorName} reactivated ${subjectName}`
    case 'exported':
      return `${actorName} exported all that is recorded of ${subjectName}`
    case 'erased':
      return by ? `${actorName} erased a person` : 'A person was erased again after a restore'
    case 'deleted':
      return `${actorName} deleted ${subjectName}, who was created by mistake`
    case 'request_approved':
      return `${actorName} approved the request of ${describeRequester(entryFacts(before, after))} for supervisor ${subjectName}`
    case 'request_rejected':
      return `${actorName} rejected the request of ${describeRequester(entryFacts(before, after))} for supervisor ${subjectName}`
    case 'claim_rules_changed':
      return describeRules(actorName, before, after)
    case 'claim_rule_not_applied':
      return describeUnappliedRule(actorName, subjectName, after)
    case 'group_created':
      return `${actorName} created the group ${groupOf(after)}`
    case 'group_changed':
      return describeGroupChange(actorName, before, after)
    case 'group_deleted':
      return `${actorName} deleted the group ${groupOf(before)} with ${formatCount(Number(before.members ?? 0), 'member')}`
    case 'group_members_changed':
      return describeMembers(actorName, subject?.name, after)
    case 'mail_wording_changed':
      return describeWording(actorName, before, after)
    case 'reminder_settings_changed':
      return describeReminderSettings(actorName, before, after)
    case 'people_imported':
      return describeImport(actorName, after)
    case 'admin_sign_in_failed':
      return describeFailedSignIns(subject?.name, after)
    case 'refresh_token_reused':
      return `An old copy of a sign-in of ${subjectName} was used`
    case 'audit_exported':
      return `${actorName} exported ${formatCount(Number(after.entries ?? 0), 'entry', 'entries')} of the audit log`
    case 'restored':
      return describeRestore(actorName, after)
  }
}

function describeRestore(actorName: string, after: Facts): string {
  const restored = `${actorName} restored the backup of ${formatExactTime(String(after.backup_at))}`
  return after.replaced_seq ? `${restored}; the last entry before was number ${after.replaced_seq}` : restored
}

function groupOf(facts: Facts): string {
  return `“${readFact(facts, 'group_name') ?? 'unknown'}”`
}

function describeGroupChange(actorName: string, before: Facts, after: Facts): string {
  const [oldName, newName] = [groupOf(before), groupOf(after)]
  if (oldName !== newName) return `${actorName} renamed the group ${oldName} to ${newName}`
  const supervisors = formatCount(Number(after.assigners ?? 0), 'supervisor')
  return `${actorName} changed the supervisors who may assign to the group ${newName}, now ${supervisors}`
}

function describeMembers(actorName: string, memberName: string | undefined, after: Facts): string {
  const added = Number(after.members_added ?? 0)
  const count = added > 0 ? added : Number(after.members_removed ?? 0)
  const members = memberName ?? formatCount(count, 'person', 'people')
  return `${actorName} ${added > 0 ? 'added' : 'removed'} ${members} ${added > 0 ? 'to' : 'from'} the group ${groupOf(after)}`
}

function describeClaim(facts: Facts): string {
  return `${readFact(facts, 'claim')} = ${readFact(facts, 'claim_value') ?? ''}`
}

const wordingFields = { subject: 'subject', text: 'text', link_label: 'button', footer: 'end' } as const

function describeWording(actorName: string, before: Facts, after: Facts): string {
  if (after.kind === undefined) return describeMailLanguages(actorName, before, after)
  const kind = mailKind.safeParse(after.kind)
  const language = readFact(after, 'language')
  const mail = `${kind.success ? `“${mailNames[kind.data]}”` : 'a kind of mail'}${language ? ` in ${nameLanguage(language)}` : ''}`
  if (after.restored === 'default')
    return language ? `${actorName} removed the words of ${mail}` : `${actorName} restored the default words of ${mail}`
  const changes = Object.entries(wordingFields).flatMap(([field, name]) =>
    after[field] === undefined ? [] : `${name} “${before[field]}” became “${after[field]}”`,
  )
  return [`${actorName} changed the words of ${mail}`, ...changes].join('; ')
}

function describeMailLanguages(actorName: string, before: Facts, after: Facts): string {
  const changes = Object.entries({ default_language: 'the default language', languages: 'further languages' }).flatMap(
    ([field, name]) =>
      after[field] === undefined
        ? []
        : `${name} from ${nameLanguages(before[field])} to ${nameLanguages(after[field])}`,
  )
  return [`${actorName} changed the languages of mails`, ...changes].join('; ')
}

function nameLanguages(tags: Facts[string] | undefined): string {
  return tags ? String(tags).split(', ').map(nameLanguage).join(', ') : 'none'
}

function describeReminderSettings(actorName: string, before: Facts, after: Facts): string {
  const changes = Object.keys(after).map(field => {
    const name = field.replaceAll('_', ' ')
    return `${name} from ${before[field] || 'none'} to ${after[field] || 'none'}`
  })
  return `${actorName} changed reminders: ${changes.join('; ')}`
}

function describeRules(actorName: string, before: Facts, after: Facts): string {
  const added = readFact(after, 'added')
  const removed = readFact(after, 'removed')
  const counts = `from ${formatCount(Number(before.rules ?? 0), 'rule')} to ${formatCount(Number(after.rules ?? 0), 'rule')}`
  const changes = [added && `added “${added}”`, removed && `removed “${removed}”`].filter(Boolean)
  return [`${actorName} changed the sign-in rules ${counts}`, ...changes].join('; ')
}

function describeUnappliedRule(actorName: string, subjectName: string, after: Facts): string {
  const supervisor = nameOf(after, 'supervisor')
  const leader = supervisor ?? nameOf(after, 'manager') ?? 'somebody'
  const teamText = supervisor ? `into the team of ${leader}` : `under manager ${leader}`
  const role = supervisor ? 'supervisor' : 'manager'
  const reason = readFact(after, 'reason') === 'full' ? 'the team is full' : `${leader} is no active ${role}`
  return `${actorName} could not put ${subjectName} ${teamText}, because ${reason}`
}

function actorNameOf({ actor, by, after }: AuditEntry): string {
  if (by) return by.name
  if (readFact(after, 'claim')) return `A rule for ${describeClaim(after)}`
  return actor === 'operator' ? 'The operator' : 'The system'
}

const factorNames: Record<string, string> = {
  passkey: 'a passkey',
  totp: 'an authenticator app',
  recovery_code: 'a recovery code',
}

function describeSecondStep(after: Facts): string {
  if (after.sign_in === 'provider') return ' through the sign-in provider'
  const kind = readFact(after, 'second_factor')
  return kind ? ` with ${factorNames[kind] ?? 'a second factor'}` : ''
}

function describeFactor(facts: Facts): string {
  const kind = factorNames[readFact(facts, 'kind') ?? ''] ?? 'a second factor'
  const name = readFact(facts, 'name')
  return name ? `${kind} (${name})` : kind
}

/** `$` in `clause` marks the place of the verb. */
function describeMove(
  clause: string,
  relation: string,
  fromName: string | undefined,
  toName: string | undefined,
): string {
  const withVerb = (verb: string) => clause.replace('$', verb)
  if (fromName && toName) return `${withVerb('moved')} from ${relation} ${fromName} to ${relation} ${toName}`
  if (toName) return `${withVerb('put')} ${relation === 'manager' ? 'under manager' : 'into the team of'} ${toName}`
  return `${withVerb('took')} ${relation === 'manager' ? 'away from manager' : 'out of the team of'} ${fromName ?? 'somebody'}`
}

function describeRequester(facts: Facts): string {
  const manager = readFact(facts, 'requested_by_name') ?? nameOf(facts, 'manager')
  return manager ? `manager ${manager}` : 'a manager'
}

function describeImport(actorName: string, after: Facts): string {
  const counts = Object.fromEntries(assignableRole.options.map(role => [role, Number(after[role] ?? 0)]))
  const { total, list } = countPeople(counts)
  const file = readFact(after, 'file_name')
  const people = total > 0 ? `${formatCount(total, 'person', 'people')} (${list})` : 'people'
  return `${actorName} imported ${people}${file ? ` from the file ${file}` : ''}`
}

function describeFailedSignIns(adminName: string | undefined, after: Facts): string {
  const attempts = Number(after.attempts ?? 1)
  const account = adminName ? `the administrator account of ${adminName}` : 'unknown administrator accounts'
  const networks = readFact(after, 'networks')
  return `${formatCount(attempts, 'sign-in')} to ${account} failed${networks ? `, from ${networks}` : ''}`
}

/** Everything else the action ended: team relations, requests and login sessions. */
function consequencesOf({ action, by, before, after }: AuditEntry): string[] {
  const sessionCount = Number(after.ended_sessions ?? 0)
  const withdrawnCount = Number(after.withdrawn_requests ?? 0)
  const declinedCount = Number(after.declined_requests ?? 0)
  const invitationCount = Number(after.withdrawn_invitations ?? 0)
  const consequences: string[] = []
  if (['role_changed', 'deactivated', 'deleted', 'admin_granted', 'admin_created'].includes(action))
    consequences.push(...teamConsequences(before, after))
  if (withdrawnCount > 0)
    consequences.push(
      `${formatCount(withdrawnCount, 'pending request')} ${withdrawnCount === 1 ? 'was' : 'were'} withdrawn`,
    )
  if (declinedCount > 0)
    consequences.push(
      `${formatCount(declinedCount, 'other request')} for the supervisor ${declinedCount === 1 ? 'was' : 'were'} declined`,
    )
  if (invitationCount > 0)
    consequences.push(
      `${formatCount(invitationCount, 'open invitation')} ${invitationCount === 1 ? 'was' : 'were'} withdrawn`,
    )
  if (sessionCount > 0)
    consequences.push(
      `${formatCount(sessionCount, 'sign-in')}${by && action === 'password_changed' ? ' elsewhere' : ''} ${sessionCount === 1 ? 'was' : 'were'} ended`,
    )
  return consequences
}

function teamConsequences(before: Facts, after: Facts): string[] {
  const consequences: string[] = []
  const users = Number(after.freed_users ?? 0)
  const supervisors = Number(after.freed_supervisors ?? 0)
  if (users > 0)
    consequences.push(
      `${formatCount(users, 'user')} of their team ${users === 1 ? 'was' : 'were'} left without a supervisor`,
    )
  if (supervisors > 0)
    consequences.push(
      `${formatCount(supervisors, 'supervisor')} of theirs ${supervisors === 1 ? 'was' : 'were'} left without a manager`,
    )
  const supervisor = nameOf(before, 'supervisor')
  if (supervisor) consequences.push(`they left the team of ${supervisor}`)
  const manager = nameOf(before, 'manager')
  if (manager) consequences.push(`they left manager ${manager}`)
  return consequences
}

/** The administrator's comment, if there is one. */
export function auditComment({ before, after }: AuditEntry): string | undefined {
  return readFact(entryFacts(before, after), 'comment')
}

function entryFacts(before: Facts, after: Facts): Facts {
  return { ...before, ...after }
}

function readFact(facts: Facts, name: string): string | undefined {
  const value = facts[name]
  return value === null || value === undefined || value === '' ? undefined : String(value)
}

/** Facts carry people by id and by name; the id stands in for a missing name. */
function nameOf(facts: Facts, relation: 'supervisor' | 'manager'): string | undefined {
  return readFact(facts, `${relation}_name`) ?? readFact(facts, `${relation}_id`)
}
