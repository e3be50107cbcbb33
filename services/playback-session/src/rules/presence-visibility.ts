import type { Role } from '@watchline/contracts/people'

interface Somebody {
  id: string
  role: Role
  supervisorId: string | null
  managerId: string | null
}

// Keys of the versions of who is online and what they do, one for each group of people that somebody watches.

/** A supervisor's own team, or a manager's supervisors and their teams. */
export const ownKey = (personId: string) => `online:${personId}`
export const allStaffKey = 'online:staff'
export const everybodyKey = 'online:all'

/** What is raised when somebody comes, goes, starts or stops watching: whoever sees them depends on one of these. */
export function keysOfSeen(person: Somebody | undefined, supervisor: Somebody | undefined): string[] {
  const above = [person?.supervisorId, person?.managerId, person?.supervisorId && supervisor?.managerId]
  return [
    ...above.flatMap(id => (id ? [ownKey(id)] : [])),
    ...(person && person.role !== 'user' ? [allStaffKey] : []),
    everybodyKey,
  ]
}

/** What the list of who is online depends on, for this caller. */
export function keysOfSight(caller: Pick<Somebody, 'id' | 'role'>): string[] {
  return caller.role === 'supervisor' || caller.role === 'manager' ? [ownKey(caller.id), allStaffKey] : [everybodyKey]
}
