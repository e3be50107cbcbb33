import { limits } from '@watchline/contracts/limits'
import type { SessionStatus } from '@watchline/contracts/playback'
import { applyLoadedReach, applyReportAnswer, requestReach, returnToCredit } from './playback-credit.ts'
import { changeState, createDraft, type Draft, finishDraft } from './playback-draft.ts'
import { applyLockAnswer, requestLostLock, stopForOtherWindow } from './playback-lock.ts'
import { applyProviderEvent } from './playback-provider.ts'
import { findBlocker, forbidsSkipping, furthestOf, isAhead, refuse } from './playback-reach.ts'
import { endToleranceS, isRunning, isSeekable, nextIndex, nextPlayableIndex } from './playback-state.ts'
import {
  beginReachable,
  completePlaylist,
  leaveVideo,
  movePlayback,
  pausePlayback,
  playWhenReady,
  releaseLock,
  requestLock,
  resume,
  savePositionOrReleaseLock,
  startProgressCheck,
  stopPlaybackTimers,
} from './playback-steps.ts'
import { applyTimer, playNextVideo, retryLoad } from './playback-timers.ts'
import type { SessionEvent, SessionState, Transition } from './playback-types.ts'

const finalPhases: readonly SessionState['phase'][] = ['empty', 'completed', 'unplayable', 'left']

/**
 * One monitored session as a pure function, without player, clock and network. Invariants: the
 * effect `play` occurs only while the lock is held and the page is visible. A video ends at most
 * once. Events of a replaced load change nothing.
 */
export function applySessionEvent(before: SessionState, event: SessionEvent): Transition {
  const draft = createDraft(before)
  const reopens = event.type === 'go-to' && before.phase === 'completed'
  if (finalPhases.includes(before.phase) && !reopens) {
    if (before.phase !== 'left' && event.type === 'leave') leaveSession(draft)
    else if (event.type === 'hidden') draft.effects.push({ type: 'flush' })
    else if (before.phase === 'completed') applyAfterEnd(draft, event)
    return finishDraft(draft)
  }
  switch (event.type) {
    case 'start':
      startSession(draft)
      break
    case 'status-answered':
      if (before.phase === 'checking') applyStatus(draft, event.status, event.wasPlaying ?? false)
      break
    case 'video-chosen':
      if (before.phase === 'checking')
        beginReachable(draft, event.index, event.position, { intent: 'play', isAttempt: true })
      break
    case 'reach-loaded':
      applyLoadedReach(draft, event.watch)
      if (before.phase !== 'checking') returnToCredit(draft, event.at)
      else if (before.lock === 'held') draft.effects.push({ type: 'check-status' })
      else openSession(draft)
      break
    case 'report-answered':
      applyReportAnswer(draft, event)
      break
    case 'lock-answered':
      if (event.request === before.lockRequest && before.lock === 'requested') applyLockAnswer(draft, event)
      break
    case 'lock-lost':
      requestLostLock(draft)
      break
    case 'other-window-plays':
      stopForOtherWindow(draft)
      break
    case 'provider':
      if (event.load === before.load) applyProviderEvent(draft, event.event, event.reading)
      break
    case 'timer':
      applyTimer(draft, event.name, event.reading)
      break
    case 'toggle':
      toggle(draft)
      break
    case 'seek':
      seek(draft, event.to)
      break
    case 'skip':
      skip(draft)
      break
    case 'go-to':
      goTo(draft, event.index, event.to)
      break
    case 'finish':
      if (leaveVideo(draft)) completePlaylist(draft)
      break
    case 'suspend':
      suspend(draft)
      break
    case 'continue-here':
      if (before.phase === 'elsewhere') {
        changeState(draft, { phase: 'starting', intent: 'play' })
        startProgressCheck(draft)
        requestLock(draft, true)
      }
      break
    case 'try-again':
      if (before.phase === 'refused') resume(draft)
      break
    case 'dismiss-banner':
      changeState(draft, { banner: undefined })
      break
    case 'hidden':
      hidePage(draft)
      break
    case 'visible':
      changeState(draft, { hidden: false })
      playWhenReady(draft)
      break
    case 'online':
      goOnline(draft)
      break
    case 'offline':
      changeState(draft, { online: false })
      break
    case 'leave':
      leaveSession(draft)
      break
  }
  return finishDraft(draft)
}

/** At the end of the playlist the viewer may still choose what is missing. */
function applyAfterEnd(draft: Draft, event: SessionEvent): void {
  if (event.type === 'reach-loaded') applyLoadedReach(draft, event.watch)
  else if (event.type === 'report-answered') applyReportAnswer(draft, event)
  else if (event.type === 'timer' && event.name === 'refusal') applyTimer(draft, event.name, event.reading)
}

function startSession(draft: Draft): void {
  if (draft.state.playlist.videos.length === 0) {
    changeState(draft, { phase: 'empty' })
    return
  }
  if (nextPlayableIndex(draft.state, 0) < 0) {
    changeState(draft, { phase: 'unplayable' })
    return
  }
  if (forbidsSkipping(draft.state)) requestReach(draft, 'requested')
  else openSession(draft)
}

/** Opens the session where its link says, else where the person stopped. */
function openSession(draft: Draft): void {
  const { playlist, launch } = draft.state
  const launchIndex = launch?.startVideoId
    ? playlist.videos.findIndex(video => video.id === launch.startVideoId)
    : launch?.startTimestamp === undefined
      ? -1
      : nextPlayableIndex(draft.state, 0)
  if (launch && launchIndex >= 0) {
    const { duration } = playlist.videos[launchIndex]!
    const startAt = clipPosition(launch.startTimestamp ?? 0, duration)
    beginReachable(draft, launchIndex, startAt, { intent: 'play', isAttempt: true })
    // The banner names the place of the link.
    if (!draft.state.refusal) changeState(draft, { banner: launch.notificationAction ?? 'view' })
    return
  }
  draft.effects.push({ type: 'check-status' })
}

function applyStatus(draft: Draft, status: SessionStatus | undefined, wasPlaying: boolean): void {
  const { playlist } = draft.state
  const hasTakenOver = draft.state.lock === 'held'
  const index = status?.current_video_index ?? -1
  const video = playlist.videos[index]
  const begin = (at: number, position: number, intent: 'play' | 'pause') =>
    beginReachable(draft, at, position, { intent, isAttempt: false })
  if (!status?.can_resume || status.current_playlist_id !== playlist.id || !video) {
    if (hasTakenOver) begin(draft.state.index, draft.state.playback.position, 'play')
    else begin(nextPlayableIndex(draft.state, 0), 0, 'play')
    return
  }
  const intent = hasTakenOver || status.is_monitoring || wasPlaying ? 'play' : 'pause'
  const progress = status.video_progress ?? 0
  const isAtEnd = progress >= video.duration - endToleranceS
  changeState(draft, { banner: index > 0 || progress > 0 ? 'resumed' : undefined })
  const following = nextIndex({ ...draft.state, index })
  if (isAtEnd && following >= 0) begin(following, 0, intent)
  else begin(index, isAtEnd ? 0 : progress, intent)
}

function toggle(draft: Draft): void {
  const { phase, intent } = draft.state
  if (isRunning(draft.state) || (phase === 'starting' && intent === 'play')) pausePlayback(draft)
  else if (phase === 'paused' || phase === 'blocked') resume(draft)
}

function seek(draft: Draft, to: number): void {
  const { playback } = draft.state
  if (!isSeekable(draft.state)) return
  const requestedPosition = clipPosition(to, playback.duration)
  const target = Math.min(requestedPosition, furthestOf(draft.state, draft.state.index))
  if (!isAhead(draft.state, requestedPosition)) {
    movePlayback(draft, target)
    return
  }
  refuse(draft, 'position')
  // A seek to where the video plays anyway would only interrupt it.
  if (Math.abs(target - playback.position) > limits.jointToleranceS) movePlayback(draft, target)
}

function skip(draft: Draft): void {
  const next = nextIndex(draft.state)
  if (next < 0) return
  if (findBlocker(draft.state, next) >= 0) refuse(draft, 'video')
  else if (leaveVideo(draft)) playNextVideo(draft)
}

function goTo(draft: Draft, index: number, to: number): void {
  const video = draft.state.playlist.videos[index]
  if (!video) return
  const { phase, cued, ended, intent } = draft.state
  if (findBlocker(draft.state, index) >= 0) {
    refuse(draft, 'video')
    return
  }
  if (index === draft.state.index && cued && !ended && (isRunning(draft.state) || phase === 'paused')) {
    seek(draft, to)
    if (intent !== 'play') resume(draft)
    return
  }
  if (phase !== 'completed' && !leaveVideo(draft)) return
  changeState(draft, { countdown: 0, note: undefined, reason: undefined, banner: undefined })
  beginReachable(draft, index, clipPosition(to, video.duration), { intent: 'play', isAttempt: true })
}

function hidePage(draft: Draft): void {
  changeState(draft, { hidden: true })
  const { phase, intent } = draft.state
  if (isRunning(draft.state) || phase === 'blocked' || (phase === 'starting' && intent === 'play'))
    pausePlayback(draft, 'hidden')
  else if (phase === 'countdown') releaseLock(draft)
  else if (phase === 'paused' && draft.state.playback.position !== draft.state.playback.lastSaved)
    savePositionOrReleaseLock(draft)
  draft.effects.push({ type: 'flush' })
}

function suspend(draft: Draft): void {
  const { phase, intent } = draft.state
  if (isRunning(draft.state) || phase === 'blocked' || (phase === 'starting' && intent === 'play')) pausePlayback(draft)
  else if (phase === 'countdown') {
    draft.effects.push({ type: 'stop-timer', name: 'countdown' })
    releaseLock(draft)
    changeState(draft, { phase: 'paused', intent: 'pause', countdown: 0 })
  } else if (phase === 'paused' && draft.state.playback.position !== draft.state.playback.lastSaved)
    savePositionOrReleaseLock(draft)
}

function goOnline(draft: Draft): void {
  changeState(draft, { online: true })
  if (draft.state.lock === 'requested' && draft.state.lockFailures > 0) requestLock(draft)
  retryLoad(draft)
  if (isRunning(draft.state) && draft.state.lock === 'held') draft.effects.push({ type: 'heartbeat' })
}

function leaveSession(draft: Draft): void {
  if (isRunning(draft.state) || ['starting', 'blocked'].includes(draft.state.phase)) pausePlayback(draft)
  else {
    stopPlaybackTimers(draft)
    releaseLock(draft)
  }
  for (const name of ['lock-retry', 'countdown'] as const) draft.effects.push({ type: 'stop-timer', name })
  draft.effects.push({ type: 'flush' }, { type: 'destroy' })
  changeState(draft, { phase: 'left' })
}

function clipPosition(position: number, duration: number): number {
  const end = duration > 0 ? duration : position
  return Number.isFinite(position) ? Math.max(0, Math.min(position, end)) : 0
}
