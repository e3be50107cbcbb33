const key = 'watchline:opened-address'
/** A sign-in takes less than this. Somebody who signs in later did not come for this address. */
const maxAgeMs = 15 * 60_000

/**
 * Remembers, in this tab, the address that somebody opened before their sign-in, for instance by a
 * link in a mail.
 */
export function rememberOpenedAddress(search: string): void {
  try {
    window.sessionStorage.setItem(key, JSON.stringify({ search, at: Date.now() }))
  } catch {
    // Without storage the sign-in leads to the start page.
  }
}

/** The remembered address of the dashboard, once; undefined if there is none. */
export function consumeOpenedAddress(): string | undefined {
  try {
    const { search, at } = JSON.parse(window.sessionStorage.getItem(key) ?? '{}') as { search?: unknown; at?: unknown }
    window.sessionStorage.removeItem(key)
    if (typeof search !== 'string' || !search.startsWith('?') || typeof at !== 'number') return undefined
    return Date.now() - at < maxAgeMs ? `/dashboard${search}` : undefined
  } catch {
    return undefined
  }
}
