import { useState } from 'react'

/** At most this much later than asked for, each client a little differently, so that many do not call in step. */
const spread = 0.1

/** Query options for what is polled, in ms, as long as the page is looked at; `on: false` leaves it to the person. */
export function usePolling(everyMs: number, on = true) {
  const [factor] = useState(() => 1 + Math.random() * spread)
  return { pollingInterval: on ? Math.round(everyMs * factor) : 0, skipPollingIfUnfocused: true, refetchOnFocus: on }
}
