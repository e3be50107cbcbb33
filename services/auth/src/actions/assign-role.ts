import type { AssignableRole } from '@watchline/contracts/people'
import { toPersonSnapshot } from '@watchline/identity/people'
import { fail } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import { relationsOfRole } from '../rules/role-relations.ts'
import type { Actor, AuditRecord } from '../store/audit.ts'
import type { PersonRecord } from '../store/people.ts'

type Ctx = Pick<AuthContext, 'outbox' | 'people' | 'requests' | 'audit' | 'clock'>

/** Gives a person a role, and ends what came with the one they leave, all at once. Changing nothing is no change. */
export function assignRole(
  ctx: Ctx,
  { id, role, by }: { id: string; role: AssignableRole; by: Actor | null },
): Promise<PersonRecord> {
  const { people, outbox, clock } = ctx
  return outbox.transaction(async tx => {
    const person = await people.byId(id, tx.session)
    if (!person) fail('not_found')
    if (person.role === 'admin') fail('conflict', { detail: 'The role of an administrator cannot be changed.' })
    if (person.role === role) return person

    const changed = await people.change(person, { role, supervisorId: null, managerId: null, teamSize: 0 }, tx.session)
    tx.publish('user.role_changed', id, {
      person: toPersonSnapshot(changed),
      by: by?.id ?? null,
      previous_role: person.role,
    })
    const ended = await endWhatCameWith(ctx, { person, changed, by: by?.id ?? null, tx })
    await ctx.audit.add(
      {
        at: clock.now(),
        action: 'role_changed',
        by,
        subject: person,
        before: { role: person.role, ...ended.before },
        after: { role, ...ended.after },
      },
      tx.session,
    )
    return changed
  })
}

interface Left {
  person: PersonRecord
  changed: PersonRecord
  by: string | null
  tx: Transaction
}

type Ended = Pick<AuditRecord, 'before' | 'after'>

/** Answers what ended, as the audit log tells it. */
async function endWhatCameWith({ people, requests }: Ctx, left: Left): Promise<Ended> {
  const { person, changed, by, tx } = left
  const { leader: leaves, reports: frees } = relationsOfRole(person.role)
  const told = { person: toPersonSnapshot(changed), by }
  const before: Ended['before'] = {}
  const after: Ended['after'] = {}
  const leaders = await people.namesOf([person.supervisorId, person.managerId], tx.session)

  if (leaves === 'supervisor' && person.supervisorId) {
    await people.releaseSeat(person.supervisorId, tx.session)
    tx.publish('user.supervisor_changed', person.id, { ...told, previous_supervisor_id: person.supervisorId })
    Object.assign(before, {
      supervisor_id: person.supervisorId,
      supervisor_name: leaders.get(person.supervisorId) ?? null,
    })
    Object.assign(after, { supervisor_id: null, supervisor_name: null })
  }
  if (leaves === 'manager' && person.managerId) {
    await people.releaseSeat(person.managerId, tx.session)
    tx.publish('user.manager_changed', person.id, { ...told, previous_manager_id: person.managerId })
    Object.assign(before, { manager_id: person.managerId, manager_name: leaders.get(person.managerId) ?? null })
    Object.assign(after, { manager_id: null, manager_name: null })
  }
  if (frees === 'team') {
    const freed = await freeTeam(people, left)
    const withdrawn = await requests.withdraw({ supervisorId: person.id }, tx.session)
    Object.assign(after, counted({ freed_users: freed, withdrawn_requests: withdrawn }))
  }
  if (frees === 'supervisors') {
    const freed = await freeSupervisors(people, left)
    const withdrawn = await requests.withdraw({ managerId: person.id }, tx.session)
    Object.assign(after, counted({ freed_supervisors: freed, withdrawn_requests: withdrawn }))
  }
  return { before, after }
}

/** Only what there was of. */
function counted(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))
}

async function freeTeam(people: Ctx['people'], { person: { id: supervisorId }, by, tx }: Left): Promise<number> {
  const team = await people.teamOf(supervisorId, tx.session)
  for (const member of team) {
    const freed = await people.change(member, { supervisorId: null }, tx.session)
    tx.publish('user.supervisor_changed', member.id, {
      person: toPersonSnapshot(freed),
      by,
      previous_supervisor_id: supervisorId,
    })
  }
  return team.length
}

async function freeSupervisors(people: Ctx['people'], { person: { id: managerId }, by, tx }: Left): Promise<number> {
  const supervisors = await people.supervisorsOf(managerId, tx.session)
  for (const supervisor of supervisors) {
    const freed = await people.change(supervisor, { managerId: null }, tx.session)
    tx.publish('user.manager_changed', supervisor.id, {
      person: toPersonSnapshot(freed),
      by,
      previous_manager_id: managerId,
    })
  }
  return supervisors.length
}
