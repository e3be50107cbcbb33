import type { AssignableRole } from '@watchline/contracts/people'

/** The people of each role, as groups and filters name them. */
export const roleNames: Record<AssignableRole, string> = {
  user: 'Users',
  supervisor: 'Supervisors',
  manager: 'Managers',
  director: 'Directors',
}

/** The roles that a filter offers, without an entry for all of them. */
export const roleChoices = Object.entries(roleNames).map(([value, label]) => ({ value, label }))
