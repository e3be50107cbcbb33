import { toPersonSnapshot } from '@watchline/identity/people'
import { fail, failField } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/people.ts'

type Ctx = Pick<AuthContext, 'outbox' | 'people' | 'requests' | 'audit' | 'clock'>

/**
 * Puts a supervisor under a manager, or under none (null). What that manager has asked for is theirs now: the request is withdrawn.
 * Changing nothing is no change.
 */
export function assignManager(
  ctx: Ctx,
  { id, managerId, by }: { id: string; managerId: string | null; by: Actor | null },
): Promise<PersonRecord> {
  const { people, requests, outbox, audit, clock } = ctx
  return outbox.transaction(async tx => {
    const supervisor = await people.byId(id, tx.session)
    if (!supervisor) fail('not_found')
    if (supervisor.managerId === managerId) return supervisor
    if (supervisor.role !== 'supervisor')
      fail('conflict', { detail: 'Only people with the role supervisor have a manager.' })

    const changed = await move(ctx, { supervisor, managerId, by: by?.id ?? null, tx })
    if (!changed) failField('manager_id', 'is not a manager')
    const withdrawn = managerId ? await requests.withdraw({ managerId, supervisorId: id }, tx.session) : 0
    const names = await people.namesOf([supervisor.managerId, managerId], tx.session)
    const named = (leader: string | null) => ({
      manager_id: leader,
      manager_name: (leader && names.get(leader)) ?? null,
    })
    await audit.add(
      {
        at: clock.now(),
        action: 'manager_changed',
        by,
        subject: supervisor,
        before: named(supervisor.managerId),
        after: { ...named(managerId), ...(withdrawn > 0 && { withdrawn_requests: withdrawn }) },
      },
      tx.session,
    )
    return changed
  })
}

interface Placing<ManagerId = string> {
  supervisor: PersonRecord
  managerId: ManagerId
  by: string | null
  tx: Transaction
}

/** Puts a supervisor who has no manager under one, in a transaction of more: whoever does it says so in the audit log. */
export async function assignFirstManager(ctx: Pick<AuthContext, 'people'>, placing: Placing): Promise<PersonRecord> {
  if (placing.supervisor.managerId) fail('conflict', { detail: 'This supervisor already has a manager.' })
  return (await move(ctx, placing)) ?? fail('conflict', { detail: 'A supervisor can be put under a manager only.' })
}

/** The change itself; undefined when whom they should come under is no manager. */
async function move(
  { people }: Pick<AuthContext, 'people'>,
  { supervisor, managerId, by, tx }: Placing<string | null>,
): Promise<PersonRecord | undefined> {
  if (managerId && !(await people.takeSeat(managerId, 'manager', tx.session))) return undefined
  if (supervisor.managerId) await people.releaseSeat(supervisor.managerId, tx.session)
  const changed = await people.change(supervisor, { managerId }, tx.session)
  tx.publish('user.manager_changed', supervisor.id, {
    person: toPersonSnapshot(changed),
    by,
    previous_manager_id: supervisor.managerId,
  })
  return changed
}
