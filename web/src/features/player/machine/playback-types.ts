import type { PlaylistWatch } from '@watchline/contracts/engagement'
import type { SessionStatus } from '@watchline/contracts/playback'
import type { ProviderEvent } from '../adapters/adapter.ts'
import type { TrackType } from '../player-api.ts'
import type { SessionLaunch, SessionPlaylist } from '../session-playlist.ts'

export type Phase =
  /** The playlist has no videos. */
  | 'empty'
  /** Waiting for the session status. */
  | 'checking'
  /** Waiting for the lock's answer, for the video to be cued, or for the provider to begin. */
  | 'starting'
  /** The browser requires a press of the viewer before it plays. */
  | 'blocked'
  | 'playing'
  | 'buffering'
  | 'paused'
  | 'countdown'
  /** Another session of this person owns the monitoring lock, or another window plays. */
  | 'elsewhere'
  /** The server refuses to monitor this session. */
  | 'refused'
  /** The playlist was edited, and its present videos do not fit this session. */
  | 'playlist-changed'
  /** The playlist was deleted, or is no longer assigned to this person. */
  | 'unassigned'
  | 'completed'
  /** No video of the playlist can be played. */
  | 'unplayable'
  | 'left'

/** How far a task without skipping ahead may be played. */
export interface Reach {
  /** The furthest second of each video, by id. That of the present video is in {@link Playback}. */
  readonly until: Readonly<Record<string, number>>
  /** The parts of each video that were credited at the start, by id; in order. */
  readonly credited: Readonly<Record<string, readonly (readonly [from: number, to: number])[]>>
  /** Ids of the videos of which enough is watched to open the next one. */
  readonly passed: readonly string[]
  /** The share of a video that opens the next one: percent. */
  readonly passingPercent: number
}

/**
 * An attempt to skip ahead within the video, or to a later video; `uncredited`: the server did not
 * credit the last part, so playback went back.
 */
export type RefusalKind = 'position' | 'video' | 'uncredited'

/**
 * The values that change every second, apart from the rest so that other screens need not render
 * again. Positions, durations and times are seconds.
 */
export interface Playback {
  position: number
  duration: number
  rate: number
  /** The furthest position of the video without skipping ahead. */
  furthest: number
  /** A 'play' was reported, and no 'pause' or 'ended' since. */
  playReported: boolean
  /** Playback since the last report. */
  sinceReport: number
  /** Playback in this session, of all videos. */
  watched: number
  lastSaved: number
  lastChecked: number
  /** Consecutive checks that found the position unchanged. */
  stalledChecks: number
}

export interface SessionState {
  readonly playlist: SessionPlaylist
  readonly launch: SessionLaunch | undefined
  phase: Phase
  index: number
  /** Number of the current load. Events of an earlier load are ignored. */
  load: number
  startAt: number
  cued: boolean
  /** The load failed and will be repeated, by its timer or on resume. */
  reloading: boolean
  /** The end of this load was reported. */
  ended: boolean
  intent: 'play' | 'pause'
  /** The provider was told to play, or reported that it plays or buffers, and no pause since. */
  running: boolean
  lock: 'none' | 'requested' | 'held'
  /** Number of the latest lock request. Answers to earlier ones are ignored. */
  lockRequest: number
  lockFailures: number
  takeOver: boolean
  /**
   * The lock was lost and requested again. Once it is acquired, the position is saved, unless
   * another session has watched since.
   */
  regaining: boolean
  /** The short time after a seek or a pause in which the provider's reports do not count yet. */
  settling: 'seek' | 'pause' | undefined
  banner: 'resumed' | 'approved' | 'view' | undefined
  /**
   * Of a load that failed: `unreachable` is repeated until it works, `failing` once, before the
   * video is skipped.
   */
  note: 'hidden' | 'stalled' | 'unavailable' | 'unreachable' | 'failing' | 'waiting-for-server' | undefined
  /** The server's or the provider's text for `refused` and `unavailable`. */
  reason: string | undefined
  countdown: number
  online: boolean
  hidden: boolean
  unavailable: readonly string[]
  failures: number
  unexpectedEnds: number
  /** Undefined while everything may be played, and while the limits are not known. */
  reach: Reach | undefined
  /**
   * The limits are requested from the server, perhaps because it refused the credit of a report.
   */
  reachRequest: 'requested' | 'refused' | undefined
  /**
   * The time in ms at which playback went back because of the server. Earlier reports are outdated.
   */
  wentBackAt: number
  /** The last refusal; `number` counts them. */
  refusal: { kind: RefusalKind; number: number } | undefined
  playback: Playback
}

export type TimerName =
  | 'tick'
  | 'save'
  | 'heartbeat'
  | 'check'
  | 'countdown'
  | 'settle'
  | 'lock-retry'
  | 'reload'
  | 'refusal'

export interface Reading {
  position: number
  duration: number
  rate: number
}

export type SessionEvent =
  | { type: 'start' }
  /** `wasPlaying`: this tab was playing when it was reloaded. */
  | { type: 'status-answered'; status: SessionStatus | undefined; wasPlaying?: boolean }
  /** The person has opened the session by choosing a video; `position` in seconds. */
  | { type: 'video-chosen'; index: number; position: number }
  /** The credit of the whole playlist; undefined if it is not known. `at` is in ms. */
  | { type: 'reach-loaded'; watch: PlaylistWatch | undefined; at: number }
  /** The server's answer to a report of this position; `reportedAt` is in ms. */
  | { type: 'report-answered'; videoId: string; position: number; reportedAt: number; watch: PlaylistWatch }
  /** `watchedElsewhere`: another login session of this person has monitored since. */
  | { type: 'lock-answered'; request: number; outcome: 'held'; watchedElsewhere?: boolean }
  | { type: 'lock-answered'; request: number; outcome: 'elsewhere' | 'playlist-changed' | 'unassigned' }
  | { type: 'lock-answered'; request: number; outcome: 'refused'; detail: string }
  | { type: 'lock-answered'; request: number; outcome: 'unanswered'; retryAfterMs?: number }
  /** Another call than a lock request was answered with 409 monitoring_elsewhere. */
  | { type: 'lock-lost' }
  /** Another window of this browser plays now. */
  | { type: 'other-window-plays' }
  | { type: 'provider'; load: number; event: ProviderEvent; reading: Reading }
  | { type: 'timer'; name: TimerName; reading: Reading }
  | { type: 'toggle' }
  | { type: 'seek'; to: number }
  | { type: 'skip' }
  /** Plays the video from this position, also after the end of the playlist. */
  | { type: 'go-to'; index: number; to: number }
  /** Ends the playlist here, although videos may follow. */
  | { type: 'finish' }
  /** Pauses and releases the lock, also between two videos, without leaving the session. */
  | { type: 'suspend' }
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
  | { type: 'load-reach' }
  | {
      type: 'request-lock'
      request: number
      index: number
      position: number
      takeOver: boolean
      regaining: boolean
    }
  /** Releases the lock: monitoring false, with the position. */
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
  /** The page may close at any moment, so unsent calls are sent now. */
  | { type: 'flush' }
  | { type: 'destroy' }

export interface Transition {
  state: SessionState
  effects: Effect[]
}
