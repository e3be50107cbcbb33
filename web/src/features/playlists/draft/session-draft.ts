/**
 * Loads the value stored under a key in this tab, or undefined. The storage keeps typed text over a
 * reload.
 */
export function loadSessionDraft(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Stores the value; undefined removes it. */
export function saveSessionDraft(key: string, value: unknown): void {
  try {
    if (value === undefined) sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, JSON.stringify(value))
  } catch {
    // Without storage the draft lives as long as the form.
  }
}
