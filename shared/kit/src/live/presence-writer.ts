import type { LiveStore } from './live-store.ts'

/** Activity of a login session. Times in ms. */
export interface PresenceReport {
  personId: string
  sid: string
  loginTime: number
  at: number
}

export interface PresenceWriter {
  /** Pipelined. A late report never sets the last activity back. */
  report(reports: readonly PresenceReport[]): Promise<void>
  /** Removes an ended login session; other sessions of the person stay. */
  removeSession(personId: string, sid: string): Promise<void>
  /**
   * People who came online and people who left (signed out, or silent for limits.presenceActiveMs)
   * since the last claim. Each change goes to one caller only, and is lost when that caller dies.
   * At most `limit` of either kind. `now` in ms.
   */
  claimChanges(now: number, limit: number): Promise<{ arrived: string[]; left: string[] }>
}

/**
 * The same store with the right to write presence. Every adapter has the methods; only
 * playback-session, which owns presence, and the gateway may call this. The gateway sees every
 * call, so it reports activity of people who only read. Playback-session also reports the calls of
 * players. They keep the monitoring lock, so they must count although the gateway's report is lost.
 */
export function withPresenceWriter<L extends LiveStore>(live: L): L & { presence: PresenceWriter } {
  return live as L & { presence: PresenceWriter }
}
