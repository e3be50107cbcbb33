import type { SessionStatus } from '@watchline/contracts/playback'
import type { ProviderEvent } from '../adapters/adapter.ts'
import type { TrackType } from '../player-api.ts'
import type { SessionLaunch, SessionPlaylist } from '../session-playlist.ts'

export type Phase =
  /** The playlist has no videos. */
  | 'empty'
  /** The session status was asked. */
  | 'checking'
  /** Waiting for the lock's answer, for the video to be cued, or for the provider to begin. */
  | 'starting'
  /** The browser wants a press before it plays. */
  | 'blocked'
  | 'playing'
  | 'buffering'
  | 'paused'
  | 'countdown'
  /** Another session of this person holds the monitoring lock. */
  | 'elsewhere'
  /** The server will not let this session be monitored. */
  | 'refused'
  /** The playlist was deleted, or is no longer this person's to watch. */
  | 'unassigned'
  | 'completed'
  /** No video of the playlist can be played. */
  | 'unplayable'
  | 'left'

/** What moves every second. Kept apart so that whoever draws the rest need not look at it. Seconds. */
export interface Playback {
  position: number
  duration: number
  rate: number
  /** A 'play' was reported that no 'pause' or 'ended' has closed yet. */
  playReported: boolean
  /** Playback since the last report. */
  sinceReport: number
  /** Played in this session, all videos. */
  watched: number
  lastSaved: number
  lastChecked: number
  /** Checks in a row that found the position where it was. */
  stalledChecks: number
}

export interface SessionState {
  readonly playlist: SessionPlaylist
  readonly launch: SessionLaunch | undefined
  phase: Phase
  index: number
  /** Number of the current load: what an earlier one still says is ignored. */
  load: number
  startAt: number
  cued: boolean
  /** The load failed and is to be repeated, by its timer or as soon as it makes sense. */
  reloading: boolean
  /** The end of this load was reported. */
  ended: boolean
  intent: 'play' | 'pause'
  /** What the provider last said of itself. */
  running: boolean
  lock: 'none' | 'asking' | 'held'
  lockRequest: number
  lockFailures: number
  takeOver: boolean
  /** The lock was lost and asked for again: what could not be saved in between is to be saved. */
  regaining: boolean
  /** The short while after a seek or a pause in which the provider's word does not count yet. */
  settling: 'seek' | 'pause' | undefined
  banner: 'resumed' | 'approved' | 'view' | undefined
  note: 'hidden' | 'stalled' | 'unavailable' | 'unreachable' | 'waiting-for-server' | undefined
  /** The server's or the provider's words for `refused` and `unavailable`. */
  reason: string | undefined
  countdown: number
  online: boolean
  hidden: boolean
  unavailable: readonly string[]
  failures: number
  strangeEnds: number
  /** Watched in earlier sittings, as far as the restored position tells. */
  watchedBefore: number
  playback: Playback
}

export type TimerName = 'tick' | 'save' | 'heartbeat' | 'check' | 'countdown' | 'settle' | 'lock-retry' | 'reload'

export interface Reading {
  position: number
  duration: number
  rate: number
}

export type SessionEvent =
  | { type: 'start' }
  /** `wasPlaying`: this very tab was playing when it was reloaded. */
  | { type: 'status-answered'; status: SessionStatus | undefined; wasPlaying?: boolean }
  | { type: 'lock-answered'; ask: number; outcome: 'held' | 'elsewhere' | 'unassigned' }
  | { type: 'lock-answered'; ask: number; outcome: 'refused'; detail: string }
  | { type: 'lock-answered'; ask: number; outcome: 'unanswered'; retryAfterMs?: number }
  /** Any other call was answered with 409 monitoring_elsewhere. */
  | { type: 'lock-lost' }
  | { type: 'provider'; load: number; event: ProviderEvent; reading: Reading }
  | { type: 'timer'; name: TimerName; reading: Reading }
  | { type: 'toggle' }
  | { type: 'seek'; to: number }
  | { type: 'skip' }
  | { type: 'continue-here' }
  | { type: 'try-again' }
  | { type: 'dismiss-banner' }
  | { type: 'hidden' }
  | { type: 'visible' }
  | { type: 'online' }
  | { type: 'offline' }
  | { type: 'leave' }

export type Effect =
  | { type: 'check-status' }
  | { type: 'ask-lock'; ask: number; index: number; position: number; takeOver: boolean }
  /** Gives the lock back: monitoring false, with the position. */
  | { type: 'release-lock'; index: number; position: number }
  | { type: 'load'; index: number; startAt: number; load: number }
  | { type: 'play' }
  | { type: 'pause' }
  | { type: 'seek'; to: number }
  | { type: 'save-progress'; index: number; position: number }
  | { type: 'heartbeat' }
  | { type: 'track'; event: TrackType; index: number; position: number; rate: number }
  | { type: 'unavailable'; index: number; code: number; reason: string }
  | { type: 'start-timer'; name: TimerName; ms: number; repeat: boolean; jitter?: boolean }
  | { type: 'stop-timer'; name: TimerName }
  /** The page may be gone in a moment: send now what is unsent. */
  | { type: 'flush' }
  | { type: 'destroy' }

export interface Step {
  state: SessionState
  effects: Effect[]
}
