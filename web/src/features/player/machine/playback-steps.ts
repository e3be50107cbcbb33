import { limits } from '@watchline/contracts/limits'
import type { TrackType } from '../player-api.ts'
import type { SessionLaunch, SessionPlaylist, SessionVideo } from '../session-playlist.ts'
import type { Effect, Playback, SessionState, Step } from './playback-types.ts'

/** The end counts as reached this close to it when the provider stands still or pauses there: YouTube's ended may never come. */
export const endToleranceS = 0.5
/** Seeking raises pauses that last a moment; a pause that is over before this is none. */
export const settleMs = 400

const freshPlayback: Playback = {
  position: 0,
  duration: 0,
  rate: 1,
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
    strangeEnds: 0,
    watchedBefore: 0,
    playback: freshPlayback,
  }
}

export function currentVideo(state: Pick<SessionState, 'playlist' | 'index'>): SessionVideo | undefined {
  return state.playlist.videos[state.index]
}

/** The next video that is not known to be unplayable, at or after `from`; -1 when there is none. */
export function nextPlayableIndex(state: Pick<SessionState, 'playlist' | 'unavailable'>, from: number): number {
  return state.playlist.videos.findIndex((video, index) => index >= from && !state.unavailable.includes(video.id))
}

export function nextIndex(state: Pick<SessionState, 'playlist' | 'index' | 'unavailable'>): number {
  return nextPlayableIndex(state, state.index + 1)
}

export function isRunning(state: SessionState): boolean {
  return state.phase === 'playing' || state.phase === 'buffering'
}

/** A step under construction: small moves change `state` and add `effects` in the order in which they are to happen. */
export interface Draft {
  state: SessionState
  readonly effects: Effect[]
}

export function createDraft(state: SessionState): Draft {
  return { state, effects: [] }
}

export function finishDraft({ state, effects }: Draft): Step {
  return { state, effects }
}

export function changeState(step: Draft, changes: Partial<SessionState>): void {
  step.state = { ...step.state, ...changes }
}

export function changePlayback(step: Draft, changes: Partial<Playback>): void {
  step.state = { ...step.state, playback: { ...step.state.playback, ...changes } }
}

export function reportEvent(step: Draft, event: TrackType): void {
  const { index, playback } = step.state
  step.effects.push({ type: 'track', event, index, position: playback.position, rate: playback.rate })
  changePlayback(step, { sinceReport: 0 })
}

/**
 * Sends the position to the server: saved under the lock, else by a release, which the server takes as the
 * position unless another session has watched since.
 */
export function reportPosition(step: Draft): void {
  const { index, playback, lock } = step.state
  const type = lock === 'none' ? 'release-lock' : 'save-progress'
  step.effects.push({ type, index, position: playback.position })
  changePlayback(step, { lastSaved: playback.position })
}

export function askLock(step: Draft, takeOver = step.state.takeOver): void {
  changeState(step, { lock: 'asking', lockRequest: step.state.lockRequest + 1, takeOver })
  const { lockRequest: ask, index, playback } = step.state
  step.effects.push({ type: 'stop-timer', name: 'lock-retry' })
  step.effects.push({ type: 'ask-lock', ask, index, position: playback.position, takeOver })
}

/** Also when the lock is only asked for: the answer may be on its way. */
export function releaseLock(step: Draft): void {
  if (step.state.lock === 'none') return
  const { index, playback } = step.state
  changeState(step, {
    lock: 'none',
    lockRequest: step.state.lockRequest + 1,
    lockFailures: 0,
    takeOver: false,
    regaining: false,
  })
  step.effects.push({ type: 'release-lock', index, position: playback.position })
  step.effects.push({ type: 'stop-timer', name: 'lock-retry' })
}

export function startPlaybackTimers(step: Draft): void {
  step.effects.push(
    { type: 'start-timer', name: 'tick', ms: limits.progressTickMs, repeat: true },
    { type: 'start-timer', name: 'save', ms: limits.progressSaveMs, repeat: true },
    { type: 'start-timer', name: 'heartbeat', ms: limits.heartbeatMs, repeat: true },
  )
}

export function stopPlaybackTimers(step: Draft): void {
  for (const name of ['tick', 'save', 'heartbeat', 'check', 'settle', 'reload'] as const)
    step.effects.push({ type: 'stop-timer', name })
}

export function startProgressCheck(step: Draft): void {
  changePlayback(step, { lastChecked: -1, stalledChecks: 0 })
  step.effects.push({ type: 'start-timer', name: 'check', ms: limits.stallCheckMs, repeat: true })
}

export function closeReportedPlay(step: Draft): void {
  if (!step.state.playback.playReported) return
  reportEvent(step, 'pause')
  changePlayback(step, { playReported: false })
}

/** Loads a video of the playlist at a position and, if it is to play, asks for the lock under its name. */
export function beginVideo(step: Draft, index: number, startAt: number, want: 'play' | 'pause'): void {
  const video = step.state.playlist.videos[index]
  if (!video) return
  const wanted = step.state.hidden ? 'pause' : want
  changeState(step, {
    phase: wanted === 'play' ? 'starting' : 'paused',
    index,
    startAt,
    intent: wanted,
    note: step.state.hidden && want === 'play' ? 'hidden' : undefined,
    failures: 0,
    strangeEnds: 0,
  })
  changePlayback(step, {
    position: startAt,
    duration: video.duration,
    playReported: false,
    sinceReport: 0,
    lastSaved: startAt,
  })
  loadVideo(step)
  if (wanted === 'play') askLock(step)
  else releaseLock(step)
}

/** (Re)loads the current video at the current position. */
export function loadVideo(step: Draft): void {
  const { index, playback } = step.state
  changeState(step, {
    load: step.state.load + 1,
    startAt: playback.position,
    cued: false,
    running: false,
    reloading: false,
    ended: false,
    settling: undefined,
  })
  step.effects.push({ type: 'stop-timer', name: 'reload' })
  step.effects.push({ type: 'load', index, startAt: playback.position, load: step.state.load })
  if (step.state.phase === 'starting') startProgressCheck(step)
}

/** Plays once the video is cued, the lock is held, the viewer wants it and the page is visible. */
export function playWhenReady(step: Draft): void {
  const { phase, cued, lock, intent: want, hidden } = step.state
  if (phase === 'starting' && cued && lock === 'held' && want === 'play' && !hidden) step.effects.push({ type: 'play' })
}

export function pausePlayback(step: Draft, note?: SessionState['note']): void {
  step.effects.push({ type: 'pause' })
  stopPlaybackTimers(step)
  const moved = step.state.playback.position !== step.state.playback.lastSaved
  const wasRunning = isRunning(step.state)
  closeReportedPlay(step)
  if (wasRunning || moved) reportPosition(step)
  releaseLock(step)
  changeState(step, { phase: 'paused', intent: 'pause', settling: undefined, note })
}

/** Plays again: first asks for the lock unless it is still held. */
export function resume(step: Draft): void {
  if (step.state.ended) {
    startCountdownOrComplete(step)
    return
  }
  changeState(step, { phase: 'starting', intent: 'play', note: undefined, reason: undefined, settling: undefined })
  startProgressCheck(step)
  if (step.state.reloading) loadVideo(step)
  if (step.state.lock === 'held') playWhenReady(step)
  else askLock(step)
}

/** The video plays: timers and the report start once, however often the provider says so. */
export function enterPlaying(step: Draft): void {
  const starting = !isRunning(step.state)
  changeState(step, { phase: 'playing', running: true, reloading: false, note: undefined })
  step.effects.push({ type: 'stop-timer', name: 'reload' })
  if (step.state.settling === 'pause') endSettling(step)
  if (starting) startPlaybackTimers(step)
  if (!step.state.playback.playReported && step.state.settling === undefined) {
    reportEvent(step, 'play')
    changePlayback(step, { playReported: true })
  }
}

export function startSettling(step: Draft, why: 'seek' | 'pause'): void {
  changeState(step, { settling: why })
  step.effects.push({ type: 'start-timer', name: 'settle', ms: settleMs, repeat: false })
}

export function endSettling(step: Draft): void {
  changeState(step, { settling: undefined })
  step.effects.push({ type: 'stop-timer', name: 'settle' })
}

export function isNearEnd(state: SessionState): boolean {
  const { position, duration } = state.playback
  return duration > 0 && position >= duration - endToleranceS
}

/** The end is reported once for each load. */
export function endVideo(step: Draft): void {
  if (step.state.ended) return
  changeState(step, { ended: true })
  stopPlaybackTimers(step)
  reportEvent(step, 'ended')
  changePlayback(step, { playReported: false })
  reportPosition(step)
  startCountdownOrComplete(step)
}

/** After the end of a video, or past one that cannot play: the countdown to the next, or completion. */
export function startCountdownOrComplete(step: Draft): void {
  changeState(step, { settling: undefined, running: false, reloading: false, failures: 0 })
  if (nextIndex(step.state) >= 0) {
    changeState(step, { phase: 'countdown', countdown: limits.countdownS, intent: 'play' })
    step.effects.push({ type: 'start-timer', name: 'countdown', ms: 1_000, repeat: true })
    return
  }
  if (nextPlayableIndex(step.state, 0) < 0) {
    changeState(step, { phase: 'unplayable' })
    releaseLock(step)
    return
  }
  reportEvent(step, 'playlist_completed')
  releaseLock(step)
  changeState(step, { phase: 'completed', intent: 'pause' })
}
