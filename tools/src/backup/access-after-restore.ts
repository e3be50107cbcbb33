import type { AuditAction } from '@watchline/contracts/audit'
import type mongoose from 'mongoose'
import type { Log } from '../provision/types.ts'

type Document = mongoose.mongo.BSON.Document

/** Collections of auth whose documents let somebody in. A restore leaves them empty. */
const emptied = ['sign_in_codes', 'password_confirmations', 'admin_invitations']

/**
 * The document as a restore writes it, undefined for one that it leaves out. Nobody stays signed
 * in, because the restore forgets which sessions were ended after the backup. With `now` as the
 * end, auth also revokes the tokens of these sessions at its next start.
 */
export function withoutAccess(
  service: string,
  collection: string,
  document: Document,
  now: Date,
): Document | undefined {
  if (service !== 'auth') return document
  if (emptied.includes(collection)) return undefined
  if (collection !== 'sessions') return document
  const { provider_token: _, provider_token_key: __, provider_check_at: ___, id_token: ____, ...session } = document
  return { ...session, ended_at: session.ended_at ?? now }
}

/** Acts that take a right away from somebody, and those that give it back. */
const rightsActions: AuditAction[] = [
  'deactivated',
  'reactivated',
  'deleted',
  'role_changed',
  'admin_created',
  'admin_granted',
  'admin_removed',
  'password_changed',
  'second_factor_added',
  'second_factor_removed',
  'recovery_codes_replaced',
  'claim_rules_changed',
  'supervisor_changed',
  'manager_changed',
  'request_approved',
]

interface RightsEntry {
  at: Date
  action: string
  subject: { id: string; name: string; email: string } | null
  after: Record<string, unknown>
}

/**
 * Lists what the restore undoes of people's rights, by the audit log of the present databases. A
 * person has to decide what to repeat. Call it before these databases are dropped.
 */
export async function reportUndoneRights(auth: mongoose.mongo.Db, since: string, log: Log): Promise<void> {
  const audit = auth.collection<RightsEntry>('audit')
  const from = new Date(since)
  // An installation that was started after a loss has an audit log that began after the backup.
  if (!(await audit.findOne({ at: { $lt: from } }))) {
    log('No present audit log covers the time after the backup, so nobody knows all that was changed.')
    log('CHECK BEFORE ANYBODY SIGNS IN: people who were deactivated, deleted or removed as administrators after the')
    log('backup can sign in again, with the roles, passwords and second factors of that time.')
  }
  const entries = await audit
    .find({ action: { $in: rightsActions }, at: { $gte: from } })
    .sort({ at: 1, _id: 1 })
    .toArray()
  if (entries.length === 0) return
  log(`CHECK AFTER THE START: ${entries.length} changes of rights are undone. Repeat those that must hold, in order:`)
  for (const { at, action, subject, after } of entries) {
    const role = typeof after.role === 'string' ? ` to ${after.role}` : ''
    const person = subject ? `${subject.name} <${subject.email}> ${subject.id}` : ''
    log(`  ${at.toISOString()} ${action}${role}: ${[person, describeValues(after)].filter(Boolean).join('; ')}`)
  }
}

/** The new values beside the role, by the names of the audit log. */
function describeValues({ role: _, ...values }: RightsEntry['after']): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}: ${value ?? 'none'}`)
    .join(', ')
}
