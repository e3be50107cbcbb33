import type { Role } from '@watchline/contracts/people'

/** What ends when a person leaves a role: whom they were under, and who was under them. */
export interface RoleRelations {
  leader: 'supervisor' | 'manager' | undefined
  reports: 'team' | 'supervisors' | undefined
}

/** A user leaves their supervisor; a supervisor their team and their manager; a manager their supervisors. */
export function relationsOfRole(role: Role): RoleRelations {
  if (role === 'user') return { leader: 'supervisor', reports: undefined }
  if (role === 'supervisor') return { leader: 'manager', reports: 'team' }
  if (role === 'manager') return { leader: undefined, reports: 'supervisors' }
  return { leader: undefined, reports: undefined }
}
