import type { Role } from '@watchline/contracts/people'

/** What ends when a person leaves a role: whom they were under, and who was under them. */
export interface Leaving {
  leaves: 'supervisor' | 'manager' | undefined
  frees: 'team' | 'supervisors' | undefined
}

/** A user leaves their supervisor; a supervisor their team and their manager; a manager their supervisors. */
export function leaving(role: Role): Leaving {
  if (role === 'user') return { leaves: 'supervisor', frees: undefined }
  if (role === 'supervisor') return { leaves: 'manager', frees: 'team' }
  if (role === 'manager') return { leaves: undefined, frees: 'supervisors' }
  return { leaves: undefined, frees: undefined }
}
