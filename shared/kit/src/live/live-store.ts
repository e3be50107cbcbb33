import { DependencyUnavailable } from '../core/errors.ts'
import type { GrowingWait } from './growing-wait.ts'

export interface Presence {
  /** The session with the latest activity. */
  sid: string
  /** Time of sign-in, ms. */
  loginTime: number
  /** ms. */
  lastActivity: number
}

/** The monitoring lock of one person: at most one login session watches at a time. Times in ms. */
export interface Lock {
  personId: string
  sid: string
  /** The fencing token: grows with every new owner, and stays while one owner extends the lock. */
  fence: number
  playlistId: string
  acquiredAt: number
  /** The latest report of the owner. */
  heardAt: number
  expiresAt: number
  /** The start of the present attempt, if the task was reset or has recurred. */
  resetAt?: number | undefined
}

export interface PresenceReader {
  /** The presence of those people who were active within limits.presenceActiveMs. `now` in ms. */
  of(personIds: readonly string[], now: number): Promise<Map<string, Presence>>
  /** Everyone who is online, latest activity first. `now` in ms. */
  online(now: number, page: { offset: number; limit: number }): Promise<{ total: number; personIds: string[] }>
}

/** `now` in ms. */
export interface MonitoringLockReader {
  /** Undefined if no session owns the person's lock, or it has expired. */
  get(personId: string, now: number): Promise<Lock | undefined>
  of(personIds: readonly string[], now: number): Promise<Map<string, Lock>>
}

/**
 * The port for live state, which may be lost: presence, the monitoring lock, revocations, change
 * versions, counters. Two adapters, Redis and memory, pass one contract test. Every method may
 * reject with {@link LiveStoreUnavailable}.
 *
 * Presence and locks can only be read here. Their owners obtain the right to write from
 * presence-writer.ts and monitoring-lock-writer.ts, which other services must not import.
 */
export interface LiveStore {
  presence: PresenceReader
  locks: MonitoringLockReader
  /** Login sessions that ended while their access tokens were still valid. Times in ms. */
  revocations: {
    /**
     * The later `until` of one session counts. `now` only decides which entries to delete: those a
     * day past their end.
     */
    add(sid: string, until: number, now?: number): Promise<void>
    all(now: number): Promise<string[]>
    has(sid: string, now: number): Promise<boolean>
  }
  /**
   * Change versions behind ETags: opaque numbers that never repeat, not even after the store lost
   * its data or its process restarted. Keys that were not bumped lately share one number, which
   * changes daily.
   */
  versions: {
    get(keys: readonly string[]): Promise<number[]>
    bump(keys: readonly string[]): Promise<void>
  }
  counters: {
    /** Counts in a fixed window that starts with its first hit. Times in ms. */
    countHit(key: string, windowMs: number, now: number): Promise<{ count: number; resetsAt: number }>
    /**
     * Counts an attempt unless it comes too early: then resolves to the ms to wait, else to 0. A
     * key is for `countHit` or for `countAttempt`, never for both. `now` in ms.
     */
    countAttempt(key: string, policy: GrowingWait, now: number): Promise<number>
    clear(key: string): Promise<void>
  }
  ping(): Promise<void>
  /** The number of calls that were rejected since the start; absent where none can be. */
  readonly failures?: number
  close(): Promise<void>
}

/** The live store cannot be reached right now. */
export class LiveStoreUnavailable extends DependencyUnavailable {
  override name = 'LiveStoreUnavailable'
}

/** For `catch` of calls that the work does not depend on. */
export function ignoreUnavailable(error: unknown): undefined {
  if (!(error instanceof LiveStoreUnavailable)) throw error
}

/**
 * The person's lock, unless its login session has ended. Such a lock stays in the store until
 * playback-session has consumed `session.revoked`, and must not block a new session meanwhile. The
 * second round trip happens only if there is a lock. It needs the lock's session, and one script
 * must not read both keys, because they belong to different hash slots. `now` in ms.
 */
export async function findActiveLock(
  live: Pick<LiveStore, 'locks' | 'revocations'>,
  personId: string,
  now: number,
): Promise<Lock | undefined> {
  const lock = await live.locks.get(personId, now)
  return lock && (await live.revocations.has(lock.sid, now)) ? undefined : lock
}
