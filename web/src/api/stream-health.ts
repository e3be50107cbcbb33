import { useSyncExternalStore } from 'react'

let isHealthy = false
const listeners = new Set<() => void>()

/** The stream is healthy while heartbeats arrive in time, so that no hint is missed for long. */
export function setStreamHealthy(next: boolean): void {
  if (next === isHealthy) return
  isHealthy = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useStreamHealth(): boolean {
  return useSyncExternalStore(subscribe, () => isHealthy)
}
