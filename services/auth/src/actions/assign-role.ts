import type { AssignableRole } from '@watchline/contracts/people'
import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import { relationsOfRole } from '../rules/role-relations.ts'
import type { Actor, AuditRecord } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { changeManager } from './assign-manager.ts'
import { changeTeam } from './assign-supervisor.ts'

type Deps = Pick<AuthContext, 'outbox' | 'people' | 'teams' | 'requests' | 'audit' | 'clock'>

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
    const changed = person.role === role ? person : await changeRole(deps, { person, role, by, tx })
    if (supervisorId !== undefined) return changeTeam(deps, { user: changed, supervisorId, by, tx })
    if (managerId !== undefined) return changeManager(deps, { supervisor: changed, managerId, by, tx })
    return changed
  })
}

async function changeRole(
  deps: Deps,
  { person, role, by, tx }: { person: PersonRecord; role: AssignableRole; by: Actor | null; tx: Transaction },
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
      after: { role, ...revoked.after },
    },
    tx.session,
  )
  return changed
}

interface RoleChange {
  /** The person before and after the change. */
  person: PersonRecord
  changed: PersonRecord
  by: string | null
  tx: Transaction
}

type AuditFields = Pick<AuditRecord, 'before' | 'after'>

/** Returns the revoked relations as fields of the audit entry. */
async function revokeRoleRelations(deps: Deps, change: RoleChange): Promise<AuditFields> {
  const { people, teams, requests } = deps
  const { person, changed, by, tx } = change
  const { leader, reports } = relationsOfRole(person.role)
  const eventData = { person: toPersonSnapshot(changed), by }
  const before: AuditFields['before'] = {}
  const after: AuditFields['after'] = {}
  const names = await people.namesById([person.supervisorId, person.managerId], tx.session)

  if (leader === 'supervisor' && person.supervisorId) {
    await teams.releaseSeat(person.supervisorId, tx.session)
    tx.publish('user.supervisor_changed', person.id, { ...eventData, previous_supervisor_id: person.supervisorId })
    Object.assign(before, {
      supervisor_id: person.supervisorId,
      supervisor_name: names.get(person.supervisorId) ?? null,
    })
    Object.assign(after, { supervisor_id: null, supervisor_name: null })
  }
  if (leader === 'manager' && person.managerId) {
    await teams.releaseSeat(person.managerId, tx.session)
    tx.publish('user.manager_changed', person.id, { ...eventData, previous_manager_id: person.managerId })
    Object.assign(before, { manager_id: person.managerId, manager_name: names.get(person.managerId) ?? null })
    Object.assign(after, { manager_id: null, manager_name: null })
  }
  if (reports === 'users') {
    const freed = await freeUsers(deps, change)
    const withdrawn = await requests.withdraw({ supervisorId: person.id }, tx.session)
    Object.assign(after, omitZeros({ freed_users: freed, withdrawn_requests: withdrawn }))
  }
  if (reports === 'supervisors') {
    const freed = await freeSupervisors(deps, change)
    const withdrawn = await requests.withdraw({ managerId: person.id }, tx.session)
    Object.assign(after, omitZeros({ freed_supervisors: freed, withdrawn_requests: withdrawn }))
  }
  return { before, after }
}

function omitZeros(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

async function freeUsers({ people, teams }: Deps, { person, by, tx }: RoleChange): Promise<number> {
  const users = await teams.usersOf(person.id, tx.session)
  for (const user of users) {
    const freed = await people.change(user, { supervisorId: null }, tx.session)
    tx.publish('user.supervisor_changed', user.id, {
      person: toPersonSnapshot(freed),
      by,
      previous_supervisor_id: person.id,
    })
  }
  return users.length
}

async function freeSupervisors({ people, teams }: Deps, { person, by, tx }: RoleChange): Promise<number> {
  const supervisors = await teams.supervisorsOf(person.id, tx.session)
  for (const supervisor of supervisors) {
    const freed = await people.change(supervisor, { managerId: null }, tx.session)
    tx.publish('user.manager_changed', supervisor.id, {
      person: toPersonSnapshot(freed),
      by,
      previous_manager_id: person.id,
    })
  }
  return supervisors.length
}
