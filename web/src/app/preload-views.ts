import type { Role } from '@watchline/contracts/people'
import { type DashboardRole, roleViews } from './role-views.ts'

const roleKey = 'watchline.last-role'

/**
 * Loads the code of the dashboard of the role that last signed in with this browser, while the
 * profile is still being asked for. So the data calls, which the dashboard sends all at once, need
 * not wait for code. A wrong guess costs one download and shows nothing.
 */
export function preloadLastView(): void {
  roleViews[readLastRole()].preload()
}

/** Remembers the role for the next start. */
export function rememberRole(role: Role): void {
  try {
    window.localStorage.setItem(roleKey, role)
  } catch {
    // Without storage the next start guesses the most frequent role.
  }
}

function readLastRole(): DashboardRole {
  try {
    const stored = window.localStorage.getItem(roleKey)
    return stored !== null && Object.hasOwn(roleViews, stored) ? (stored as DashboardRole) : 'user'
  } catch {
    return 'user'
  }
}
