import type { AssignableRole } from '@watchline/contracts/people'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { changeManager } from './assign-manager.ts'
import { changeTeam } from './assign-supervisor.ts'
import { requireActivePerson } from './require-active-person.ts'
import { revokeRoleRelations } from './revoke-role-relations.ts'

export type ChangeRoleDeps = Pick<AuthContext, 'people' | 'teams' | 'requests' | 'audit' | 'clock'>
type Deps = ChangeRoleDeps & Pick<AuthContext, 'outbox'>

interface RoleAssignment {
  id: string
  role: AssignableRole
  /** The team that a user joins. Without it a user who keeps the role keeps the team. */
  supervisorId?: string | undefined
  /** The new manager of a supervisor. Without it a supervisor who keeps the role keeps theirs. */
  managerId?: string | undefined
  by: Actor | null
}

/**
 * Gives a person a role, and revokes the relations of their previous one. One transaction also puts
 * a user into a team, or a supervisor under a manager. Does nothing if all of it stays the same.
 */
export function assignRole(
  deps: Deps,
  { id, role, supervisorId, managerId, by }: RoleAssignment,
): Promise<PersonRecord> {
  const { people, outbox } = deps
  return outbox.transaction(async tx => {
    const person = await people.byId(id, tx.session)
    if (!person) fail('not_found')
    if (person.role === 'admin') fail('conflict', { detail: 'The role of an administrator cannot be changed.' })
    requireActivePerson(person)
    const changed = person.role === role ? person : await changeRole(deps, { person, role, by, tx })
    if (supervisorId !== undefined) return changeTeam(deps, { user: changed, supervisorId, by, tx })
    if (managerId !== undefined) return changeManager(deps, { supervisor: changed, managerId, by, tx })
    return changed
  })
}

interface RoleChange {
  person: PersonRecord
  role: AssignableRole
  by: Actor | null
  tx: Transaction
  /** Further fields of the audit entry. */
  facts?: Record<string, string>
}

/** `assignRole` for the role alone, as a part of the caller's transaction. */
export async function changeRole(
  deps: ChangeRoleDeps,
  { person, role, by, tx, facts }: RoleChange,
): Promise<PersonRecord> {
  const { people, audit, clock } = deps
  const changed = await people.change(person, { role, supervisorId: null, managerId: null, teamSize: 0 }, tx.session)
  tx.publish('user.role_changed', person.id, {
    person: toPersonSnapshot(changed),
    by: by?.id ?? null,
    previous_role: person.role,
  })
  const revoked = await revokeRoleRelations(deps, { person, changed, by: by?.id ?? null, tx })
  await audit.add(
    {
      at: clock.now(),
      action: 'role_changed',
      by,
      subject: person,
      before: { role: person.role, ...revoked.before },
      after: { role, ...revoked.after, ...facts },
    },
    tx.session,
  )
  return changed
}
