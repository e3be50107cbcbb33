import { limits } from '@watchline/contracts/limits'
import type { TrackType } from '../player-api.ts'
import { changePlayback, changeState, type Draft } from './playback-draft.ts'
import { findReachable, keepFurthest, refuse } from './playback-reach.ts'
import { isAtEnd, isRunning, isSeekable, nextIndex, nextPlayableIndex } from './playback-state.ts'
import type { SessionState } from './playback-types.ts'

/** A seek causes short pauses. A pause that ends within this time (ms) does not count. */
const settleMs = 400

export function reportEvent(draft: Draft, event: TrackType): void {
  const { index, playback } = draft.state
  draft.effects.push({ type: 'track', event, index, position: playback.position, rate: playback.rate })
  changePlayback(draft, { sinceReport: 0 })
}

/**
 * Sends the position to the server: in a save under the lock, else in a release of the lock. The
 * server accepts the position of a release unless another session has watched since.
 */
export function savePositionOrReleaseLock(draft: Draft): void {
  const { index, playback, lock } = draft.state
  const type = lock === 'none' ? 'release-lock' : 'save-progress'
  draft.effects.push({ type, index, position: playback.position })
  changePlayback(draft, { lastSaved: playback.position })
}

export function requestLock(draft: Draft, takeOver = draft.state.takeOver): void {
  changeState(draft, { lock: 'requested', lockRequest: draft.state.lockRequest + 1, takeOver })
  const { lockRequest: request, index, playback, regaining } = draft.state
  draft.effects.push({ type: 'stop-timer', name: 'lock-retry' })
  draft.effects.push({ type: 'request-lock', request, index, position: playback.position, takeOver, regaining })
}

/** Releases a requested lock, too, because the answer may be on its way. */
export function releaseLock(draft: Draft): void {
  if (draft.state.lock === 'none') return
  const { index, playback } = draft.state
  changeState(draft, {
    lock: 'none',
    lockRequest: draft.state.lockRequest + 1,
    lockFailures: 0,
    takeOver: false,
    regaining: false,
  })
  draft.effects.push({ type: 'release-lock', index, position: playback.position })
  draft.effects.push({ type: 'stop-timer', name: 'lock-retry' })
}

export function startPlaybackTimers(draft: Draft): void {
  draft.effects.push(
    { type: 'start-timer', name: 'tick', ms: limits.progressTickMs, repeat: true },
    { type: 'start-timer', name: 'save', ms: limits.progressSaveMs, repeat: true },
    { type: 'start-timer', name: 'heartbeat', ms: limits.heartbeatMs, repeat: true },
  )
}

export function stopPlaybackTimers(draft: Draft): void {
  for (const name of ['tick', 'save', 'heartbeat', 'check', 'settle', 'reload'] as const)
    draft.effects.push({ type: 'stop-timer', name })
}

export function startProgressCheck(draft: Draft): void {
  changePlayback(draft, { lastChecked: -1, stalledChecks: 0 })
  draft.effects.push({ type: 'start-timer', name: 'check', ms: limits.stallCheckMs, repeat: true })
}

export function closeReportedPlay(draft: Draft): void {
  if (!draft.state.playback.playReported) return
  reportEvent(draft, 'pause')
  changePlayback(draft, { playReported: false })
}

/** Loads a video at a position and, with the intent to play, requests the lock for it. */
export function beginVideo(draft: Draft, index: number, startAt: number, intent: 'play' | 'pause'): void {
  const video = draft.state.playlist.videos[index]
  if (!video) return
  const plays = intent === 'play' && !draft.state.hidden
  keepFurthest(draft)
  changeState(draft, {
    phase: plays ? 'starting' : 'paused',
    index,
    startAt,
    intent: plays ? 'play' : 'pause',
    note: intent === 'play' && !plays ? 'hidden' : undefined,
    failures: 0,
    unexpectedEnds: 0,
  })
  changePlayback(draft, {
    position: startAt,
    duration: video.duration,
    furthest: draft.state.reach ? (draft.state.reach.until[video.id] ?? 0) : startAt,
    playReported: false,
    sinceReport: 0,
    lastSaved: startAt,
  })
  loadVideo(draft)
  if (plays) requestLock(draft)
  else releaseLock(draft)
}

/** Begins a video, or what must be watched before it. `isAttempt`: a viewer chose it. */
export function beginReachable(
  draft: Draft,
  index: number,
  startAt: number,
  { intent, isAttempt }: { intent: 'play' | 'pause'; isAttempt: boolean },
): void {
  const reachable = findReachable(draft.state, index, startAt)
  beginVideo(draft, reachable.index, reachable.position, intent)
  if (isAttempt && reachable.refusal) refuse(draft, reachable.refusal)
}

/** Ends the play of this video, or the countdown after it. False: there is nothing to leave. */
export function leaveVideo(draft: Draft): boolean {
  const { phase } = draft.state
  draft.effects.push({ type: 'stop-timer', name: 'countdown' })
  if (phase === 'countdown') return true
  if (!isSeekable(draft.state)) return false
  draft.effects.push({ type: 'pause' })
  stopPlaybackTimers(draft)
  closeReportedPlay(draft)
  if (draft.state.playback.position !== draft.state.playback.lastSaved) savePositionOrReleaseLock(draft)
  return true
}

/** Plays, or stands, at another position of the present video. */
export function movePlayback(draft: Draft, position: number): void {
  closeReportedPlay(draft)
  changePlayback(draft, { position, sinceReport: 0, lastChecked: -1, stalledChecks: 0 })
  changeState(draft, { unexpectedEnds: 0 })
  if (draft.state.cued) {
    draft.effects.push({ type: 'seek', to: position })
    startSettling(draft, 'seek')
  } else loadVideo(draft)
  savePositionOrReleaseLock(draft)
}

/** The provider's own controls jumped ahead. */
export function returnToReach(draft: Draft): void {
  refuse(draft, 'position')
  movePlayback(draft, draft.state.playback.furthest)
}

/** (Re)loads the current video at the current position. */
export function loadVideo(draft: Draft): void {
  const { index, playback } = draft.state
  changeState(draft, {
    load: draft.state.load + 1,
    startAt: playback.position,
    cued: false,
    running: false,
    reloading: false,
    ended: false,
    settling: undefined,
  })
  draft.effects.push({ type: 'stop-timer', name: 'reload' })
  draft.effects.push({ type: 'load', index, startAt: playback.position, load: draft.state.load })
  if (draft.state.phase === 'starting') startProgressCheck(draft)
}

/**
 * Plays if the video is cued, the lock is held, the viewer wants to play and the page is visible.
 */
export function playWhenReady(draft: Draft): void {
  const { phase, cued, lock, intent, hidden } = draft.state
  if (phase !== 'starting' || !cued || lock !== 'held' || intent !== 'play' || hidden) return
  // A pause may come before the report that it plays, which is then no press in the frame.
  changeState(draft, { running: true })
  draft.effects.push({ type: 'play' })
}

export function pausePlayback(draft: Draft, note?: SessionState['note']): void {
  draft.effects.push({ type: 'pause' })
  stopPlaybackTimers(draft)
  const hasMoved = draft.state.playback.position !== draft.state.playback.lastSaved
  const wasRunning = isRunning(draft.state)
  closeReportedPlay(draft)
  if (wasRunning || hasMoved) savePositionOrReleaseLock(draft)
  releaseLock(draft)
  changeState(draft, { phase: 'paused', intent: 'pause', settling: undefined, note })
}

/** Plays again. Requests the lock first unless it is still held. */
export function resume(draft: Draft): void {
  if (draft.state.ended) {
    startCountdownOrComplete(draft)
    return
  }
  // A provider begins a video again that is played at its very end. The reports must say so.
  if (isAtEnd(draft.state)) movePlayback(draft, 0)
  changeState(draft, { phase: 'starting', intent: 'play', note: undefined, reason: undefined, settling: undefined })
  startProgressCheck(draft)
  if (draft.state.reloading) loadVideo(draft)
  if (draft.state.lock === 'held') playWhenReady(draft)
  else requestLock(draft)
}

/** The video plays. Timers and report start once, even if the provider reports `playing` again. */
export function enterPlaying(draft: Draft): void {
  const isStart = !isRunning(draft.state)
  changeState(draft, { phase: 'playing', running: true, reloading: false, note: undefined })
  draft.effects.push({ type: 'stop-timer', name: 'reload' })
  if (draft.state.settling === 'pause') endSettling(draft)
  if (isStart) startPlaybackTimers(draft)
  if (!draft.state.playback.playReported && draft.state.settling === undefined) {
    reportEvent(draft, 'play')
    changePlayback(draft, { playReported: true })
  }
}

export function startSettling(draft: Draft, cause: 'seek' | 'pause'): void {
  changeState(draft, { settling: cause })
  draft.effects.push({ type: 'start-timer', name: 'settle', ms: settleMs, repeat: false })
}

export function endSettling(draft: Draft): void {
  changeState(draft, { settling: undefined })
  draft.effects.push({ type: 'stop-timer', name: 'settle' })
}

/** The end is reported once for each load. */
export function endVideo(draft: Draft): void {
  if (draft.state.ended) return
  changeState(draft, { ended: true })
  stopPlaybackTimers(draft)
  reportEvent(draft, 'ended')
  changePlayback(draft, { playReported: false })
  savePositionOrReleaseLock(draft)
  startCountdownOrComplete(draft)
}

/**
 * After the end of a video or an unavailable one: starts the countdown to the next, or completes.
 */
export function startCountdownOrComplete(draft: Draft): void {
  changeState(draft, { settling: undefined, running: false, reloading: false, failures: 0 })
  if (nextIndex(draft.state) >= 0) {
    changeState(draft, { phase: 'countdown', countdown: limits.countdownS, intent: 'play' })
    draft.effects.push({ type: 'start-timer', name: 'countdown', ms: 1_000, repeat: true })
    return
  }
  if (nextPlayableIndex(draft.state, 0) < 0) {
    changeState(draft, { phase: 'unplayable' })
    releaseLock(draft)
    return
  }
  completePlaylist(draft)
}

export function completePlaylist(draft: Draft): void {
  reportEvent(draft, 'playlist_completed')
  releaseLock(draft)
  changeState(draft, { phase: 'completed', intent: 'pause', settling: undefined, running: false, countdown: 0 })
}
