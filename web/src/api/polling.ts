import { useState } from 'react'

/** The largest random delay, so that clients do not poll at the same moment. */
const spread = 0.1

/** Options of a polled query, in ms, while the page is visible. `on: false` turns polling off. */
export function usePolling(everyMs: number, on = true) {
  const [factor] = useState(() => 1 + Math.random() * spread)
  return { pollingInterval: on ? Math.round(everyMs * factor) : 0, skipPollingIfUnfocused: true, refetchOnFocus: on }
}
