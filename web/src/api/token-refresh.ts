import type { Sent } from './send.ts'

const refreshedAtKey = 'watchline-refreshed-at'
let refreshing: Promise<Sent> | undefined

/**
 * Refreshes the access token, one at a time: calls of this tab share one refresh, and where the browser has locks, so do
 * its tabs. `since`: when the refused call started (ms); a refresh that ended after that is as good as a new one.
 */
export function refreshOnce(since: number, refresh: () => Promise<Sent>): Promise<Sent> {
  refreshing ??= inLineWithOtherTabs(since, refresh).finally(() => {
    refreshing = undefined
  })
  return refreshing
}

async function inLineWithOtherTabs(since: number, refresh: () => Promise<Sent>): Promise<Sent> {
  const run = async (): Promise<Sent> => {
    if (readRefreshedAt() > since) return { ok: true, status: 200, body: undefined, headers: new Headers() }
    const sent = await refresh()
    if (sent.ok) noteRefreshed()
    return sent
  }
  const locks = typeof navigator === 'undefined' ? undefined : navigator.locks
  return locks ? ((await locks.request('watchline-refresh', run)) as Sent) : run()
}

function readRefreshedAt(): number {
  try {
    return Number(window.localStorage.getItem(refreshedAtKey)) || 0
  } catch {
    return 0
  }
}

function noteRefreshed(): void {
  try {
    window.localStorage.setItem(refreshedAtKey, String(Date.now()))
  } catch {
    // Without storage each tab refreshes for itself, which the server allows.
  }
}
