/*
 * Measures how long nobody has used the client in any tab of this browser, for the idle limit of
 * the session.
 */

const storageKey = 'watchline-used-at'
/** Events are frequent, and a few seconds do not matter. */
const storeEveryMs = 5_000
/**
 * A person who returns after this pause extends the session at once. The next regular refresh, up
 * to ten minutes later, could be after its end.
 */
const returnMs = 2 * 60_000
const inputEvents = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const

let usedAt = Date.now()
let storedAt = 0
let extendSession: (() => void) | undefined

/** Records that a person uses this browser: an input, or a monitored video that plays. */
export function recordUse(): void {
  const now = Date.now()
  if (now >= usedAt && now - usedAt < 1_000) return
  const pauseMs = now - latestUse()
  usedAt = now
  if (Math.abs(now - storedAt) >= storeEveryMs) storeUse(now)
  if (pauseMs >= returnMs) extendSession?.()
}

/** Seconds since a person last used any tab of this browser. */
export function secondsSinceUse(): number {
  return Math.max(0, Math.floor((Date.now() - latestUse()) / 1_000))
}

/**
 * Records input while pages behind the sign-in are open. `extend` is called when a person returns
 * after a pause.
 */
export function watchUse(extend: () => void): () => void {
  usedAt = Date.now()
  storeUse(usedAt)
  extendSession = extend
  const options = { capture: true, passive: true }
  for (const event of inputEvents) window.addEventListener(event, recordUse, options)
  return () => {
    extendSession = undefined
    for (const event of inputEvents) window.removeEventListener(event, recordUse, options)
  }
}

/** A time in the future comes from a clock that was set back since. It would hide all idle time. */
function latestUse(): number {
  const now = Date.now()
  usedAt = Math.min(now, usedAt)
  const stored = readStoredUse()
  return stored > now ? usedAt : Math.max(usedAt, stored)
}

function readStoredUse(): number {
  try {
    return Number(window.localStorage.getItem(storageKey)) || 0
  } catch {
    return 0
  }
}

function storeUse(now: number): void {
  storedAt = now
  try {
    window.localStorage.setItem(storageKey, String(now))
  } catch {
    // Without storage each tab knows only its own use.
  }
}
