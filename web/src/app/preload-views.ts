import type { Role } from '@watchline/contracts/people'

const importers: Record<Exclude<Role, 'admin'>, () => Promise<unknown>> = {
  user: () => import('./trainee-page.tsx'),
  supervisor: () => import('./supervisor-page.tsx'),
  director: () => import('./supervisor-page.tsx'),
  manager: () => import('./manager-page.tsx'),
}
const roleKey = 'watchline.last-role'

/**
 * Loads the code of the dashboard of the role that last signed in with this browser, while the
 * profile is still being asked for. So the data calls, which the dashboard sends all at once, need
 * not wait for code. A wrong guess costs one download and shows nothing.
 */
export function preloadLastView(): void {
  const role = readLastRole()
  // The dashboard loads its code itself when it is shown, and reports a failure.
  importers[role]().catch(() => {})
}

/** Remembers the role for the next start. */
export function rememberRole(role: Role): void {
  try {
    window.localStorage.setItem(roleKey, role)
  } catch {
    // Without storage the next start guesses the most frequent role.
  }
}

function readLastRole(): keyof typeof importers {
  try {
    const stored = window.localStorage.getItem(roleKey)
    return stored !== null && Object.hasOwn(importers, stored) ? (stored as keyof typeof importers) : 'user'
  } catch {
    return 'user'
  }
}
