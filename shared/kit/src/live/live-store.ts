import { DependencyUnavailable } from '../core/errors.ts'

/** A sign of life of a login session. Times in ms. */
export interface PresenceReport {
  personId: string
  sid: string
  loginTime: number
  at: number
}

export interface Presence {
  /** The session heard last. */
  sid: string
  loginTime: number
  lastActivity: number
}

/** The monitoring lock of one person. Times in ms. */
export interface Lock {
  personId: string
  sid: string
  fence: number
  playlistId: string
  acquiredAt: number
  heardAt: number
  expiresAt: number
}

export interface LockRequest {
  personId: string
  sid: string
  fence: number
  playlistId: string
  now: number
  ttlMs: number
  takeOver: boolean
}

export interface LockResult {
  acquired: boolean
  /** The caller's lock, or the other's that stands in the way. */
  lock: Lock
  /** The lock that was displaced by a takeover. */
  previous?: Lock
}

/**
 * The port for what is live and may be forgotten: presence, the monitoring lock, revocations, change versions, counters. Two
 * adapters, Redis and in-memory, pass one contract test. Every method may reject with {@link LiveStoreUnavailable}.
 */
export interface LiveStore {
  presence: {
    /** Pipelined; a late sighting never turns time back. */
    note(sightings: readonly PresenceReport[]): Promise<void>
    /** Those of the asked who were active within limits.presenceActiveMs. */
    of(personIds: readonly string[], now: number): Promise<Map<string, Presence>>
    /** Everyone online, latest first. */
    online(now: number, page: { offset: number; limit: number }): Promise<{ total: number; personIds: string[] }>
    /** Sign-out: other sessions of the person stay. */
    forget(personId: string, sid: string): Promise<void>
    /**
     * Who came online and whose presence ended (signed out, or silent for limits.presenceActiveMs) since anybody took the changes
     * last. Each is given to one taker, whatever their number; what a taker loses is lost. At most `limit` of either kind.
     */
    takeChanges(now: number, limit: number): Promise<{ arrived: string[]; left: string[] }>
  }
  locks: {
    /**
     * Free, expired or one's own: held (one's own keeps its fence, its playlist is updated, its expiry renewed). Another's: not
     * held, unless taken over. A takeover with a fence below that of the lock came too late: a later one has won.
     */
    acquire(request: LockRequest): Promise<LockResult>
    /** Undefined for who does not hold it (for that playlist, when one is given). */
    renew(personId: string, sid: string, now: number, ttlMs: number, playlistId?: string): Promise<Lock | undefined>
    get(personId: string, now: number): Promise<Lock | undefined>
    of(personIds: readonly string[], now: number): Promise<Map<string, Lock>>
    /** Only the holder's own; answers what was released, which may have expired unnoticed. */
    release(personId: string, sid: string): Promise<Lock | undefined>
  }
  revocations: {
    /** The later `until` counts. `now` is only for forgetting what ended more than a day ago. */
    add(sid: string, until: number, now?: number): Promise<void>
    all(now: number): Promise<string[]>
    has(sid: string, now: number): Promise<boolean>
  }
  /**
   * Change versions behind ETags. Opaque numbers that never come again: not after a raise, not after the store forgot
   * everything or its process restarted. Keys that were not raised of late share one number, renewed daily.
   */
  versions: {
    get(keys: readonly string[]): Promise<number[]>
    bump(keys: readonly string[]): Promise<void>
  }
  counters: {
    /** A fixed window from its first hit. */
    hit(key: string, windowMs: number, now: number): Promise<{ count: number; resetsAt: number }>
    clear(key: string): Promise<void>
  }
  ping(): Promise<void>
  /** How many calls were rejected since it was opened; absent where none can be. */
  readonly failures?: number
  close(): Promise<void>
}

/** The live store cannot be reached right now. */
export class LiveStoreUnavailable extends DependencyUnavailable {
  override name = 'LiveStoreUnavailable'
}
