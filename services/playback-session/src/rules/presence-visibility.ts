import type { Role } from '@watchline/contracts/people'

interface OrgMember {
  id: string
  role: Role
  supervisorId: string | null
  managerId: string | null
}

// Change versions of presence: one key for each group of people that a caller sees together.

/** A supervisor's own team, or a manager's supervisors and their teams. */
export const teamPresenceKey = (personId: string) => `online:${personId}`
export const staffPresenceKey = 'online:staff'
export const everyonePresenceKey = 'online:all'

/** The keys to bump when this person comes online, goes offline, starts or stops watching. */
export function affectedPresenceKeys(person: OrgMember | undefined, supervisor: OrgMember | undefined): string[] {
  const superiors = [person?.supervisorId, person?.managerId, person?.supervisorId && supervisor?.managerId]
  return [
    ...superiors.flatMap(id => (id ? [teamPresenceKey(id)] : [])),
    ...(person && person.role !== 'user' ? [staffPresenceKey] : []),
    everyonePresenceKey,
  ]
}

/** The keys that the caller's list of people online depends on. */
export function visiblePresenceKeys(caller: Pick<OrgMember, 'id' | 'role'>): string[] {
  return caller.role === 'supervisor' || caller.role === 'manager'
    ? [teamPresenceKey(caller.id), staffPresenceKey]
    : [everyonePresenceKey]
}
