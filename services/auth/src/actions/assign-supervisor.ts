import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail, failField } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { requireActivePerson } from './require-active-person.ts'

type Deps = Pick<AuthContext, 'outbox' | 'people' | 'teams' | 'audit' | 'clock'>

/**
 * Puts a user into a supervisor's team, or into none (null). Does nothing if the supervisor stays
 * the same.
 */
export function assignSupervisor(
  deps: Deps,
  { id, supervisorId, by }: { id: string; supervisorId: string | null; by: Actor | null },
): Promise<PersonRecord> {
  return deps.outbox.transaction(async tx => {
    const user = await deps.people.byId(id, tx.session)
    if (!user) fail('not_found')
    requireActivePerson(user)
    return changeTeam(deps, { user, supervisorId, by, tx })
  })
}

interface TeamChange {
  user: PersonRecord
  supervisorId: string | null
  by: Actor | null
  tx: Transaction
  /** Further fields of the audit entry. */
  facts?: Record<string, string>
}

/** `assignSupervisor` as a part of the caller's transaction. */
export async function changeTeam(
  { people, teams, audit, clock }: Omit<Deps, 'outbox'>,
  { user, supervisorId, by, tx, facts }: TeamChange,
): Promise<PersonRecord> {
  if (user.supervisorId === supervisorId) return user
  if (user.role !== 'user') fail('conflict', { detail: 'Only people with the role user have a supervisor.' })

  if (supervisorId && !(await teams.reserveSeats(supervisorId, 'supervisor', 1, tx.session))) {
    const supervisor = await people.byId(supervisorId, tx.session)
    if (supervisor?.role === 'supervisor' && !supervisor.deactivatedAt) fail('supervisor_full')
    failField('supervisor_id', 'is not a supervisor')
  }
  const supervisorSince = supervisorId && new Date(clock.now()).toISOString()
  if (user.supervisorId) await teams.releaseSeat(user.supervisorId, tx.session)
  const changed = await people.change(user, { supervisorId, supervisorSince }, tx.session)
  tx.publish('user.supervisor_changed', user.id, {
    person: toPersonSnapshot(changed),
    by: by?.id ?? null,
    previous_supervisor_id: user.supervisorId,
  })
  const names = await people.namesById([user.supervisorId, supervisorId], tx.session)
  const supervisorFields = (id: string | null) => ({
    supervisor_id: id,
    supervisor_name: (id && names.get(id)) ?? null,
  })
  await audit.add(
    {
      at: clock.now(),
      action: 'supervisor_changed',
      by,
      subject: user,
      before: supervisorFields(user.supervisorId),
      after: { ...supervisorFields(supervisorId), ...facts },
    },
    tx.session,
  )
  return changed
}
