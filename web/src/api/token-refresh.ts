import type { CallResult } from './call.ts'

const refreshedAtKey = 'watchline-refreshed-at'
/** ms. A stored time further ahead is of a clock that was set back since. */
const maxClockErrorMs = 60_000
let refreshing: Promise<CallResult> | undefined

/**
 * Refreshes the access token, one refresh at a time: the calls of a tab share it, and so do the
 * tabs of a browser with locks. `since` is the start of the refused call (ms); a refresh that ended
 * after it counts as well.
 */
export function refreshOnce(since: number, refresh: () => Promise<CallResult>): Promise<CallResult> {
  refreshing ??= refreshUnderLock(since, refresh).finally(() => {
    refreshing = undefined
  })
  return refreshing
}

/** Refreshes in any case, after a refresh of this tab that is under way. */
export async function refreshAfterCurrent(refresh: () => Promise<CallResult>): Promise<CallResult> {
  while (refreshing) await refreshing.catch(() => {})
  return refreshOnce(Number.POSITIVE_INFINITY, refresh)
}

async function refreshUnderLock(since: number, refresh: () => Promise<CallResult>): Promise<CallResult> {
  const run = async (): Promise<CallResult> => {
    if (readRefreshedAt() > since) return { ok: true, status: 200, body: undefined, headers: new Headers() }
    const result = await refresh()
    if (result.ok) storeRefreshTime()
    return result
  }
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  return locks ? ((await locks.request('watchline-refresh', run)) as CallResult) : run()
}

function readRefreshedAt(): number {
  try {
    const refreshedAt = Number(window.localStorage.getItem(refreshedAtKey)) || 0
    return refreshedAt > Date.now() + maxClockErrorMs ? 0 : refreshedAt
  } catch {
    return 0
  }
}

function storeRefreshTime(): void {
  try {
    window.localStorage.setItem(refreshedAtKey, String(Date.now()))
  } catch {
    // Without storage each tab refreshes for itself, which the server allows.
  }
}
