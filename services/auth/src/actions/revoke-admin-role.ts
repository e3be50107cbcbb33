import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'
import type { Session } from '../store/sessions.ts'
import { type EndSessionDeps, endSessionsOf } from './end-session.ts'

export type RevokeAdminRoleDeps = EndSessionDeps &
  Pick<
    AuthContext,
    'people' | 'firstAdmin' | 'credentials' | 'secondFactors' | 'recoveryCodes' | 'adminInvitations' | 'audit'
  >

interface Revocation {
  admin: PersonRecord
  /** null for the sign-in provider. */
  by: Actor | null
  tx: Transaction
}

/**
 * Takes the role away from an administrator, with everything that only administrators have. Returns
 * undefined, and changes nothing, for the last administrator who can sign in. After the commit the
 * caller clears the state of the ended sessions.
 */
export async function revokeAdminRole(
  deps: RevokeAdminRoleDeps,
  { admin, by, tx }: Revocation,
): Promise<{ person: PersonRecord; ended: Session[] } | undefined> {
  await deps.firstAdmin.lock(admin.id, tx.session)
  if (!(await remainsAdministered(deps, { admin, by, tx }))) return undefined

  const at = deps.clock.now()
  // Without an account at the provider nothing is left to sign in with.
  const isDeactivated = !(await deps.people.hasIdentity(admin.id, tx.session))
  const person = await deps.people.change(
    admin,
    { role: 'user', ...(isDeactivated && { deactivatedAt: new Date(at).toISOString() }) },
    tx.session,
  )
  await deps.credentials.remove(admin.id, tx.session)
  await deps.secondFactors.removeAll(admin.id, tx.session)
  await deps.recoveryCodes.remove(admin.id, tx.session)
  const withdrawn = await deps.adminInvitations.withdrawAllOf(admin.id, tx.session)
  const ended = await endSessionsOf(deps, tx, admin.id)

  const eventData = { person: toPersonSnapshot(person), by: by?.id ?? null }
  tx.publish('user.role_changed', admin.id, { ...eventData, previous_role: 'admin' })
  if (isDeactivated)
    tx.publish('user.deactivated', admin.id, {
      ...eventData,
      previous_supervisor_id: null,
      previous_manager_id: null,
    })
  tx.publish('administrators.changed', 'administrators', { change: 'removed', person_id: admin.id, by: by?.id ?? null })
  await deps.audit.add(
    {
      at,
      action: 'admin_removed',
      by,
      subject: admin,
      before: { role: 'admin' },
      after: {
        role: 'user',
        ...(withdrawn > 0 && { withdrawn_invitations: withdrawn }),
        ...(ended.length > 0 && { ended_sessions: ended.length }),
      },
    },
    tx.session,
  )
  return { person, ended }
}

/**
 * Whether an administrator remains who can sign in. The sign-in provider may be gone, so only
 * another administrator, who is signed in now, may remove the last one with a password.
 */
async function remainsAdministered(
  { people, credentials }: RevokeAdminRoleDeps,
  { admin, by, tx }: Revocation,
): Promise<boolean> {
  const ids = (await people.administrators(tx.session)).map(({ id }) => id)
  if (ids.length < 2) return false
  if (by !== null && by.id !== admin.id) return true
  const withPassword = await credentials.personIdsAmong(ids, tx.session)
  return !withPassword.has(admin.id) || withPassword.size > 1
}
