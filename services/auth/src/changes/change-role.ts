import type { AssignableRole } from '@watchline/contracts/people'
import { fail } from '@watchline/kit/errors'
import type { Transaction } from '@watchline/kit/outbox'
import type { AuthContext } from '../context.ts'
import { presentSnapshot } from '../presenters.ts'
import { leaving } from '../rules/leaving-a-role.ts'
import type { PersonRecord } from '../store/people.ts'

type Ctx = Pick<AuthContext, 'outbox' | 'people'>

/** Gives a person a role, and ends what came with the one they leave, all at once. Changing nothing is no change. */
export function changeRole(
  { people, outbox }: Ctx,
  { id, role, by }: { id: string; role: AssignableRole; by: string | null },
): Promise<PersonRecord> {
  return outbox.transaction(async tx => {
    const person = await people.byId(id, tx.session)
    if (!person) fail('not_found')
    if (person.role === 'admin') fail('conflict', { detail: 'The role of an administrator cannot be changed.' })
    if (person.role === role) return person

    const { leaves, frees } = leaving(person.role)
    const changed = await people.change(person, { role, supervisorId: null, managerId: null, teamSize: 0 }, tx.session)
    const told = { person: presentSnapshot(changed), by }
    tx.publish('user.role_changed', id, { ...told, previous_role: person.role })

    if (leaves === 'supervisor' && person.supervisorId) {
      await people.leavePlace(person.supervisorId, tx.session)
      tx.publish('user.supervisor_changed', id, { ...told, previous_supervisor_id: person.supervisorId })
    }
    if (leaves === 'manager' && person.managerId) {
      await people.leavePlace(person.managerId, tx.session)
      tx.publish('user.manager_changed', id, { ...told, previous_manager_id: person.managerId })
    }
    if (frees === 'team') await freeTeam({ people, tx, supervisorId: id, by })
    if (frees === 'supervisors') await freeSupervisors({ people, tx, managerId: id, by })
    return changed
  })
}

interface Freeing {
  people: Ctx['people']
  tx: Transaction
  by: string | null
}

async function freeTeam({ people, tx, supervisorId, by }: Freeing & { supervisorId: string }) {
  for (const member of await people.teamOf(supervisorId, tx.session)) {
    const freed = await people.change(member, { supervisorId: null }, tx.session)
    tx.publish('user.supervisor_changed', member.id, {
      person: presentSnapshot(freed),
      by,
      previous_supervisor_id: supervisorId,
    })
  }
}

async function freeSupervisors({ people, tx, managerId, by }: Freeing & { managerId: string }) {
  for (const supervisor of await people.supervisorsOf(managerId, tx.session)) {
    const freed = await people.change(supervisor, { managerId: null }, tx.session)
    tx.publish('user.manager_changed', supervisor.id, {
      person: presentSnapshot(freed),
      by,
      previous_manager_id: managerId,
    })
  }
}
