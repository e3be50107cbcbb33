import { useSyncExternalStore } from 'react'

/**
 * Whether the last call or the live stream reached the server. 'offline' lasts from the first
 * network error to the next answer.
 */
export type Connection = 'live' | 'offline'

let connection: Connection = 'live'
const listeners = new Set<() => void>()

export function setConnection(next: Connection): void {
  if (next === connection) return
  connection = next
  for (const listener of listeners) listener()
}

export function readConnection(): Connection {
  return connection
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, readConnection)
}

// The browser notices the loss of the network first; only an answer proves that the server is back.
if (typeof window !== 'undefined') window.addEventListener('offline', () => setConnection('offline'))
