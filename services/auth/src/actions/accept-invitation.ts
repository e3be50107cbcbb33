import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { AdminInvitationRecord } from '../store/admin-invitations.ts'
import type { AuditRecord } from '../store/audit.ts'
import { newPerson, type PersonRecord } from '../store/person-model.ts'
import { requireStrongPassword } from './require-strong-password.ts'
import { revokeRoleRelations } from './revoke-role-relations.ts'

type Deps = Pick<
  AuthContext,
  | 'outbox'
  | 'people'
  | 'teams'
  | 'requests'
  | 'firstAdmin'
  | 'credentials'
  | 'adminInvitations'
  | 'audit'
  | 'clock'
  | 'passwords'
>

/**
 * Creates the administrator whom an invitation is for. An administrator who was removed before gets
 * the same account again. One of several concurrent calls succeeds.
 */
export async function acceptInvitation(
  deps: Deps,
  { token, password }: { token: string; password: string },
): Promise<PersonRecord> {
  // Without an invitation nobody makes the server hash passwords.
  const valid = await deps.adminInvitations.findValid(token, deps.clock.now())
  if (!valid) fail('invalid_invitation')
  requireStrongPassword(password, valid, 'password')
  const passwordHash = await deps.passwords.hash(password)
  return deps.outbox.transaction(async tx => {
    const at = deps.clock.now()
    const invitation = await deps.adminInvitations.redeem(token, at, tx.session)
    if (!invitation) fail('invalid_invitation')
    const { email, invitedBy } = invitation
    await requireNoAdministrator(deps, email, tx)
    const former = await deps.people.formerAdministrator(email, tx.session)
    await deps.firstAdmin.lock(former?.id ?? invitation.id, tx.session)
    const { admin, before, after } = former
      ? await restoreAdministrator(deps, { former, invitation, tx })
      : await addAdministrator(deps, { invitation, at, tx })
    tx.publish('administrators.changed', 'administrators', { change: 'joined', person_id: admin.id, by: admin.id })
    await deps.credentials.insert(admin.id, email, passwordHash, tx.session)
    await deps.audit.add(
      {
        at,
        action: 'admin_created',
        by: admin,
        subject: admin,
        before,
        after: { role: 'admin', invited_by_id: invitedBy.id, invited_by_name: invitedBy.name, ...after },
      },
      tx.session,
    )
    return admin
  })
}

interface NewAdministrator extends Pick<AuditRecord, 'before' | 'after'> {
  admin: PersonRecord
}

async function addAdministrator(
  { people }: Deps,
  { invitation, at, tx }: { invitation: AdminInvitationRecord; at: number; tx: Transaction },
): Promise<NewAdministrator> {
  const { id, name, email, invitedBy } = invitation
  // The audit entries of the invitation name this id, so that they belong to the person.
  const admin = newPerson({ id, name, email, role: 'admin', createdAt: new Date(at).toISOString() })
  await people.insert(admin, undefined, tx.session)
  tx.publish('user.created', admin.id, { person: toPersonSnapshot(admin), by: invitedBy.id })
  return { admin, before: {}, after: {} }
}

/** Somebody may have reactivated the person meanwhile, and given them a role and a team. */
async function restoreAdministrator(
  deps: Deps,
  { former, invitation, tx }: { former: PersonRecord; invitation: AdminInvitationRecord; tx: Transaction },
): Promise<NewAdministrator> {
  const { name, invitedBy } = invitation
  const by = invitedBy.id
  const leaderless = { supervisorId: null, managerId: null, teamSize: 0 }
  const admin = await deps.people.change(
    former,
    { name, role: 'admin', ...leaderless, deactivatedAt: null },
    tx.session,
  )
  const person = toPersonSnapshot(admin)
  tx.publish('user.role_changed', admin.id, { person, by, previous_role: former.role })
  if (former.deactivatedAt) tx.publish('user.reactivated', admin.id, { person, by })
  const { before, after } = await revokeRoleRelations(deps, { person: former, changed: admin, by, tx })
  return { admin, before: { role: former.role, ...before }, after }
}

/**
 * The subject of audit entries about an invitation: the person whom it is for. Without a former
 * administrator that is the id which the new one will get.
 */
export async function findInvitedPerson(
  { people }: Pick<Deps, 'people'>,
  invitation: AdminInvitationRecord,
  tx: Transaction,
): Promise<NonNullable<AuditRecord['subject']>> {
  const former = await people.formerAdministrator(invitation.email, tx.session)
  return { ...invitation, id: former?.id ?? invitation.id }
}

/** Fails with `conflict` if an administrator has this address. */
export async function requireNoAdministrator(
  { people }: Pick<Deps, 'people'>,
  email: string,
  tx: Transaction,
): Promise<void> {
  const administrators = await people.administrators(tx.session)
  if (administrators.some(administrator => administrator.email === email))
    fail('conflict', { detail: `${email} is already an administrator.` })
}
