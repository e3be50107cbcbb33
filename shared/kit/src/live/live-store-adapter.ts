import type { LiveStore } from './live-store.ts'
import type { MonitoringLockWriter } from './monitoring-lock-writer.ts'
import type { PresenceWriter } from './presence-writer.ts'

/** Everything an adapter implements: the port, and what its writers need. */
export interface LiveStoreAdapter extends LiveStore {
  presence: LiveStore['presence'] & PresenceWriter
  locks: LiveStore['locks'] & MonitoringLockWriter
}
