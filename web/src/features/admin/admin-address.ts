import { assignableRole } from '@watchline/contracts/people'
import { useSearchParams } from 'react-router'
import type { RoleFilter } from './people/user-counts.tsx'

export const tabNames = {
  online: "Who's Online",
  users: 'All Users',
  supervisors: 'Supervisors',
  managers: 'Managers',
  settings: 'Settings',
} as const
export type AdminTab = keyof typeof tabNames

/** Views that replace a tab's list and take its whole panel. */
const viewsOf: Partial<Record<AdminTab, string>> = { users: 'import', settings: 'audit' }

export const viewNames = { import: 'Import people', audit: 'Audit log' } as const

/** Addresses within the admin area, for links. */
export const adminAddress = {
  users: '?tab=users',
  regularUsers: '?tab=users&role=user',
  import: '?tab=users&view=import',
  managers: '?tab=managers',
  settings: '?tab=settings',
  audit: '?tab=settings&view=audit',
} as const

/**
 * The position in the admin's dashboard. All of it is in the address, so that a reload and a link
 * show the same.
 */
export function useAdminAddress() {
  const [params, setParams] = useSearchParams()
  const tabParam = params.get('tab')
  const tab: AdminTab = tabParam !== null && Object.hasOwn(tabNames, tabParam) ? (tabParam as AdminTab) : 'online'
  const view = params.get('view')
  const parsed = assignableRole.safeParse(params.get('role'))
  const role: RoleFilter = parsed.success ? parsed.data : 'all'

  return {
    tab,
    /** The view that is open instead of the tab's list. */
    view: view !== null && viewsOf[tab] === view ? (view as keyof typeof viewNames) : undefined,
    role,
    openTab: (newTab: AdminTab) => setParams(newTab === 'online' ? {} : { tab: newTab }, { replace: true }),
    /** Opens the list of users, filtered by a role. A search in that list stays. */
    showUsers(filter: RoleFilter) {
      const search = tab === 'users' ? params.get('search') : null
      setParams(
        { tab: 'users', ...(filter === 'all' ? {} : { role: filter }), ...(search ? { search } : {}) },
        { replace: true },
      )
    },
  }
}
