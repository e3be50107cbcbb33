import { fail } from '@watchline/kit/errors'
import type { AuthContext } from '../context.ts'
import { presentSnapshot } from '../presenters.ts'
import type { PersonRecord } from '../store/people.ts'

/** Puts a supervisor who has no manager under one. Changing nothing is no change. */
export function changeManager(
  { people, outbox }: Pick<AuthContext, 'outbox' | 'people'>,
  { id, managerId, by }: { id: string; managerId: string; by: string | null },
): Promise<PersonRecord> {
  return outbox.transaction(async tx => {
    const supervisor = await people.byId(id, tx.session)
    if (supervisor?.role !== 'supervisor') fail('not_found')
    if (supervisor.managerId === managerId) return supervisor
    if (supervisor.managerId) fail('conflict', { detail: 'This supervisor already has a manager.' })
    if (!(await people.takePlace(managerId, 'manager', tx.session)))
      fail('conflict', { detail: 'A supervisor can be put under a manager only.' })
    const changed = await people.change(supervisor, { managerId }, tx.session)
    tx.publish('user.manager_changed', id, { person: presentSnapshot(changed), by, previous_manager_id: null })
    return changed
  })
}
