import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import { newPerson, type PersonRecord } from '../store/person-model.ts'
import { requireStrongPassword } from './require-strong-password.ts'

type Deps = Pick<
  AuthContext,
  'outbox' | 'people' | 'firstAdmin' | 'credentials' | 'adminInvitations' | 'audit' | 'clock' | 'passwords'
>

/**
 * Creates the administrator whom an invitation is for. One of several concurrent calls succeeds.
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
    const { name, email, invitedBy } = invitation
    await requireNoAdministrator(deps, email, tx)
    // The audit entries of the invitation name this id, so that they belong to the person.
    const admin = newPerson({ id: invitation.id, name, email, role: 'admin', createdAt: new Date(at).toISOString() })
    await deps.firstAdmin.lock(admin.id, tx.session)
    await deps.people.insert(admin, undefined, tx.session)
    await deps.credentials.insert(admin.id, email, passwordHash, tx.session)
    tx.publish('user.created', admin.id, { person: toPersonSnapshot(admin), by: invitedBy.id })
    await deps.audit.add(
      {
        at,
        action: 'admin_created',
        by: admin,
        subject: admin,
        before: {},
        after: { role: 'admin', invited_by_id: invitedBy.id, invited_by_name: invitedBy.name },
      },
      tx.session,
    )
    return admin
  })
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
