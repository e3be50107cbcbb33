import type { Role } from '@watchline/contracts/people'

/** The relations that a role has and that end with it. */
export interface RoleRelations {
  /** The role of the person above. */
  leader: 'supervisor' | 'manager' | undefined
  /** The people below. */
  reports: 'users' | 'supervisors' | undefined
}

export function relationsOfRole(role: Role): RoleRelations {
  if (role === 'user') return { leader: 'supervisor', reports: undefined }
  if (role === 'supervisor') return { leader: 'manager', reports: 'users' }
  if (role === 'manager') return { leader: undefined, reports: 'supervisors' }
  return { leader: undefined, reports: undefined }
}
