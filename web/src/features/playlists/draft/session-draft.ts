/** What was left in this tab under the key, or undefined: a reload or a wrong click costs nothing that was typed. */
export function loadSessionDraft(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Leaves it there; undefined clears the place. */
export function saveSessionDraft(key: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // without storage what is typed lives as long as the form
  }
}
