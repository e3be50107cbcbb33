import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import { relationsOfRole } from '../rules/role-relations.ts'
import type { AuditRecord } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'

type Deps = Pick<AuthContext, 'people' | 'teams' | 'requests'>

interface RoleChange {
  /** The person before and after the change, which already lacks the relations. */
  person: PersonRecord
  changed: PersonRecord
  by: string | null
  tx: Transaction
}

type AuditFields = Pick<AuditRecord, 'before' | 'after'>

/**
 * Ends the relations that a person's role gave them: their seat in a team, their own team, and
 * pending requests. Returns them as fields of the audit entry.
 */
export async function revokeRoleRelations(deps: Deps, change: RoleChange): Promise<AuditFields> {
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
