import type { SessionLaunch, SessionPlaylist, SessionVideo } from '../session-playlist.ts'
import type { Phase, Playback, SessionState } from './playback-types.ts'

/**
 * The end counts as reached this close to it (s) if the provider stands still or pauses there,
 * because YouTube may never report the end.
 */
export const endToleranceS = 0.5

const freshPlayback: Playback = {
  position: 0,
  duration: 0,
  rate: 1,
  furthest: 0,
  playReported: false,
  sinceReport: 0,
  watched: 0,
  lastSaved: -1,
  lastChecked: -1,
  stalledChecks: 0,
}

export function initialState(playlist: SessionPlaylist, launch?: SessionLaunch): SessionState {
  return {
    playlist,
    launch,
    phase: 'checking',
    index: 0,
    load: 0,
    startAt: 0,
    cued: false,
    reloading: false,
    ended: false,
    intent: 'play',
    running: false,
    lock: 'none',
    lockRequest: 0,
    lockFailures: 0,
    takeOver: false,
    regaining: false,
    settling: undefined,
    banner: undefined,
    note: undefined,
    reason: undefined,
    countdown: 0,
    online: true,
    hidden: false,
    unavailable: playlist.videos.filter(video => video.unavailable).map(video => video.id),
    failures: 0,
    unexpectedEnds: 0,
    reach: undefined,
    reachRequest: undefined,
    wentBackAt: 0,
    refusal: undefined,
    playback: freshPlayback,
  }
}

export function currentVideo(state: Pick<SessionState, 'playlist' | 'index'>): SessionVideo | undefined {
  return state.playlist.videos[state.index]
}

/** The index of the first video from `from` on that is not known as unavailable; -1 without one. */
export function nextPlayableIndex(state: Pick<SessionState, 'playlist' | 'unavailable'>, from: number): number {
  return state.playlist.videos.findIndex((video, index) => index >= from && !state.unavailable.includes(video.id))
}

export function nextIndex(state: Pick<SessionState, 'playlist' | 'index' | 'unavailable'>): number {
  return nextPlayableIndex(state, state.index + 1)
}

export function isRunning(state: SessionState): boolean {
  return state.phase === 'playing' || state.phase === 'buffering'
}

const seekablePhases: ReadonlySet<Phase> = new Set<Phase>(['starting', 'blocked', 'playing', 'buffering', 'paused'])

/** A position of the current video can be chosen. */
export function isSeekable({ phase }: Pick<SessionState, 'phase'>): boolean {
  return seekablePhases.has(phase)
}

export function isAtEnd({ playback: { position, duration } }: SessionState): boolean {
  return duration > 0 && position >= duration
}

export function isNearEnd(state: SessionState): boolean {
  const { position, duration } = state.playback
  return duration > 0 && position >= duration - endToleranceS
}
