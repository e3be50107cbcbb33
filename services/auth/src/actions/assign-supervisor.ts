import { toPersonSnapshot } from '@watchline/identity/people'
import { fail, failField } from '@watchline/kit/core/errors'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/people.ts'

/**
 * Puts a user into a supervisor's team, or out of any (null). The place is taken on the supervisor's own document, so that of
 * many at once no more get in than there is room for. Changing nothing is no change.
 */
export function assignSupervisor(
  { people, outbox, audit, clock }: Pick<AuthContext, 'outbox' | 'people' | 'audit' | 'clock'>,
  { id, supervisorId, by }: { id: string; supervisorId: string | null; by: Actor | null },
): Promise<PersonRecord> {
  return outbox.transaction(async tx => {
    const person = await people.byId(id, tx.session)
    if (!person) fail('not_found')
    if (person.supervisorId === supervisorId) return person
    if (person.role !== 'user') fail('conflict', { detail: 'Only people with the role user have a supervisor.' })

    if (supervisorId && !(await people.takeSeat(supervisorId, 'supervisor', tx.session))) {
      const supervisor = await people.byId(supervisorId, tx.session)
      if (supervisor?.role === 'supervisor') fail('supervisor_full')
      failField('supervisor_id', 'is not a supervisor')
    }
    if (person.supervisorId) await people.releaseSeat(person.supervisorId, tx.session)
    const changed = await people.change(person, { supervisorId }, tx.session)
    tx.publish('user.supervisor_changed', id, {
      person: toPersonSnapshot(changed),
      by: by?.id ?? null,
      previous_supervisor_id: person.supervisorId,
    })
    const names = await people.namesOf([person.supervisorId, supervisorId], tx.session)
    const named = (leader: string | null) => ({
      supervisor_id: leader,
      supervisor_name: (leader && names.get(leader)) ?? null,
    })
    await audit.add(
      {
        at: clock.now(),
        action: 'supervisor_changed',
        by,
        subject: person,
        before: named(person.supervisorId),
        after: named(supervisorId),
      },
      tx.session,
    )
    return changed
  })
}
