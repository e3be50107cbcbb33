import { fail } from '@watchline/kit/errors'
import type { Transaction } from '@watchline/kit/outbox'
import type { AuthContext } from '../context.ts'
import { presentSnapshot } from '../presenters.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/people.ts'

type Ctx = Pick<AuthContext, 'outbox' | 'people' | 'audit' | 'clock'>

/** Puts a supervisor who has no manager under one. Changing nothing is no change. */
export function changeManager(
  ctx: Ctx,
  { id, managerId, by }: { id: string; managerId: string; by: Actor | null },
): Promise<PersonRecord> {
  return ctx.outbox.transaction(async tx => {
    const supervisor = await ctx.people.byId(id, tx.session)
    if (supervisor?.role !== 'supervisor') fail('not_found')
    if (supervisor.managerId === managerId) return supervisor
    const changed = await putUnderManager(ctx, { supervisor, managerId, by: by?.id ?? null, tx })
    const manager = await ctx.people.byId(managerId, tx.session)
    await ctx.audit.add(
      {
        at: ctx.clock.now(),
        action: 'manager_changed',
        by,
        subject: supervisor,
        before: { manager_id: null, manager_name: null },
        after: { manager_id: managerId, manager_name: manager?.name ?? null },
      },
      tx.session,
    )
    return changed
  })
}

interface Placing {
  supervisor: PersonRecord
  managerId: string
  by: string | null
  tx: Transaction
}

/** The change itself, in a transaction of more: whoever makes it says so in the audit log. */
export async function putUnderManager(
  { people }: Pick<AuthContext, 'people'>,
  { supervisor, managerId, by, tx }: Placing,
): Promise<PersonRecord> {
  if (supervisor.managerId) fail('conflict', { detail: 'This supervisor already has a manager.' })
  if (!(await people.takePlace(managerId, 'manager', tx.session)))
    fail('conflict', { detail: 'A supervisor can be put under a manager only.' })
  const changed = await people.change(supervisor, { managerId }, tx.session)
  tx.publish('user.manager_changed', supervisor.id, { person: presentSnapshot(changed), by, previous_manager_id: null })
  return changed
}
