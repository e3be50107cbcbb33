import { toPersonSnapshot } from '@watchline/identity/person-snapshot'
import { fail, failField } from '@watchline/kit/core/errors'
import type { Transaction } from '@watchline/kit/messaging/outbox'
import type { AuthContext } from '../context.ts'
import type { Actor } from '../store/audit.ts'
import type { PersonRecord } from '../store/person-model.ts'
import { declineOtherRequests } from './decline-other-requests.ts'
import { requireActivePerson } from './require-active-person.ts'

type Deps = Pick<AuthContext, 'outbox' | 'people' | 'teams' | 'requests' | 'audit' | 'clock'>

/**
 * Puts a supervisor under a manager, or under none (null). Withdraws that manager's pending request
 * for the supervisor and declines those of others. Does nothing if the manager stays the same.
 */
export function assignManager(
  deps: Deps,
  { id, managerId, by }: { id: string; managerId: string | null; by: Actor | null },
): Promise<PersonRecord> {
  return deps.outbox.transaction(async tx => {
    const supervisor = await deps.people.byId(id, tx.session)
    if (!supervisor) fail('not_found')
    requireActivePerson(supervisor)
    return changeManager(deps, { supervisor, managerId, by, tx })
  })
}

interface ManagerAssignment {
  supervisor: PersonRecord
  managerId: string | null
  by: Actor | null
  tx: Transaction
  /** Further fields of the audit entry. */
  facts?: Record<string, string>
}

/** `assignManager` as a part of the caller's transaction. */
export async function changeManager(
  deps: Omit<Deps, 'outbox'>,
  { supervisor, managerId, by, tx, facts }: ManagerAssignment,
): Promise<PersonRecord> {
  const { people, requests, audit, clock } = deps
  const { id } = supervisor
  if (supervisor.managerId === managerId) return supervisor
  if (supervisor.role !== 'supervisor')
    fail('conflict', { detail: 'Only people with the role supervisor have a manager.' })

  const changed = await setManager(deps, { supervisor, managerId, by: by?.id ?? null, tx })
  if (!changed) failField('manager_id', 'is not a manager')
  const withdrawn = managerId ? await requests.withdraw({ managerId, supervisorId: id }, tx.session) : 0
  const declined =
    managerId && by ? await declineOtherRequests(deps, { supervisorId: id, managerId, by: by.id, tx }) : 0
  const names = await people.namesById([supervisor.managerId, managerId], tx.session)
  const managerFields = (id: string | null) => ({ manager_id: id, manager_name: (id && names.get(id)) ?? null })
  await audit.add(
    {
      at: clock.now(),
      action: 'manager_changed',
      by,
      subject: supervisor,
      before: managerFields(supervisor.managerId),
      after: {
        ...managerFields(managerId),
        ...(withdrawn > 0 && { withdrawn_requests: withdrawn }),
        ...(declined > 0 && { declined_requests: declined }),
        ...facts,
      },
    },
    tx.session,
  )
  return changed
}

interface ManagerChange<ManagerId = string> {
  supervisor: PersonRecord
  managerId: ManagerId
  by: string | null
  tx: Transaction
}

/**
 * Puts a supervisor without a manager under one, in the caller's transaction. The caller writes the
 * audit entry.
 */
export async function assignFirstManager(
  deps: Pick<AuthContext, 'people' | 'teams'>,
  change: ManagerChange,
): Promise<PersonRecord> {
  if (change.supervisor.managerId) fail('conflict', { detail: 'This supervisor already has a manager.' })
  const changed = await setManager(deps, change)
  return changed ?? fail('conflict', { detail: 'A supervisor can be put under a manager only.' })
}

/** Moves the supervisor and publishes the event; undefined if `managerId` is not a manager. */
async function setManager(
  { people, teams }: Pick<AuthContext, 'people' | 'teams'>,
  { supervisor, managerId, by, tx }: ManagerChange<string | null>,
): Promise<PersonRecord | undefined> {
  if (managerId && !(await teams.reserveSeats(managerId, 'manager', 1, tx.session))) return undefined
  if (supervisor.managerId) await teams.releaseSeat(supervisor.managerId, tx.session)
  const changed = await people.change(supervisor, { managerId }, tx.session)
  tx.publish('user.manager_changed', supervisor.id, {
    person: toPersonSnapshot(changed),
    by,
    previous_manager_id: supervisor.managerId,
  })
  return changed
}
