import { limits } from '@watchline/contracts/limits'
import type { Effect, Playback, SessionState, Step } from './playback-types.ts'
import type { TrackType } from './player-api.ts'
import type { SessionLaunch, SessionPlaylist, SessionVideo } from './session-playlist.ts'

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
    over: false,
    want: 'play',
    running: false,
    lock: 'none',
    ask: 0,
    askFailures: 0,
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
export function playableFrom(state: Pick<SessionState, 'playlist' | 'unavailable'>, from: number): number {
  return state.playlist.videos.findIndex((video, index) => index >= from && !state.unavailable.includes(video.id))
}

export function nextIndex(state: Pick<SessionState, 'playlist' | 'index' | 'unavailable'>): number {
  return playableFrom(state, state.index + 1)
}

export function isRunning(state: SessionState): boolean {
  return state.phase === 'playing' || state.phase === 'buffering'
}

/** A step under construction: small moves change `state` and add `effects` in the order in which they are to happen. */
export interface Draft {
  state: SessionState
  readonly effects: Effect[]
}

export function draft(state: SessionState): Draft {
  return { state, effects: [] }
}

export function done({ state, effects }: Draft): Step {
  return { state, effects }
}

export function change(step: Draft, changes: Partial<SessionState>): void {
  step.state = { ...step.state, ...changes }
}

export function changePlayback(step: Draft, changes: Partial<Playback>): void {
  step.state = { ...step.state, playback: { ...step.state.playback, ...changes } }
}

export function track(step: Draft, event: TrackType): void {
  const { index, playback } = step.state
  step.effects.push({ type: 'track', event, index, position: playback.position, rate: playback.rate })
  changePlayback(step, { sinceReport: 0 })
}

/** Who does not hold the lock may not save; the call that gives it back keeps the position, if nobody has watched since. */
export function save(step: Draft): void {
  const { index, playback, lock } = step.state
  const type = lock === 'none' ? 'release-lock' : 'save-progress'
  step.effects.push({ type, index, position: playback.position })
  changePlayback(step, { lastSaved: playback.position })
}

export function askLock(step: Draft, takeOver = step.state.takeOver): void {
  change(step, { lock: 'asking', ask: step.state.ask + 1, takeOver })
  const { ask, index, playback } = step.state
  step.effects.push({ type: 'stop-timer', name: 'lock-retry' })
  step.effects.push({ type: 'ask-lock', ask, index, position: playback.position, takeOver })
}

/** Also when the lock is only asked for: the answer may be on its way. */
export function releaseLock(step: Draft): void {
  if (step.state.lock === 'none') return
  const { index, playback } = step.state
  change(step, { lock: 'none', ask: step.state.ask + 1, askFailures: 0, takeOver: false, regaining: false })
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

export function startCheck(step: Draft): void {
  changePlayback(step, { lastChecked: -1, stalledChecks: 0 })
  step.effects.push({ type: 'start-timer', name: 'check', ms: limits.stallCheckMs, repeat: true })
}

export function closePlay(step: Draft): void {
  if (!step.state.playback.playReported) return
  track(step, 'pause')
  changePlayback(step, { playReported: false })
}

/** Loads a video of the playlist at a position and, if it is to play, asks for the lock under its name. */
export function begin(step: Draft, index: number, startAt: number, want: 'play' | 'pause'): void {
  const video = step.state.playlist.videos[index]
  if (!video) return
  const wanted = step.state.hidden ? 'pause' : want
  change(step, {
    phase: wanted === 'play' ? 'starting' : 'paused',
    index,
    startAt,
    want: wanted,
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
  load(step)
  if (wanted === 'play') askLock(step)
  else releaseLock(step)
}

/** (Re)loads the current video at the current position. */
export function load(step: Draft): void {
  const { index, playback } = step.state
  change(step, {
    load: step.state.load + 1,
    startAt: playback.position,
    cued: false,
    running: false,
    reloading: false,
    over: false,
    settling: undefined,
  })
  step.effects.push({ type: 'stop-timer', name: 'reload' })
  step.effects.push({ type: 'load', index, startAt: playback.position, load: step.state.load })
  if (step.state.phase === 'starting') startCheck(step)
}

/** Plays if everything is there: the cued video, the lock's answer, the wish, and someone to see it. */
export function playWhenReady(step: Draft): void {
  const { phase, cued, lock, want, hidden } = step.state
  if (phase === 'starting' && cued && lock === 'held' && want === 'play' && !hidden) step.effects.push({ type: 'play' })
}

export function pausePlayback(step: Draft, note?: SessionState['note']): void {
  step.effects.push({ type: 'pause' })
  stopPlaybackTimers(step)
  const moved = step.state.playback.position !== step.state.playback.lastSaved
  const wasRunning = isRunning(step.state)
  closePlay(step)
  if (wasRunning || moved) save(step)
  releaseLock(step)
  change(step, { phase: 'paused', want: 'pause', settling: undefined, note })
}

/** The wish to play: the lock first, unless it is still held. */
export function resume(step: Draft): void {
  if (step.state.over) {
    moveOn(step)
    return
  }
  change(step, { phase: 'starting', want: 'play', note: undefined, reason: undefined, settling: undefined })
  startCheck(step)
  if (step.state.reloading) load(step)
  if (step.state.lock === 'held') playWhenReady(step)
  else askLock(step)
}

/** Playback is truly on: timers and the report start once, however often the provider says so. */
export function playing(step: Draft): void {
  const starting = !isRunning(step.state)
  change(step, { phase: 'playing', running: true, reloading: false, note: undefined })
  step.effects.push({ type: 'stop-timer', name: 'reload' })
  if (step.state.settling === 'pause') settled(step)
  if (starting) startPlaybackTimers(step)
  if (!step.state.playback.playReported && step.state.settling === undefined) {
    track(step, 'play')
    changePlayback(step, { playReported: true })
  }
}

export function settle(step: Draft, why: 'seek' | 'pause'): void {
  change(step, { settling: why })
  step.effects.push({ type: 'start-timer', name: 'settle', ms: settleMs, repeat: false })
}

export function settled(step: Draft): void {
  change(step, { settling: undefined })
  step.effects.push({ type: 'stop-timer', name: 'settle' })
}

export function nearEnd(state: SessionState): boolean {
  const { position, duration } = state.playback
  return duration > 0 && position >= duration - endToleranceS
}

/** The video is over: reported once a load, however often it is told. */
export function endVideo(step: Draft): void {
  if (step.state.over) return
  change(step, { over: true })
  stopPlaybackTimers(step)
  track(step, 'ended')
  changePlayback(step, { playReported: false })
  save(step)
  moveOn(step)
}

/** After the end of a video, or past one that cannot play: the countdown to the next, or completion. */
export function moveOn(step: Draft): void {
  change(step, { settling: undefined, running: false, reloading: false, failures: 0 })
  if (nextIndex(step.state) >= 0) {
    change(step, { phase: 'countdown', countdown: limits.countdownS, want: 'play' })
    step.effects.push({ type: 'start-timer', name: 'countdown', ms: 1_000, repeat: true })
    return
  }
  if (playableFrom(step.state, 0) < 0) {
    change(step, { phase: 'unplayable' })
    releaseLock(step)
    return
  }
  track(step, 'playlist_completed')
  releaseLock(step)
  change(step, { phase: 'completed', want: 'pause' })
}
