import { limits } from '@watchline/contracts/limits'
import { useState } from 'react'
import { useStreamHealth } from './stream-health.ts'

/** The largest random delay, so that clients do not poll at the same moment. */
const spread = 0.1

/**
 * Options of a polled query, such as a list, while the page is visible. `everyMs` is one of the
 * contracts' limits, because the servers are sized for it. `on: false` turns polling off.
 */
export function usePolling(everyMs: number, on = true) {
  const [factor] = useState(() => 1 + Math.random() * spread)
  return { pollingInterval: on ? Math.round(everyMs * factor) : 0, skipPollingIfUnfocused: true, refetchOnFocus: on }
}

/**
 * The same for data whose every change causes a hint. While the live stream is healthy, a poll is
 * only a safety net and comes seldom.
 */
export function useHintedPolling(everyMs: number, on = true) {
  const isHealthy = useStreamHealth()
  return usePolling(isHealthy ? Math.max(everyMs, limits.hintedPollMs) : everyMs, on)
}
