import { type Person, type PersonFinder, unreachableVersion } from '@watchline/identity/people'
import type { ScopeFilter } from './find-scope.ts'

/** Bounds the calls to auth at the same time. */
const batchSize = 20

/**
 * Those of these people who are trainees of the team, or of the manager's teams, at this moment, as
 * auth itself knows them. A mail must not name people who have left, and cannot be taken back.
 * Rejects while auth is unavailable.
 */
export async function checkScope(
  { people }: { people: PersonFinder },
  { supervisor_id, manager_id }: ScopeFilter,
  members: readonly Person[],
): Promise<Person[]> {
  const trainees = (await findActive(people, members)).filter(
    ({ role, supervisorId }) => role === 'user' && (supervisor_id === undefined || supervisorId === supervisor_id),
  )
  if (supervisor_id !== undefined || manager_id === undefined) return trainees
  const supervisorIds = [...new Set(trainees.map(({ supervisorId }) => supervisorId))].filter(id => id !== null)
  const supervisors = await findActive(
    people,
    supervisorIds.map(id => ({ id })),
  )
  const managed = new Set(
    supervisors.filter(({ role, managerId }) => role === 'supervisor' && managerId === manager_id).map(({ id }) => id),
  )
  return trainees.filter(({ supervisorId }) => supervisorId !== null && managed.has(supervisorId))
}

async function findActive(people: PersonFinder, listed: readonly { id: string }[]): Promise<Person[]> {
  const found: Person[] = []
  for (let start = 0; start < listed.length; start += batchSize) {
    const batch = listed.slice(start, start + batchSize).map(({ id }) => people.find(id, unreachableVersion))
    for (const person of await Promise.all(batch))
      if (person && !person.deactivatedAt && !person.erasedAt) found.push(person)
  }
  return found
}
