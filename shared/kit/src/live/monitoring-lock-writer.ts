import type { LiveStore, Lock } from './live-store.ts'

/** Times in ms. */
export interface LockRequest {
  personId: string
  sid: string
  fence: number
  playlistId: string
  now: number
  ttlMs: number
  /** Displaces another owner with a lower fence. */
  takeOver: boolean
  resetAt?: number | undefined
}

export interface LockResult {
  acquired: boolean
  /** The caller's lock, or the one of the other owner. */
  lock: Lock
  /** The lock that a takeover displaced. */
  previous?: Lock
}

export interface MonitoringLockWriter {
  /**
   * Acquires a lock that is free, has expired, or is the caller's own. An own lock keeps its fence;
   * its playlist, reset and expiry are updated. Another owner's lock is displaced only by a
   * takeover, and only if the takeover's fence is not lower than the owner's.
   */
  acquire(request: LockRequest): Promise<LockResult>
  /**
   * Undefined if the caller does not own the lock, or it is for another playlist than `playlistId`.
   * `now` in ms.
   */
  renew(personId: string, sid: string, now: number, ttlMs: number, playlistId?: string): Promise<Lock | undefined>
  /**
   * Releases the caller's own lock, and no other. Resolves to what was released, which may have
   * expired.
   */
  release(personId: string, sid: string): Promise<Lock | undefined>
}

/**
 * The same store with the right to write monitoring locks. Every adapter has the methods; only
 * playback-session may call this.
 */
export function withMonitoringLockWriter<L extends LiveStore>(live: L): L & { locks: MonitoringLockWriter } {
  return live as L & { locks: MonitoringLockWriter }
}
