import { assignableRole } from '@watchline/contracts/people'
import { useSearchParams } from 'react-router'
import { z } from 'zod'
import { useRememberedChoice } from '../../ui/lists/remembered-choice.ts'
import type { RoleFilter } from './people/user-counts.tsx'

export const tabNames = {
  online: "Who's Online",
  users: 'All Users',
  supervisors: 'Supervisors',
  managers: 'Managers',
  groups: 'Groups',
  reports: 'Reports',
  settings: 'Settings',
} as const
export type AdminTab = keyof typeof tabNames

/** Views that replace a tab's list and take its whole panel. */
const viewsOf: Partial<Record<AdminTab, readonly string[]>> = {
  users: ['import'],
  settings: ['audit', 'rules', 'mails'],
}

export const viewNames = {
  import: 'Import people',
  audit: 'Audit log',
  rules: 'Roles from your sign-in provider',
  mails: 'Mails',
} as const

/** The people whom All Users lists. */
export interface UserFilter {
  role: RoleFilter
  /** Only users without a supervisor. */
  withoutTeam: boolean
}
const everybody: UserFilter = { role: 'all', withoutTeam: false }
const userFilter = z.object({ role: z.enum(['all', ...assignableRole.options]), withoutTeam: z.boolean() })

/** Other roles have no team that they could lack. */
export function canLackTeam(role: RoleFilter): boolean {
  return role === 'all' || role === 'user'
}

/** Addresses within the admin area, for links. */
export const adminAddress = {
  users: '?tab=users',
  regularUsers: '?tab=users&role=user',
  import: '?tab=users&view=import',
  managers: '?tab=managers',
  settings: '?tab=settings',
  audit: '?tab=settings&view=audit',
  rules: '?tab=settings&view=rules',
  mails: '?tab=settings&view=mails',
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
  const withoutTeam = params.get('team') === 'none' && canLackTeam(role)
  const [lastFilter, rememberFilter] = useRememberedChoice<UserFilter>('all-users-filter', userFilter, everybody)

  function openUsers(filter: UserFilter, search: string | null) {
    const isWithoutTeam = filter.withoutTeam && canLackTeam(filter.role)
    setParams(
      {
        tab: 'users',
        ...(filter.role === 'all' ? {} : { role: filter.role }),
        ...(isWithoutTeam ? { team: 'none' } : {}),
        ...(search ? { search } : {}),
      },
      { replace: true },
    )
  }

  return {
    tab,
    /** The view that is open instead of the tab's list. */
    view: view !== null && viewsOf[tab]?.includes(view) ? (view as keyof typeof viewNames) : undefined,
    /** Of All Users. */
    filter: { role, withoutTeam },
    /** All Users opens with its last filter. */
    openTab(newTab: AdminTab) {
      if (newTab === 'users') openUsers(lastFilter, null)
      else setParams(newTab === 'online' ? {} : { tab: newTab }, { replace: true })
    },
    /** Opens the filtered list of users, and remembers the filter. A search in that list stays. */
    showUsers(filter: UserFilter) {
      rememberFilter(filter)
      openUsers(filter, tab === 'users' ? params.get('search') : null)
    },
  }
}
