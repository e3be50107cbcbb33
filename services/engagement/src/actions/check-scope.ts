import type { Person } from '@watchline/identity/people'
import type { EngagementContext } from '../context.ts'
import { findActivePeople } from './find-active-people.ts'
import type { ScopeFilter } from './find-scope.ts'

/**
 * Those of these people who are trainees of the team, or of the manager's teams, at this moment, as
 * auth itself knows them. A mail must not name people who have left, and cannot be taken back.
 * Rejects while auth is unavailable.
 */
export async function checkScope(
  ctx: Pick<EngagementContext, 'people'>,
  { supervisor_id, manager_id }: ScopeFilter,
  members: readonly Person[],
): Promise<Person[]> {
  const people = await findActivePeople(
    ctx,
    members.map(({ id }) => id),
  )
  const trainees = people.filter(
    ({ role, supervisorId }) => role === 'user' && (supervisor_id === undefined || supervisorId === supervisor_id),
  )
  if (supervisor_id !== undefined || manager_id === undefined) return trainees
  const supervisorIds = trainees.map(({ supervisorId }) => supervisorId).filter(id => id !== null)
  const supervisors = await findActivePeople(ctx, supervisorIds)
  const managed = new Set(
    supervisors.filter(({ role, managerId }) => role === 'supervisor' && managerId === manager_id).map(({ id }) => id),
  )
  return trainees.filter(({ supervisorId }) => supervisorId !== null && managed.has(supervisorId))
}
