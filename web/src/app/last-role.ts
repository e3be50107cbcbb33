const roleKey = 'watchline.last-role'

/** Remembers the role for the next start. */
export function rememberRole(role: string): void {
  try {
    window.localStorage.setItem(roleKey, role)
  } catch {
    // Without storage the next start guesses the most frequent role.
  }
}

/** The role that last signed in with this browser. */
export function readLastRole(): string | null {
  try {
    return window.localStorage.getItem(roleKey)
  } catch {
    return null
  }
}
